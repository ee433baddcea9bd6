"""How long from a flip to thousands of clients that wait for it: POST of the command to the bytes read at each."""

import json
import resource
import select
import socket
import time

from http_client import Connection, ask, metric, request
from machine import Shunt
from report import percentile

POLLS = 2_000
STREAMS = 1_000


def measure(binary, folder, cores, report, quick):
    report.section(f"Fan-out: from POST of a flip to {POLLS:,} waiting polls and {STREAMS:,} streams")
    raise_file_limit(POLLS + STREAMS + 64)
    flips = 4 if quick else 40
    with Shunt(binary, folder, cores.server) as shunt:
        ask(shunt.port, "GET", "/v1/switches")
        memory = [shunt.resident_megabytes()]
        crowd = Crowd(shunt.port)
        crowd.open_streams(STREAMS)
        memory.append(shunt.resident_megabytes())
        crowd.open_polls(POLLS)
        crowd.wait_until_all_wait()
        memory.append(shunt.resident_megabytes())
        rows = []
        for name, at_once in (("all at once, then polls wait again", False), ("each poll waits again at once", True)):
            crowd.flip(at_once)
            cpu = shunt.cpu_seconds()
            rounds = [crowd.flip(at_once) for _ in range(flips)]
            cpu = (shunt.cpu_seconds() - cpu) / flips * 1000
            rows += [row(f"{name}: {kind}", [t for times in rounds for t in times[kind]]) for kind in ("streams", "polls")]
            rows.append([f"  server CPU a flip: {cpu:.0f} ms"] + [""] * 4)
        reading = [crowd.read_late() for _ in range(3)]
    report.table(["milliseconds since the POST", "p50", "p90", "p99", "max"], rows)
    report.note(f"{flips} flips each; includes one durable commit. Goal: p99 under 250 ms.")
    report.note(f"Of it the client's own: it takes {min(reading):.0f} ms to read {POLLS + STREAMS:,} sockets that are ready.")
    stream, poll = ((after - before) * 1024 for before, after in zip(memory, memory[1:]))
    report.note(f"Resident set: {stream / STREAMS:.1f} KB a stream, {poll / POLLS:.1f} KB a waiting poll.")


def row(name, values):
    return [name] + [f"{percentile(values, share):.1f}" for share in (0.5, 0.9, 0.99)] + [f"{max(values):.1f}"]


def raise_file_limit(needed):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise SystemExit(f"bench: error: {needed} open files are needed, the hard limit is {hard} (ulimit -Hn)")
    if soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


class Crowd:
    """Clients that wait, all on one epoll set, and an operator who flips the switch."""

    def __init__(self, port):
        self.port = port
        self.epoll = select.epoll()
        self.operator = Connection(port)
        document = json.loads(self.operator.ask("GET", "/v1/switches")[2])
        self.version = document["version"]
        self.is_normal = True
        self.streams = {}
        self.polls = {}

    def open_streams(self, count):
        for _ in range(count):
            client = self.connect()
            client.sendall(request("GET", "/v1/switches/stream"))
            text = b""
            while not text.endswith(b"\n\n\r\n"):
                text += client.recv(4096)
            self.check(text)
            self.streams[client.fileno()] = client
            self.epoll.register(client, select.EPOLLIN)

    def open_polls(self, count):
        for _ in range(count):
            client = self.connect()
            self.polls[client.fileno()] = client
            self.epoll.register(client, select.EPOLLIN)
        self.wait_again(self.polls.values())

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def wait_again(self, clients):
        poll = self.poll()
        for client in clients:
            client.sendall(poll)

    def poll(self):
        return request("GET", f"/v1/switches?after={self.version}&waitSec=60")

    def wait_until_all_wait(self):
        deadline = time.monotonic() + 30
        expected = (len(self.polls), len(self.streams))
        while (metric(self.port, "shunt_polls_parked"), metric(self.port, "shunt_streams")) != expected:
            if time.monotonic() > deadline:
                raise SystemExit("bench: error: not all clients wait")
            time.sleep(0.01)

    def send_flip(self):
        action = "trip" if self.is_normal else "restore"
        self.is_normal = not self.is_normal
        self.version += 1
        flip = request("POST", f"/v1/switches/apple-pay/{action}", b'{"reason":"benchmark"}')
        start = time.monotonic()
        self.operator.send(flip)
        return start

    def flip(self, at_once):
        """One flip: the milliseconds after which each client had read it."""
        start = self.send_flip()
        times = self.receive(start, self.poll() if at_once else None)
        if self.operator.receive()[0] != 200:
            raise SystemExit("bench: error: the switch wasn't flipped")
        if not at_once:
            self.wait_again(self.polls.values())
        self.wait_until_all_wait()
        return times

    def read_late(self):
        """A flip whose bytes are all there before the first is read: how long the reading alone takes."""
        self.send_flip()
        # There is no event for "has arrived at all": the metrics say that all was sent.
        time.sleep(1)
        start = time.monotonic()
        self.receive(start, None)
        milliseconds = (time.monotonic() - start) * 1000
        self.operator.receive()
        self.wait_again(self.polls.values())
        self.wait_until_all_wait()
        return milliseconds

    def receive(self, start, next_poll):
        """Reads one message at each client."""
        times = {"streams": [], "polls": []}
        read = []
        missing = len(self.streams) + len(self.polls)
        deadline = start + 30
        while missing:
            if time.monotonic() > deadline:
                raise SystemExit(f"bench: error: {missing} clients heard nothing within 30 s")
            for number, _ in self.epoll.poll(1, 256):
                client = self.polls.get(number)
                kind = "polls" if client else "streams"
                text = (client or self.streams[number]).recv(4096)
                if text == b"3\r\n:\n\n\r\n":
                    continue
                times[kind].append((time.monotonic() - start) * 1000)
                read.append(text)
                missing -= 1
                if client and next_poll:
                    client.sendall(next_poll)
        for text in read:
            self.check(text)
        return times

    def check(self, text):
        """A message of the version that is expected, whole."""
        if b'"version":%d' % self.version not in text:
            raise SystemExit(f"bench: error: version {self.version} isn't in {text[:400]!r}")
