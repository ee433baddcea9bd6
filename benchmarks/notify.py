"""How long from the crossing event to a receiver that is told: its POST to the first byte that a webhook gets."""

import json
import pathlib
import socket
import threading
import time

from events import Events
from http_client import Connection
from machine import Shunt
from report import percentile

RATE = 1_000
BATCH = 10
# The shipped rule new-code, since one alert that trips a switch keeps others like it from being told. All but the last
# of a code's events come at once; the last one crosses the threshold.
RULE = "new-code"
THRESHOLD = 5
ALERTS_A_SECOND = 2
RULES = pathlib.Path(__file__).resolve().parent.parent / "rules"
KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def measure(binary, folder, cores, report, quick):
    report.section(f"Paging: from POST of the crossing event to a webhook's first byte, at {RATE:,} events/s")
    alerts = 20 if quick else 200
    receiver = Receiver()
    (folder / "hook.key").write_text(KEY)
    config = folder / "shunt.yaml"
    config.write_text(
        "channels:\n"
        f"  - {{ name: hook, kind: webhook, url: 'http://127.0.0.1:{receiver.port}/', "
        "secretFile: ./hook.key, allowPrivate: true }\n"
    )
    with Shunt(binary, folder, cores.server, options=("--config", config, "--rules", RULES)) as shunt:
        load = Load(shunt.port)
        # The codes of the load itself fire at the beginning.
        load.run(3)
        load.start_counting()
        posted = load.run(alerts / ALERTS_A_SECOND, alerts)
        deadline = time.monotonic() + 60
        while len(receiver.told.keys() & posted.keys()) < alerts and time.monotonic() < deadline:
            time.sleep(0.05)
        rate = load.rate
    missing = posted.keys() - receiver.told.keys()
    if missing:
        raise SystemExit(f"bench: error: {len(missing)} of {alerts} alerts were never told")
    times = [(receiver.told[code] - at) * 1000 for code, at in posted.items()]
    answers = list(load.answers.values())
    report.table(
        ["milliseconds since the POST", "p50", "p90", "p99", "max"],
        [row("the receiver's first byte", times), row("the reporter has its 202", answers)],
    )
    twice = sum(count - 1 for code, count in receiver.times.items() if code in posted)
    report.note(f"{alerts} alerts of new codes, {ALERTS_A_SECOND} a second, {twice} told twice; {rate:,.0f} events/s.")
    report.note("Includes the event's durable commit and the outbox's two. Goal: p99 under 1 s.")


def row(name, values):
    return [name] + [f"{percentile(values, share):.1f}" for share in (0.5, 0.9, 0.99)] + [f"{max(values):.1f}"]


class Receiver:
    """A webhook's receiver: notes when the first byte about a code came."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.told = {}
        self.times = {}
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            with client:
                data = client.recv(65536)
                first = time.monotonic()
                while not self.is_whole(data):
                    more = client.recv(65536)
                    if not more:
                        break
                    data += more
                client.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            self.note(data, first)

    @staticmethod
    def is_whole(data):
        head, end, body = data.partition(b"\r\n\r\n")
        if not end:
            return False
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return len(body) >= int(line.split(b":")[1])
        return True

    def note(self, data, first):
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        alert = message["data"].get("alert")
        if message["type"] == "payments.alert.firing" and alert and alert["rule"] == RULE:
            code = alert["group"]["error.code"]
            self.told.setdefault(code, first)
            self.times[code] = self.times.get(code, 0) + 1


class Load:
    """A steady stream of events over one connection, with a new code now and then on another."""

    def __init__(self, port):
        self.stream = Connection(port)
        self.crossing = Connection(port)
        self.events = Events("notify")
        self.answers = {}
        self.start_counting()

    def start_counting(self):
        self.sent = 0
        self.seconds = 0

    @property
    def rate(self):
        return self.sent / self.seconds

    def run(self, seconds, alerts=0):
        """Sends for so long, and says when the crossing event of each code was posted."""
        posted = {}
        step = 1 / (ALERTS_A_SECOND * 2)
        begin = next_code = time.monotonic()
        # What the codes bring is part of the rate.
        own = ALERTS_A_SECOND * THRESHOLD if alerts else 0
        pause = BATCH / (RATE - own)
        next_batch = begin
        half = 0
        while (now := time.monotonic()) < begin + seconds or len(posted) < alerts:
            if len(posted) < alerts and now >= next_code:
                code = f"page-{len(posted)}"
                if half == 0:
                    self.post(self.crossing, THRESHOLD - 1, code=("bench", code))
                else:
                    body = self.events.batch(1, code=("bench", code))
                    at = time.monotonic()
                    self.send(self.crossing, body, 1)
                    posted[code] = at
                    self.answers[code] = (time.monotonic() - at) * 1000
                half = 1 - half
                next_code += step
            elif now >= next_batch:
                self.post(self.stream, BATCH)
                next_batch += pause
            else:
                time.sleep(min(next_batch, next_code if len(posted) < alerts else next_batch) - now)
        self.seconds += time.monotonic() - begin
        return posted

    def post(self, connection, size, **options):
        self.send(connection, self.events.batch(size, **options), size)

    def send(self, connection, body, size):
        status, _, reply = connection.ask("POST", "/v1/events", body)
        if status != 202:
            raise SystemExit(f"bench: error: {status} instead of 202: {reply[:300]!r}")
        self.sent += size
