"""A daemon that serves: the real binary on a free port and folders of its own, ended by its process id."""

import json
import pathlib
import select
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# `card` recovers by probes, so that a share of installs is soon to be seen trying the normal way.
SWITCHES = """
switches:
  - key: card
    variants: { normal: native, degraded: web }
    recovery: { mode: probe, coolDown: 1s, coolDownMax: 1s, probe: 50% }
  - key: apple-pay
    variants: { normal: native, degraded: web }
"""
ALERTS = """
rules:
  - id: card-burst
    description: Three failures move the payers of cards
    match: { paymentMethod: card }
    groupBy: [error.code]
    count: events
    threshold: 3
    window: 1m
    alert: { severity: critical, holdFor: 10m }
    trip: { switch: card, scope: [environment] }
"""
READY = "shunt: ready on "
READY_SECONDS = 30


class Answer:
    """A reply to a plain request, whatever its status."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Daemon:
    """Use it in a `with`, or call `stop`."""

    def __init__(self, binary, configuration=""):
        self.folder = tempfile.TemporaryDirectory(prefix="shunt-openfeature-")
        try:
            self.process = self._start(pathlib.Path(self.folder.name), binary, configuration)
        except BaseException:
            self.folder.cleanup()
            raise
        try:
            self.url = self._ready()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @staticmethod
    def _start(folder, binary, configuration):
        rules = folder / "rules"
        (rules / "alerts").mkdir(parents=True)
        (rules / "switches.yaml").write_text(SWITCHES)
        (rules / "alerts" / "card.yaml").write_text(ALERTS)
        (folder / "shunt.yaml").write_text(configuration)
        with open(folder / "log", "wb") as log:
            return subprocess.Popen(
                [binary, "serve", "--config", folder / "shunt.yaml", "--listen", "127.0.0.1:0"]
                + ["--data", folder / "data", "--rules", rules],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def _ready(self):
        deadline = time.monotonic() + READY_SECONDS
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            # One byte at a time: a reader with a buffer would hide from select what it has read already.
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise RuntimeError(f"no ready line within {READY_SECONDS} s: {line!r}")
            byte = self.process.stdout.read1(1)
            if not byte:
                log = (pathlib.Path(self.folder.name) / "log").read_text()
                raise RuntimeError(f"shunt serve ended: {line!r} {log}")
            line += byte
        return line.decode().strip().removeprefix(READY)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def ask(self, target, body=None, headers=None, method=None):
        """Sends a plain request; a body is sent as JSON."""
        fields = dict(headers or {})
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            fields.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.url + target, data, fields, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as reply:
                return Answer(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    def stream(self, target):
        """Opens a stream; each read waits for at most 10 s."""
        return urllib.request.urlopen(self.url + target, timeout=10)

    def move(self, action, scope=None, key="apple-pay"):
        answer = self.ask(f"/v1/switches/{key}/{action}", {"reason": "test", "scope": scope or {}})
        assert answer.status == 200, answer.body
