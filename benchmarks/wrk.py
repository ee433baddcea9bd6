"""wrk, and what it prints."""

import re
import subprocess

UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0}


class Result:
    """What one run of wrk has counted."""

    def __init__(self, text):
        self.text = text
        requests, seconds = re.search(r"(\d+) requests in ([\d.]+)s", text).groups()
        self.requests = int(requests)
        self.seconds = float(seconds)
        refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
        self.refused = int(refused.group(1)) if refused else 0
        errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
        self.errors = sum(map(int, errors.groups())) if errors else 0

    def milliseconds(self, percent):
        """The latency below which this percentage of the requests lies."""
        value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)", self.text).groups()
        return float(value) * UNITS[unit]


def run(port, target, connections, seconds, core, headers=(), script=None):
    command = ["taskset", "--cpu-list", str(core), "wrk", "--latency", "--threads", "1"]
    command += ["--connections", str(connections), "--duration", f"{seconds}s"]
    for header in headers:
        command += ["--header", header]
    if script:
        command += ["--script", str(script)]
    command.append(f"http://127.0.0.1:{port}{target}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"bench: error: wrk failed: {done.stdout}{done.stderr}")
    return Result(done.stdout)
