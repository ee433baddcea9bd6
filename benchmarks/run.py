"""Measures a release build of Shunt and prints a report. Nothing is asserted: see README.md for how to read it."""

import argparse
import os
import pathlib
import platform
import shutil
import sys

import backtest
import detection
import fanout
import intake
import localise
import memory
import notify
import polling
import rules
from machine import Cores, sync_milliseconds
from report import Report

SECTIONS = {
    "polling": polling.measure,
    "batches": intake.measure_batches,
    "singles": intake.measure_singles,
    "detection": detection.measure,
    "fanout": fanout.measure,
    "notify": notify.measure,
    "memory": memory.measure,
    "rules": rules.measure,
    "backtest": backtest.measure,
    "localise": localise.measure,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the shunt executable to measure")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="one section; may be given several times")
    parser.add_argument("--quick", action="store_true", help="short rounds: to see that it runs, not to compare")
    arguments = parser.parse_args()

    binary = pathlib.Path(arguments.binary).resolve()
    if not os.access(binary, os.X_OK):
        sys.exit(f"bench: error: {arguments.binary} isn't an executable")

    # On the same disk as the package, not on a memory file system: syncing is half of what is measured.
    folder = pathlib.Path(__file__).resolve().parent / "out"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    cores = Cores()
    report = Report()
    report.title(f"Shunt benchmarks, {platform.machine()}, Linux {platform.release()}")
    report.note(f"server on core {cores.server}, load on core {cores.load}; of {os.cpu_count()} cores")
    report.note(f"load average before: {os.getloadavg()[0]:.2f} (above 0.5 the figures are of a busy machine)")
    report.note(f"one 4 KiB write and fdatasync on this disk: {sync_milliseconds(folder):.2f} ms (median)")
    for name in arguments.only or SECTIONS:
        SECTIONS[name](binary, folder, cores, report, arguments.quick)
    # Left behind when something failed: the daemon's log is in it.
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
