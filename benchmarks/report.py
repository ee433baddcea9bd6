"""The report: 80 columns, ratios first."""

import statistics

WIDTH = 80


class Report:
    """Prints each section as soon as it's measured, so that an interrupted run has shown what it had."""

    def title(self, text):
        print(text, flush=True)
        print("=" * min(len(text), WIDTH))

    def section(self, text):
        print()
        print(text)
        print("-" * min(len(text), WIDTH))

    def note(self, text):
        print(text, flush=True)

    def table(self, header, rows):
        """Rows of texts under a header; the first column to the left, the others to the right."""
        widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
        for row in [header, *rows]:
            cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
            print("  ".join(cells).rstrip(), flush=True)


def spread(values, form="{:.2f}"):
    """The median, with the least and the greatest value in parentheses."""
    middle, least, greatest = (form.format(f(values)) for f in (statistics.median, min, max))
    return f"{middle} ({least}-{greatest})"


def percentile(values, share):
    """The value below which this share of the values lies, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
