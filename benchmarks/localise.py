"""Localisation: how long the search takes, and how often it names the cause that was planted."""

import bisect
import csv
import itertools
import json
import random
import re
import statistics
import subprocess

from report import spread

# Twelve dimensions as a payment has them: a name, how many values, and how steeply their shares fall.
DIMENSIONS = [
    ("error.code", 30, 1.2), ("stage", 8, 1.0), ("app.version", 12, 1.3), ("os.name", 2, 0.6),
    ("os.version", 15, 1.1), ("deviceModel", 60, 0.9), ("network", 5, 1.0), ("psp", 4, 0.8),
    ("region", 20, 1.2), ("merchantId", 40, 1.0), ("requestHost", 6, 1.0), ("issuerBin", 300, 0.9),
]
NAMES = [name for name, _, _ in DIMENSIONS]


class Payments:
    """Draws the attributes of failures; what is drawn depends on the seed alone."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.steps = []
        for _, count, fall in DIMENSIONS:
            self.steps.append(list(itertools.accumulate(1 / (place + 1) ** fall for place in range(count))))

    def value(self, dimension):
        steps = self.steps[dimension]
        return f"v{bisect.bisect(steps, self.random.random() * steps[-1]) % len(steps)}"

    def row(self, cause=()):
        row = [self.value(dimension) for dimension in range(len(DIMENSIONS))]
        # What hangs together in reality: a host belongs to a provider, a system's version to the system.
        if self.random.random() < 0.8:
            row[NAMES.index("requestHost")] = "h" + row[NAMES.index("psp")][1:]
        for dimension, value in cause:
            row[dimension] = value
        return row

    def cause(self, depth):
        """Values that 0.2 to 30 % of normal failures have together."""
        while True:
            dimensions = sorted(self.random.sample(range(len(DIMENSIONS)), depth))
            pairs = [(dimension, self.value(dimension)) for dimension in dimensions]
            share = 1.0
            for dimension, value in pairs:
                place, steps = int(value[1:]), self.steps[dimension]
                share *= (steps[place] - (steps[place - 1] if place else 0)) / steps[-1]
            if 0.002 <= share <= 0.3:
                return pairs


def write(path, payments, normal, now, added, cause):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["window", "failures", *NAMES])
        for _ in range(normal):
            table.writerow(["baseline", 1, *payments.row()])
        for _ in range(now):
            table.writerow(["now", 1, *payments.row()])
        for _ in range(added):
            table.writerow(["now", 1, *payments.row(cause)])


def localise(binary, path, core):
    """The causes, and the microseconds that the search took by the clock and of CPU."""
    command = ["taskset", "--cpu-list", str(core), binary, "localise", "--time", "--input", path]
    done = subprocess.run(list(map(str, command)), capture_output=True, check=True, timeout=300, text=True)
    micros = re.search(r"in (\d+) us, (\d+) us of CPU", done.stderr)
    return json.loads(done.stdout)["causes"], int(micros[1]), int(micros[2])


def pairs(cause):
    return [(NAMES.index(attribute["name"]), attribute["value"]) for attribute in cause["attributes"]]


def measure(binary, folder, cores, report, quick):
    report.section("Localisation")
    path = folder / "localise.csv"
    rows = []
    for name, total in [("1,000 + 1,000", 1_000), ("100,000 + 100,000", 100_000)]:
        payments = Payments(f"speed {total}")
        write(path, payments, total, total // 2, total // 2, payments.cause(2))
        rounds = [localise(binary, path, cores.server)[1:] for _ in range(2 if quick else 7)]
        rows.append([
            f"{name} rows, 12 dimensions",
            spread([cpu / 1000 for _, cpu in rounds], "{:.1f}"),
            spread([wall / 1000 for wall, _ in rounds], "{:.1f}"),
        ])
    report.table(["search", "CPU ms", "ms"], rows)
    report.note("")

    rows = []
    for added, normal in [(380, 100), (3_700, 1_000)]:
        for depth in (1, 2, 3):
            first = among = 0
            cases = 4 if quick else 40
            for case in range(cases):
                payments = Payments(f"planted {added} {depth} {case}")
                cause = payments.cause(depth)
                share = payments.random.choice([0.08, 0.15, 0.3, 0.6])
                wrong = int((added + normal) * share)
                write(path, payments, added + normal, added + normal - wrong, wrong, cause)
                causes = [pairs(found) for found in localise(binary, path, cores.server)[0]]
                first += causes[:1] == [cause]
                among += cause in causes
            rows.append([
                f"{added + normal} failures, cause of {depth}", f"{first / cases:.3f}", f"{among / cases:.3f}", str(cases)
            ])
    for failures in (480, 4_700):
        part = [row for row in rows if row[0].startswith(f"{failures} ")]
        means = [statistics.mean(float(row[column]) for row in part) for column in (1, 2)]
        rows.append([f"{failures} failures, all", f"{means[0]:.3f}", f"{means[1]:.3f}", str(sum(int(r[3]) for r in part))])
    report.table(["planted, exactly named", "Top-1", "Top-3", "cases"], rows)
