"""How long `shunt rules backtest` takes on a stored journal, on one core."""

import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import time

from events import Events
from http_client import Connection, request
from machine import Shunt
from report import spread

RULES = pathlib.Path(__file__).resolve().parent.parent / "rules"


def measure(binary, folder, cores, report, quick):
    report.section("Back-test: the shipped rules on a stored journal")
    total = 50_000 if quick else 1_000_000
    rows = []
    for name, failing in (("1 of 10 failed", 0.1), ("all failed", 1.0)):
        data = store(binary, folder, cores, total, failing)
        seconds, cpu = [], []
        for _ in range(1 if quick else 3):
            taken, used = backtest(binary, data, cores.server, total)
            seconds.append(taken)
            cpu.append(used)
        rows.append(
            [name, spread(seconds), spread(cpu), f"{total / sorted(seconds)[len(seconds) // 2]:,.0f}"]
        )
        shutil.rmtree(data)
    report.table([f"{total:,} events", "seconds", "CPU seconds", "events/s"], rows)
    report.note("Goal for a million events on one core: under 10 s. Reading, two folds, the payments of each alert.")


def store(binary, folder, cores, total, failing):
    """A journal as the daemon itself writes it."""
    events = Events("backtest")
    dice = random.Random("backtest")
    with Shunt(binary, folder, cores.server) as shunt:
        connection = Connection(shunt.port)
        for _ in range(total // 500):
            batch = [
                events.event() if dice.random() < failing else events.event(outcome="succeeded") for _ in range(500)
            ]
            connection.send(request("POST", "/v1/events", b"[" + b",".join(batch) + b"]"))
            status, _, body = connection.receive()
            if status != 202:
                raise SystemExit(f"bench: error: {status} instead of 202: {body[:300]!r}")
        connection.close()
    return shunt.data


def backtest(binary, data, core, total):
    command = ["taskset", "--cpu-list", str(core), binary, "rules", "backtest", "--since", "1d", "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(
        [*map(str, command), "--rules", str(RULES), "--data", str(data)],
        capture_output=True,
        env={key: value for key, value in os.environ.items() if not key.startswith("SHUNT_")},
    )
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"bench: error: rules backtest exits with {done.returncode}: {done.stderr[:300]!r}")
    found = json.loads(done.stdout)["events"]
    if found != total:
        raise SystemExit(f"bench: error: the back-test saw {found} of {total} events")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
