"""What the daemon holds when nothing happens, and after much has."""

import time

from events import Events
from http_client import Connection, ask, request
from machine import Shunt


def measure(binary, folder, cores, report, quick):
    report.section("Memory")
    rows = []
    with Shunt(binary, folder, cores.server) as shunt:
        # What start-up frees late is gone after this; there is no event to wait for.
        time.sleep(1)
        cpu = shunt.cpu_seconds()
        time.sleep(1 if quick else 5)
        idle = shunt.cpu_seconds() - cpu
        rows.append(["at rest, after the start", f"{shunt.resident_megabytes():.1f}"])
        ask(shunt.port, "GET", "/v1/switches")
        rows.append(["after the first poll", f"{shunt.resident_megabytes():.1f}"])
        events = Events("memory")
        total = 20_000 if quick else 200_000
        connection = Connection(shunt.port)
        for _ in range(total // 500):
            connection.send(request("POST", "/v1/events", events.batch(500)))
            connection.receive()
        connection.close()
        time.sleep(1)
        rows.append([f"after {total:,} events in one window", f"{shunt.resident_megabytes():.1f}"])
    report.table(["resident set", "MB"], rows)
    report.note(f"CPU while idle: {idle * 1000:.0f} ms in {1 if quick else 5} s. Goal at rest: under 40 MB.")
