"""The daemon, driven by a stock OpenFeature client over OFREP.

    python ofrep_test.py BINARY
"""

import hashlib
import signal
import sys
import time
import unittest

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason

from daemon import Daemon

# For all of it, in seconds; a daemon that hangs must not hold up CI.
PATIENCE = 180
FLAGS = "/ofrep/v1/evaluate/flags"
BINARY = ""


def client(daemon, **options):
    """A client with a provider of its own."""
    api.set_provider(OFREPProvider(daemon.url, **options), domain=daemon.url)
    return api.get_client(domain=daemon.url)


class Flags(unittest.TestCase):
    """What the client makes of the daemon's answers."""

    def setUp(self):
        self.daemon = Daemon(BINARY)
        self.addCleanup(self.daemon.stop)
        self.client = client(self.daemon)

    def details(self, context=None, key="apple-pay", default="the app's own"):
        return self.client.get_string_details(key, default, context)

    def expect(self, context, value, reason):
        details = self.details(context)
        self.assertIsNone(details.error_code, details.error_message)
        self.assertEqual((details.value, details.variant, details.reason), (value, value, reason))
        return details.flag_metadata

    def test_a_switch_is_a_string_flag(self):
        metadata = self.expect(EvaluationContext("install-1"), "native", Reason.STATIC)
        document = self.daemon.ask("/v1/switches").json
        self.assertEqual(metadata["switchVersion"], document["version"])
        self.assertEqual(metadata["epoch"], document["epoch"])
        # Neither a key nor a context is needed.
        self.expect(EvaluationContext(attributes={"region": "CN"}), "native", Reason.STATIC)
        self.expect(None, "native", Reason.STATIC)

    def test_the_flag_moves_with_its_switch(self):
        self.daemon.move("trip")
        metadata = self.expect(EvaluationContext("install-1"), "web", Reason.TARGETING_MATCH)
        self.assertEqual(metadata["switchVersion"], self.daemon.ask("/v1/switches").json["version"])
        self.expect(EvaluationContext("install-1", {"environment": "sandbox"}), "native", Reason.STATIC)
        self.daemon.move("restore")
        self.expect(EvaluationContext("install-1"), "native", Reason.STATIC)

    def test_a_slice_is_matched_by_the_context(self):
        self.daemon.move("trip", {"region": "CN", "app.version": "4.2.0"})
        inside = {"region": "CN", "app": {"version": "4.2.0"}, "isNew": True, "visits": 5, "tags": ["a"]}
        metadata = self.expect(EvaluationContext("install-1", inside), "web", Reason.TARGETING_MATCH)
        self.assertEqual(metadata["decidedBy"], "app.version=4.2.0, region=CN")
        flat = {"region": "CN", "app.version": "4.2.0"}
        self.expect(EvaluationContext("install-1", flat), "web", Reason.TARGETING_MATCH)
        for outside in [{"region": "US", "app.version": "4.2.0"}, {"region": "CN"}, {}]:
            self.expect(EvaluationContext("install-1", outside), "native", Reason.STATIC)

    def test_while_a_share_tries_the_install_decides(self):
        for number in range(3):
            event = {"eventId": str(number), "paymentMethod": "card", "error": {"code": "1"}}
            self.assertEqual(self.daemon.ask("/v1/events", event).status, 202)
        until = time.monotonic() + 20
        while self.details(key="card").reason != Reason.SPLIT and time.monotonic() < until:
            time.sleep(0.05)
        variants = set()
        for number in range(40):
            details = self.details(EvaluationContext(f"install-{number}"), key="card")
            self.assertEqual(details.reason, Reason.SPLIT)
            plain = self.daemon.ask(f"/v1/switches/card?installId=install-{number}").json
            self.assertEqual(details.value, plain["variant"])
            variants.add(details.value)
        self.assertEqual(variants, {"native", "web"})
        # Nobody without a key is sent the way that may be broken.
        self.assertEqual(self.details(key="card").value, "web")

    def test_what_fails_gives_the_apps_own_value_and_says_why(self):
        rows = [
            ("nope", EvaluationContext("i"), ErrorCode.FLAG_NOT_FOUND, "no switch is called nope"),
            ("apple-pay", EvaluationContext("i", {"environment": 5}), ErrorCode.INVALID_CONTEXT, "context.environment"),
            ("apple-pay", EvaluationContext(7), ErrorCode.INVALID_CONTEXT, "context.targetingKey"),
        ]
        for key, context, code, message in rows:
            with self.subTest(key=key, context=context):
                details = self.details(context, key)
                self.assertEqual(details.value, "the app's own")
                self.assertEqual(details.reason, Reason.ERROR)
                self.assertEqual(details.error_code, code)
                self.assertIn(message, details.error_message)
        # The client takes 400 with this code for the same; others don't.
        self.assertEqual(self.daemon.ask(f"{FLAGS}/nope", {"context": {}}).status, 404)
        details = self.client.get_boolean_details("apple-pay", True)
        self.assertEqual((details.value, details.error_code), (True, ErrorCode.TYPE_MISMATCH))


