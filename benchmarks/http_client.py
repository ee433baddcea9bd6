"""An HTTP/1.1 client on a bare socket: enough for our own server, and nothing between the clock and the wire."""

import socket


def request(method, target, body=b"", headers=()):
    """The bytes of one request."""
    lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Connection:
    """One connection that is kept alive."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """The next reply: status, header fields by their names in lower case, and body."""
        while b"\r\n\r\n" not in self.buffer:
            self._read()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        status_line, *lines = head.decode("latin-1").split("\r\n")
        status = int(status_line.split(" ", 2)[1])
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        length = 0 if status in (204, 304) else int(fields.get("content-length", 0))
        while len(self.buffer) < length:
            self._read()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return status, fields, body

    def ask(self, method, target, body=b"", headers=()):
        self.send(request(method, target, body, headers))
        return self.receive()

    def _read(self):
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError("the server closed the connection")
        self.buffer += chunk


def ask(port, method, target, body=b"", headers=()):
    """One request on a connection of its own."""
    connection = Connection(port)
    try:
        return connection.ask(method, target, body, headers)
    finally:
        connection.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def metric(port, name):
    """One figure of /metrics, or None when it isn't there."""
    _, _, body = ask(port, "GET", "/metrics")
    for line in body.decode().splitlines():
        if line.startswith(name + " ") or line.startswith(name + "{"):
            return float(line.rsplit(" ", 1)[1])
    return None
