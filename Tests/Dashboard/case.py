"""What the tests of the dashboard share: a daemon for each class of tests, and one browser for all."""

import pathlib
import unittest

from browser import Browser
from daemon import Daemon

PICTURES = pathlib.Path(__file__).resolve().parents[2] / ".build" / "screenshots"


class Shared:
    """Set once, by whoever runs the tests."""

    binary = ""
    browser = None


def begin(binary):
    Shared.binary = binary
    Shared.browser = Browser()
    PICTURES.mkdir(parents=True, exist_ok=True)


def end():
    Shared.browser.quit()


class Case(unittest.TestCase):
    """A daemon for each class of tests, and the one browser, as on a first visit."""

    configuration = ""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(Shared.binary, cls.configuration)
        cls.url = cls.daemon.url

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()

    def setUp(self):
        self.browser = Shared.browser
        self.browser.size(1200)
        self.browser.forget(self.url)

    def quiet(self):
        """Nothing was said on the console that somebody should look at; missing addresses are no fault of a page."""
        loud = [line for line in self.browser.log() if "404" not in line and "favicon" not in line]
        self.assertEqual(loud, [])
