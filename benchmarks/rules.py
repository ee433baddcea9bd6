"""What rules cost: the same events with no rule that looks at them, and with 200 rules over 10,000 error keys."""

import statistics

from events import Events
from http_client import Connection, request
from machine import Shunt

PROVIDERS = 20
REGIONS = 10
KEYS = 10_000


def write_rules(folder, rules):
    (folder / "alerts").mkdir(parents=True)
    lines = ["rules:"]
    for number, match in enumerate(rules):
        lines.append(f"  - id: rule-{number}")
        lines.append(f"    match: {match}")
        lines.append("    groupBy: [error.domain, error.code]")
        lines.append("    threshold: 100")
        lines.append("    window: 5m")
        lines.append("    alert: { severity: info }")
    (folder / "alerts" / "rules.yaml").write_text("\n".join(lines) + "\n")
    return folder


def slice_events(count):
    """The same each time it is asked: codes, providers and regions by turns."""
    events = Events("rules")
    for number in range(count):
        event = events.event(code=("bench", f"code-{number * 7919 % KEYS}"))
        event = event.replace(b'"psp":"unionpay"', f'"psp":"provider-{number % PROVIDERS}"'.encode())
        yield event.replace(b'"region":"CN"', f'"region":"region-{number // PROVIDERS % REGIONS}"'.encode())


def run(binary, folder, core, rules, batches):
    with Shunt(binary, folder, core, options=["--rules", str(rules)]) as shunt:
        connection = Connection(shunt.port)

        def send(bodies):
            for body in bodies:
                connection.send(request("POST", "/v1/events", body))
                connection.receive()

        # The first events make the groups; what is compared is the time after that.
        half = len(batches) // 2
        send(batches[:half])
        before = shunt.cpu_seconds()
        send(batches[half:])
        cpu = shunt.cpu_seconds() - before
        connection.close()
        return cpu, shunt.resident_megabytes()


def measure(binary, folder, cores, report, quick):
    report.section("Rules")
    total = 20_000 if quick else 200_000
    events = list(slice_events(total))
    batches = [b"[" + b",".join(events[start : start + 500]) + b"]" for start in range(0, total, 500)]
    half = total // 2
    none = write_rules(folder / "rules-none", ["{ environment: [nowhere] }"])
    slices = [
        f"{{ psp: provider-{provider}, region: region-{region} }}"
        for provider in range(PROVIDERS)
        for region in range(REGIONS)
    ]
    cases = {
        "200 rules, each of one provider and region": write_rules(folder / "rules-slices", slices),
        "1 rule for all": write_rules(folder / "rules-one", ["{ environment: [production] }"]),
        "20 rules for all, every event counted 20 times": write_rules(
            folder / "rules-all", ["{ environment: [production] }"] * 20
        ),
    }
    costs = {name: [] for name in cases}
    memory = {}
    for _ in range(1 if quick else 3):
        base_cpu, base_memory = run(binary, folder, cores.server, none, batches)
        for name, rules in cases.items():
            cpu, megabytes = run(binary, folder, cores.server, rules, batches)
            costs[name].append((cpu - base_cpu) / half * 1e6)
            memory[name] = megabytes - base_memory
    rows = []
    for name, values in costs.items():
        groups = KEYS * (20 if name.startswith("20 ") else 1)
        if name.startswith("200"):
            groups = len({(n * 7919 % KEYS, n % PROVIDERS, n // PROVIDERS % REGIONS) for n in range(total)})
        rows.append(
            [
                name,
                f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})",
                f"{groups:,}",
                f"{memory[name] * 1024 * 1024 / groups:,.0f}",
            ]
        )
    report.table(["rules, 10,000 error keys", "µs of CPU an event more", "groups", "bytes a group"], rows)
    report.note(f"against the same {half:,} events and one rule that looks at none. Goal: under 2 µs with 200 rules.")
