"""One daemon of the given binary, with rules that trip soon, a dashboard, and a folder of its own."""

import http.server
import json
import pathlib
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

WEB = pathlib.Path(__file__).resolve().parents[2] / "dashboards"
READY = "shunt: ready on "
READY_SECONDS = 60

SWITCHES = """
switches:
  - key: apple-pay
    variants: { normal: native, degraded: web }
    recovery: { mode: probe, coolDown: 10m, coolDownMax: 10m, probe: 2% }
  - key: card
    variants: { normal: native, degraded: web }
    mode: dryRun
"""
ALERTS = """
rules:
  - id: burst
    description: Five failures move the payers of Apple Pay
    match: { paymentMethod: applePay }
    groupBy: [error.domain, error.code]
    count: events
    threshold: 5
    window: 5m
    alert: { severity: critical, holdFor: 10m }
    trip: { switch: apple-pay, scope: [environment] }
  - id: slice
    description: Three failures with a card in a region
    match: { paymentMethod: card }
    groupBy: [region, error.code]
    count: events
    threshold: 3
    window: 5m
    alert: { severity: warning, holdFor: 10m }
    trip: { switch: card, scope: [environment, region] }
  - id: each
    description: Every failing code is an alert
    match: { paymentMethod: many }
    groupBy: [error.domain, error.code]
    count: events
    threshold: 1
    window: 5m
    alert: { severity: warning, holdFor: 10m }
  - id: typo
    description: Nothing is ever called so
    match: { paymentMethod: aplePay }
    groupBy: [error.code]
    count: events
    threshold: 5
    window: 5m
    alert: { severity: warning, holdFor: 10m }
"""


class Receiver:
    """Takes webhooks, so that an alert has notices with an answer."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(200)
                self.send_header("Content-Length", "8")
                self.end_headers()
                self.wfile.write(b"received")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Daemon:
    """Call `stop` in the end; `end` and `start` are a restart on the same port and data."""

    def __init__(self, binary, configuration=""):
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory(prefix="shunt-dashboard-")
        self.path = pathlib.Path(self.folder.name)
        (self.path / "rules" / "alerts").mkdir(parents=True)
        (self.path / "rules" / "switches.yaml").write_text(SWITCHES)
        (self.path / "rules" / "alerts" / "test.yaml").write_text(ALERTS)
        self.receiver = Receiver()
        channel = f"channels: [ {{ name: oncall, kind: webhook, url: \"http://127.0.0.1:{self.receiver.port}/\", allowPrivate: true }} ]\n"
        (self.path / "shunt.yaml").write_text(channel + configuration)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        with open(self.path / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--config", self.path / "shunt.yaml", "--listen", f"127.0.0.1:{self.port}"]
                + ["--data", self.path / "data", "--rules", self.path / "rules", "--dashboards", WEB],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        deadline = time.monotonic() + READY_SECONDS
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise RuntimeError(f"no ready line within {READY_SECONDS} s: {line!r}")
            byte = self.process.stdout.read1(1)
            if not byte:
                raise RuntimeError(f"shunt serve ended: {line!r} {(self.path / 'log').read_text()}")
            line += byte
        assert line.decode().startswith(READY), line

    def end(self):
        """Ends the process, and leaves its data."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process = None

    def stop(self):
        self.end()
        self.receiver.stop()
        self.folder.cleanup()

    def ask(self, target, body=None, method=None, token=None):
        """The answer's JSON; a body is sent as JSON."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + target, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                return json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{target}: {error.code} {error.read()!r}") from None

    def report(self, events, token=None):
        """Reports failures, as many at a time as the daemon takes."""
        for start in range(0, len(events), 1000):
            verdict = self.ask("/v1/events", events[start : start + 1000], token=token)
            assert not verdict["rejected"], verdict["rejected"][:3]

    def alert(self, rule):
        """The newest alert of a rule."""
        return self.ask(f"/v1/alerts?rule={rule}")["alerts"][0]["id"]


def failure(number, code="8771", domain="verify", **others):
    """A failure of Apple Pay in the app."""
    return {
        "eventId": f"{domain}-{code}-{number}-{others.get('paymentMethod', '')}",
        "source": "ios",
        "paymentMethod": "applePay",
        "network": "chinaUnionPay",
        "route": "native",
        "stage": "tokenSubmit",
        "error": {"domain": domain, "code": code, "message": "merchant isn't known"},
        "attemptId": f"attempt-{code}-{number}",
        "orderRef": f"INT-2024-{number:04}",
        "installId": f"install-{number}",
        "app": {"version": "4.2.0"},
        "os": {"name": "iOS", "version": "17.4.1"},
        "region": "CN",
        "amount": {"minor": 39900, "currency": "CNY"},
    } | others
