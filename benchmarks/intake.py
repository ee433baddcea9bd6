"""Durable events: in batches over a few connections, and one at a time with 64 in flight."""

import gc
import threading
import time

import wrk
from events import Events
from http_client import Connection, metric, request
from machine import Shunt
from report import spread

CONNECTIONS = 8
COMMITS = "shunt_commit_duration_seconds_count"

SINGLE_SCRIPT = """
-- One event a request, each with ids and a time of its own; the rest is the contract's example.
local before, middle, after = %s, %s, %s
local count, run = 0, "%s"
function request()
    count = count + 1
    local id = string.format("%%s-%%09d", run, count)
    local at = os.date("!%%Y-%%m-%%dT%%H:%%M:%%S", os.time()) .. string.format(".%%03dZ", count %% 1000)
    return wrk.format("POST", "/v1/events", { ["Content-Type"] = "application/json" },
        before .. id .. middle .. at .. after:gsub("ATTEMPT", id))
end
"""


def measure_batches(binary, folder, cores, report, quick):
    report.section("Durable events in batches")
    rows = []
    rounds = 1 if quick else 5
    for size, total in ((100, 200_000), (500, 300_000)):
        results = [batches(binary, folder, cores, size, total // (10 if quick else 1), seed) for seed in range(rounds)]
        rows.append(
            [
                f"{size} events",
                spread([r["rate"] / 1000 for r in results], "{:.0f}"),
                spread([r["cpu"] for r in results], "{:.1f}"),
                spread([r["idle"] for r in results], "{:.0f}"),
                spread([r["per_sync"] for r in results], "{:.0f}"),
                f"{results[-1]['syncs']:,.0f}",
                f"{results[-1]['restart']:.2f}",
            ]
        )
    header = ["batch", "1000 events/s", "CPU us/event", "core idle %", "events/sync", "syncs", "restart s"]
    report.table(header, rows)
    report.note(f"{CONNECTIONS} connections, one core; goals on a quiet disk: 100 and 140 thousand a second.")
    report.note("core idle: the share of the server's core that it didn't use, waiting for disk or load.")
    report.note("restart: from exec to ready on the journal that the run left.")


def batches(binary, folder, cores, size, total, seed):
    events = Events(f"batch-{size}-{seed}")
    requests = [request("POST", "/v1/events", events.batch(size)) for _ in range(total // size)]
    shares = [requests[first::CONNECTIONS] for first in range(CONNECTIONS)]
    failures = []
    with Shunt(binary, folder, cores.server) as shunt:
        connections = [Connection(shunt.port) for _ in shares]
        threads = [
            threading.Thread(target=post, args=(connection, share, failures))
            for connection, share in zip(connections, shares)
        ]
        commits = metric(shunt.port, COMMITS)
        # The bodies are many and stay: a collection in the middle would be a pause of the load's.
        gc.collect()
        gc.disable()
        cpu, start = shunt.cpu_seconds(), time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds, used = time.monotonic() - start, shunt.cpu_seconds() - cpu
        gc.enable()
        if failures:
            raise SystemExit(f"bench: error: a batch was answered by {failures[0]}")
        syncs = (metric(shunt.port, COMMITS) or 0) - (commits or 0)
    with Shunt(binary, folder, cores.server, keep=True) as again:
        restart = again.start_seconds
    return {
        "rate": total / seconds,
        "cpu": used / total * 1e6,
        "idle": max(0, 1 - used / seconds) * 100,
        "syncs": syncs,
        "per_sync": total / syncs if syncs else 0,
        "restart": restart,
    }


def post(connection, requests, failures):
    for data in requests:
        connection.send(data)
        status, _, body = connection.receive()
        if status != 202 or b'"rejected":[]' not in body:
            failures.append((status, body[:300]))
            break
    connection.close()


def measure_singles(binary, folder, cores, report, quick):
    report.section("Durable events one by one, 64 in flight")
    rounds, seconds = (1, 2) if quick else (3, 5)
    rows = []
    for number in range(rounds):
        script = folder / "single.lua"
        script.write_text(single_script(f"run-{number}"))
        with Shunt(binary, folder, cores.server) as shunt:
            commits, cpu = metric(shunt.port, COMMITS), shunt.cpu_seconds()
            result = wrk.run(shunt.port, "/v1/events", 64, seconds, cores.load, script=script)
            used = shunt.cpu_seconds() - cpu
            syncs = (metric(shunt.port, COMMITS) or 0) - (commits or 0)
        rows.append(
            [
                f"round {number + 1}",
                f"{result.requests / result.seconds:,.0f}",
                f"{used / result.requests * 1e6:.1f}",
                f"{result.requests / syncs:.1f}" if syncs else "n/a",
                f"{syncs:,.0f}",
                f"{result.milliseconds(50):.2f}",
                f"{result.milliseconds(99):.2f}",
                str(result.errors + result.refused),
            ]
        )
    report.table(["", "events/s", "CPU us/event", "events/sync", "syncs", "p50 ms", "p99 ms", "errors"], rows)


def single_script(run):
    text = Events("single").event().decode()
    identifier = text.split('"eventId":"')[1].split('"')[0]
    time_text = text.split('"occurredAt":"')[1].split('"')[0]
    attempt = text.split('"attemptId":"')[1].split('"')[0]
    before, rest = text.split(identifier, 1)
    middle, after = rest.split(time_text, 1)
    return SINGLE_SCRIPT % (quote(before), quote(middle), quote(after.replace(attempt, "ATTEMPT")), run)


def quote(text):
    return f"[==[{text}]==]"
