"""GET /v1/switches answered by 304, against nginx answering 304 for a static file of the same size."""

import time
from statistics import median

import wrk
from http_client import ask, free_port
from machine import Nginx, Shunt
from report import spread

ROUNDS = 5


def measure(binary, folder, cores, report, quick):
    report.section("Polling: 304, against nginx with a static file of the same size")
    rounds, seconds = (2, 1) if quick else (ROUNDS, 3)
    with Shunt(binary, folder, cores.server) as shunt:
        _, fields, body = ask(shunt.port, "GET", "/v1/switches")
        with Nginx(folder, cores.server, body, free_port()) as nginx:
            tags = {shunt: fields["etag"], nginx: wait_for(nginx.port)}
            for server, tag in tags.items():
                status, _, _ = ask(server.port, "GET", target(server), headers=[f"If-None-Match: {tag}"])
                if status != 304:
                    raise SystemExit(f"bench: error: {server.process.args[3]} answers {status} instead of 304")
            rows = []
            for connections in (64, 512):
                rows.append(compare(shunt, nginx, tags, connections, rounds, seconds, cores))
    header = ["connections", "nginx/shunt CPU", "shunt/nginx req/s", "shunt us", "nginx us", "req/s", "errors"]
    report.table(header, rows)
    report.note("CPU is per request, of the server alone; above 1 Shunt is cheaper. Goal: 0.9.")


def target(server):
    return "/switches" if isinstance(server, Nginx) else "/v1/switches"


def wait_for(port):
    """The tag of nginx's file, as soon as it serves."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return ask(port, "GET", "/switches")[1]["etag"]
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def compare(shunt, nginx, tags, connections, rounds, seconds, cores):
    """Rounds in turn, so that what the machine does beside falls on both alike."""
    cost = {shunt: [], nginx: []}
    rate = {shunt: [], nginx: []}
    errors = 0
    for number in range(rounds + 1):
        for server in (shunt, nginx):
            headers = [f"If-None-Match: {tags[server]}"]
            before = server.cpu_seconds()
            result = wrk.run(server.port, target(server), connections, seconds, cores.load, headers)
            used = server.cpu_seconds() - before
            # The first round warms both up.
            if number > 0:
                cost[server].append(used / result.requests * 1e6)
                rate[server].append(result.requests / result.seconds)
                errors += result.errors + result.refused
    return [
        str(connections),
        spread([n / s for s, n in zip(cost[shunt], cost[nginx])]),
        spread([s / n for s, n in zip(rate[shunt], rate[nginx])]),
        f"{median(cost[shunt]):.2f}",
        f"{median(cost[nginx]):.2f}",
        f"{median(rate[shunt]):,.0f}",
        str(errors),
    ]
