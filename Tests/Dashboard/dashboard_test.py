"""The web dashboard, in a real browser, served by the real daemon.

    python dashboard_test.py BINARY [unittest's options]

Screenshots are written to .build/screenshots, for people to look at.
"""

import signal
import sys
import unittest

import case
from browser import missing
from outage import Outage
from trust import Hostile, Many, Tokens
from visits import Calm, Restart
from words import Words

# For all of it, in seconds; a browser that hangs must not hold up CI.
PATIENCE = 600

__all__ = ["Calm", "Hostile", "Many", "Outage", "Restart", "Tokens", "Words"]


def overdue(*_):
    raise TimeoutError(f"not done within {PATIENCE} s")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if missing():
        print(f"dashboard: skipped, because there is no {' and no '.join(missing())} on this machine")
        sys.exit(0)
    signal.signal(signal.SIGALRM, overdue)
    signal.alarm(PATIENCE)
    case.begin(sys.argv.pop(1))
    try:
        unittest.main(verbosity=2)
    finally:
        case.end()