class Tokens(unittest.TestCase):
    """Polls that need a token."""

    def test_the_client_shows_its_token(self):
        token = "shunt_" + "t" * 43
        digest = hashlib.sha256(token.encode()).hexdigest()
        configuration = (
            f'tokens:\n  - {{ name: "shop", role: report, trust: public, sha256: "{digest}" }}\n'
            "switches: { public: false }\n"
        )
        with Daemon(BINARY, configuration) as daemon:
            stranger = client(daemon).get_string_details("apple-pay", "own")
            self.assertEqual((stranger.value, stranger.error_message), ("own", "unauthorized"))
            shop = client(daemon, headers_factory=lambda: {"Authorization": f"Bearer {token}"})
            details = shop.get_string_details("apple-pay", "own")
            self.assertEqual((details.value, details.error_code), ("native", None))


class Bulk(unittest.TestCase):
    """What providers in pages and apps ask; Python's doesn't, so it's asked plainly."""

    def setUp(self):
        self.daemon = Daemon(BINARY)
        self.addCleanup(self.daemon.stop)

    def ask(self, context, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.daemon.ask(FLAGS, {"context": context}, fields)

    def test_all_flags_with_a_validator(self):
        first = self.ask({"targetingKey": "install-1"})
        self.assertEqual(first.status, 200)
        self.assertEqual(first.headers["Content-Type"], "application/json")
        flags = first.json["flags"]
        self.assertEqual([flag["key"] for flag in flags], ["apple-pay", "card"])
        self.assertEqual({flag["value"] for flag in flags}, {"native"})
        etag = first.headers["ETag"]
        for field in [etag, f'W/{etag}, "x"', f'"x", {etag}', "*"]:
            again = self.ask({"targetingKey": "install-1"}, If_None_Match=field)
            self.assertEqual((again.status, again.body, again.headers["ETag"]), (304, b"", etag))
        self.daemon.move("trip", {"region": "CN"})
        moved = self.ask({"targetingKey": "install-1", "region": "CN"}, If_None_Match=etag)
        self.assertEqual((moved.status, moved.json["flags"][0]["value"]), (200, "web"))
        # An attribute changed, and the client still has the other's validator.
        elsewhere = self.ask({"targetingKey": "install-1"}, If_None_Match=moved.headers["ETag"])
        self.assertEqual((elsewhere.status, elsewhere.json["flags"][0]["value"]), (200, "native"))

    def test_the_stream_that_is_announced_tells_of_a_flip(self):
        before = self.ask({"environment": "sandbox"})
        (announced,) = before.json["eventStreams"]
        self.assertEqual(announced["type"], "sse")
        with self.daemon.stream(announced["endpoint"]["requestUri"]) as stream:
            self.daemon.move("trip", {"environment": "sandbox"})
            version = self.daemon.ask("/v1/switches?environment=sandbox").json["version"]
            line = b""
            while f'"version":{version}'.encode() not in line:
                line = stream.readline()
                self.assertTrue(line, "the stream ended")
        self.assertIn(b'"type":"refetchEvaluation"', line)
        after = self.ask({"environment": "sandbox"}, If_None_Match=before.headers["ETag"])
        self.assertEqual(after.status, 200)
        self.assertEqual(after.json["metadata"]["switchVersion"], version)

    def test_a_page_is_let_through(self):
        asked = {"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"}
        answer = self.daemon.ask(FLAGS, headers=asked, method="OPTIONS")
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (204, "*"))
        self.assertIn("ETag", self.ask({}).headers["Access-Control-Expose-Headers"])
        refused = self.daemon.ask("/v1/switches/apple-pay/trip", headers=asked, method="OPTIONS")
        self.assertEqual((refused.status, refused.headers["Access-Control-Allow-Origin"]), (405, None))


def overdue(*_):
    raise TimeoutError(f"not done within {PATIENCE} s")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    BINARY = sys.argv.pop()
    signal.signal(signal.SIGALRM, overdue)
    signal.alarm(PATIENCE)
    unittest.main(verbosity=2)
