"""What runs where: cores, processes pinned to one, and what they used."""

import os
import pathlib
import re
import select
import shutil
import signal
import statistics
import subprocess
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Cores:
    """One core for the server under test and another for the load, so that neither takes from the other."""

    def __init__(self):
        usable = sorted(os.sched_getaffinity(0))
        self.server = usable[-1]
        self.load = usable[0]
        # Python itself is load.
        os.sched_setaffinity(0, {self.load})


def sync_milliseconds(folder, writes=60):
    """What one small durable write costs on this disk, to read the others by."""
    path = folder / "sync"
    times = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(writes):
            start = time.monotonic()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append((time.monotonic() - start) * 1000)
    path.unlink()
    return statistics.median(times)


class Server:
    """A process pinned to the server's core, ended by its own process id."""

    def __init__(self, arguments, core, **options):
        command = ["taskset", "--cpu-list", str(core), *map(str, arguments)]
        # taskset replaces itself by the command, so the process id is the server's.
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def cpu_seconds(self):
        """User and system time of all its threads so far."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        # The name may hold spaces; the fields are counted from behind it.
        fields = stat[stat.rindex(")") + 2 :].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def resident_megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


class Shunt(Server):
    """A daemon on a free port and a fresh folder (unless told to keep what is in it)."""

    def __init__(self, binary, folder, core, keep=False, options=()):
        self.data = folder / "data"
        if not keep:
            shutil.rmtree(self.data, ignore_errors=True)
        self.log = open(folder / "shunt.log", "ab")
        start = time.monotonic()
        super().__init__(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", self.data, *options],
            core,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.port = self._wait_until_ready(60)
        self.start_seconds = time.monotonic() - start

    def _wait_until_ready(self, seconds):
        text = b""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                chunk = os.read(self.process.stdout.fileno(), 4096)
                if not chunk:
                    break
                text += chunk
                ready = re.search(rb"shunt: ready on http://[\d.]+:(\d+)\n", text)
                if ready:
                    return int(ready.group(1))
        self.stop()
        raise SystemExit(f"bench: error: shunt serve didn't get ready; see {self.log.name}")

    def stop(self):
        super().stop()
        self.process.stdout.close()
        self.log.close()


class Nginx(Server):
    """nginx as a single process that serves one static file as fast as it can."""

    def __init__(self, folder, core, body, port):
        root = folder / "nginx"
        root.mkdir(exist_ok=True)
        (root / "switches").write_bytes(body)
        temporary = " ".join(
            f"{kind}_temp_path {root}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (root / "nginx.conf").write_text(
            f"""
            daemon off;
            master_process off;
            worker_processes 1;
            pid {root}/pid;
            error_log {root}/error.log;
            events {{ worker_connections 2048; use epoll; }}
            http {{
                {temporary}
                access_log off;
                default_type application/json;
                sendfile on;
                tcp_nodelay on;
                etag on;
                keepalive_requests 1000000000;
                open_file_cache max=16;
                open_file_cache_valid 1h;
                # The same field that Shunt sends, so that both write the same answer.
                add_header Cache-Control "public, max-age=5, stale-while-revalidate=30, stale-if-error=600";
                server {{ listen 127.0.0.1:{port}; root {root}; }}
            }}
            """
        )
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        super().__init__(
            [binary, "-p", root, "-c", root / "nginx.conf"],
            core,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.port = port
