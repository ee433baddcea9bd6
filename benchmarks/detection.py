"""How long from the crossing event to an app that knows: POST of the hundredth to the waiting poll's answer."""

import json
import select
import time

from events import Events
from http_client import Connection, request
from machine import Shunt
from report import percentile


def measure(binary, folder, cores, report, quick):
    report.section("Detection: from POST of the crossing event to a poll that shows it")
    trials = 30 if quick else 400
    events = Events("detection")
    known, acknowledged, fresh = [], [], []
    with Shunt(binary, folder, cores.server) as shunt:
        poster, poller, reader = (Connection(shunt.port) for _ in range(3))
        for number in range(trials):
            times = trial(events, f"bench-{number}", poster, poller, reader)
            known.append(times["known"])
            acknowledged.append(times["acknowledged"])
            fresh.append(times["fresh"])
    rows = [
        row("a waiting poll is answered", known),
        row("the reporter has its 202", acknowledged),
        row("a fresh poll after the 202", fresh),
    ]
    report.table(["milliseconds since the POST", "p50", "p90", "p99", "max"], rows)
    report.note(f"{trials} trips, each of a code of its own, restored in between; includes one durable commit.")


def row(name, values):
    return [name] + [f"{percentile(values, share):.2f}" for share in (0.5, 0.9, 0.99)] + [f"{max(values):.2f}"]


def trial(events, code, poster, poller, reader):
    """One trip of a switch that is normal before and after."""
    expect(poster.ask("POST", "/v1/events", events.batch(99, code=("bench", code))), 202)
    document = json.loads(expect(reader.ask("GET", "/v1/switches"), 200))
    if variant(document) != "native":
        raise SystemExit("bench: error: the switch isn't normal before the hundredth event")
    poller.send(request("GET", f"/v1/switches?after={document['version']}&waitSec=20"))
    # A round trip on another connection, so that the poll waits by the time the event comes.
    expect(reader.ask("GET", "/healthz"), 200)

    crossing = request("POST", "/v1/events", events.batch(1, code=("bench", code)))
    start = time.monotonic()
    poster.send(crossing)
    times = {}
    waiting = {poster.socket: ("acknowledged", poster, 202), poller.socket: ("known", poller, 200)}
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], 25)
        if not ready:
            raise SystemExit("bench: error: no answer within 25 s")
        for end in ready:
            name, connection, status = waiting.pop(end)
            body = expect(connection.receive(), status)
            times[name] = (time.monotonic() - start) * 1000
            if name == "known" and variant(json.loads(body)) != "web":
                raise SystemExit("bench: error: the poll was answered without the trip")
    if variant(json.loads(expect(reader.ask("GET", "/v1/switches"), 200))) != "web":
        raise SystemExit("bench: error: a poll after the 202 doesn't show the trip")
    times["fresh"] = (time.monotonic() - start) * 1000
    expect(poster.ask("POST", "/v1/switches/apple-pay/restore", b'{"reason":"benchmark"}'), 200)
    return times


def variant(document):
    return next(entry["variant"] for entry in document["switches"] if entry["key"] == "apple-pay")


def expect(reply, status):
    if reply[0] != status:
        raise SystemExit(f"bench: error: {reply[0]} instead of {status}: {reply[2][:300]!r}")
    return reply[2]
