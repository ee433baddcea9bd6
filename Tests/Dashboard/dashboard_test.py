"""The web dashboard, in a real browser, served by the real daemon.

    python dashboard_test.py BINARY [unittest's options]

Screenshots are written to .build/screenshots, for people to look at.
"""

import hashlib
import pathlib
import re
import shutil
import signal
import sys
import time
import unittest

from browser import Browser, Keys, missing
from daemon import WEB, Daemon, failure

# For all of it, in seconds; a browser that hangs must not hold up CI.
PATIENCE = 600
PICTURES = pathlib.Path(__file__).resolve().parents[2] / ".build" / "screenshots"
BINARY = ""
BROWSER = None


def setUpModule():
    global BROWSER
    BROWSER = Browser()
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)


def tearDownModule():
    BROWSER.quit()


class Case(unittest.TestCase):
    """A daemon for each class of tests, and the one browser, as on a first visit."""

    configuration = ""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(BINARY, cls.configuration)
        cls.url = cls.daemon.url

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()

    def setUp(self):
        self.browser = BROWSER
        self.browser.size(1200)
        self.browser.forget(self.url)

    def quiet(self):
        """Nothing was said on the console that somebody should look at; missing addresses are no fault of a page."""
        loud = [line for line in self.browser.log() if "404" not in line and "favicon" not in line]
        self.assertEqual(loud, [])


class Calm(Case):
    """A daemon at which nothing has failed."""

    def test_a_first_visit_is_calm_and_asks_nobody_else(self):
        self.browser.open(self.url)
        self.browser.sees("No alerts.")
        self.browser.sees("apple-pay", ".switches")
        self.browser.sees("live", "header")
        names = self.browser.script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertTrue(names)
        self.assertEqual([name for name in names if not name.startswith(self.url + "/")], [])
        self.assertEqual(self.browser.script("return document.querySelectorAll('[style], script:not([src])').length"), 0)
        self.quiet()

    def test_the_policy_stops_what_isnt_ours(self):
        self.browser.open(self.url)
        self.browser.script(
            "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
        )
        self.assertIsNone(self.browser.script("return window.ran ?? null"))
        self.assertTrue(any("Content Security Policy" in line for line in self.browser.log()))

    def test_keys_are_enough(self):
        self.browser.open(self.url)
        self.browser.script("document.activeElement?.blur()")
        self.browser.press(Keys.TAB)
        self.assertEqual(self.browser.script("return document.activeElement.className"), "skip")
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.script("return document.activeElement.localName"), "main")
        self.browser.press(Keys.TAB, Keys.TAB)
        self.browser.wait(lambda: self.browser.script("return document.activeElement.textContent") == "Override", "focus")
        self.browser.press(Keys.ENTER)
        self.browser.wait(lambda: self.browser.all("dialog[open]"), "the dialog")
        self.assertEqual(self.browser.script("return document.activeElement.closest('dialog') !== null"), True)
        self.browser.press(Keys.ESCAPE)
        self.browser.wait(lambda: not self.browser.all("dialog"), "the dialog closes")
        self.assertEqual(self.browser.script("return document.activeElement.textContent"), "Override")

    def test_a_code_that_never_came_says_what_is_known(self):
        self.browser.open(self.url, "/errors/51?domain=iso8583")
        self.browser.sees("No event in production had this code")
        self.browser.sees("payer", "main")

    def test_the_head_finds_a_code(self):
        self.browser.open(self.url)
        self.browser.fill(".find input", "verify/8771")
        self.browser.press(Keys.ENTER)
        self.browser.sees("verify/8771", "main h1")

    def test_chinese_stays_chosen(self):
        self.browser.open(self.url)
        self.browser.click("header button", "中文")
        self.browser.sees("现况", "header")
        self.browser.sees("没有告警。")
        self.browser.driver.refresh()
        self.browser.sees("没有告警。")
        self.assertEqual(self.browser.script("return document.documentElement.lang"), "zh-CN")
        self.browser.click("header button", "English")
        self.browser.sees("No alerts.")

    def test_dark_stays_chosen(self):
        self.browser.open(self.url, theme="light")
        self.browser.click("header button", "Dark")
        self.browser.driver.refresh()
        self.browser.sees("No alerts.")
        self.assertEqual(self.browser.script("return getComputedStyle(document.documentElement).colorScheme"), "dark")

    def test_a_page_that_isnt_there_says_so(self):
        self.browser.open(self.url, "/nothing")
        self.browser.sees("There is no such page")
        self.browser.open(self.url, "/alerts/9-9")
        self.browser.sees("Not found")


class Outage(Case):
    """Payers are failing, and people act."""

    def test_1_a_flip_is_seen_and_spoken_without_a_reload(self):
        self.browser.open(self.url)
        self.browser.sees("No alerts.")
        self.browser.script("window.mark = 'same page'")
        begun = time.monotonic()
        self.daemon.report([failure(number) for number in range(6)])
        self.browser.sees("DEGRADED", ".switches")
        took = time.monotonic() - begun
        self.browser.sees("verify/8771", ".alerts")
        self.browser.sees("payers go to web", "[aria-live]")
        self.assertEqual(self.browser.script("return window.mark"), "same page")
        # The stream tells of it; polls alone would take three seconds.
        self.assertLess(took, 2.5)
        self.browser.sees("probing starts in", ".switches")
        self.browser.sees("6 payers", ".alerts")
        self.browser.sees("¥2,394.00", ".alerts")
        self.quiet()

    def test_2_an_alert_is_acknowledged(self):
        self.browser.open(self.url)
        self.browser.click(".alerts button", "Acknowledge")
        self.browser.fill("dialog textarea", "calling the bank")
        self.assertEqual(self.browser.confirm(), "Take it: no reminders for 1 h")
        self.browser.sees("acknowledged by", ".alerts")
        self.browser.sees("is acknowledged", "[aria-live]")
        alert = self.daemon.ask(f"/v1/alerts/{self.daemon.alert('burst')}")
        self.assertEqual(alert["acknowledgement"]["note"], "calling the bank")

    def test_3_an_alerts_page_tells_all_of_it(self):
        self.browser.open(self.url, f"/alerts/{self.daemon.alert('burst')}")
        for text in ["First failure", "Threshold crossed at 5", "tripped by a rule", "calling the bank", "HTTP 200"]:
            self.browser.sees(text, "main")
        self.browser.sees("distinct installs", "main")
        self.assertIn("threshold 5", self.browser.script("return document.querySelector('.chart').textContent"))
        self.assertTrue(self.browser.script("return [...document.querySelectorAll('time')].every((t) => t.title.endsWith('UTC'))"))

    def test_4_an_alert_is_silenced_and_told_again(self):
        self.browser.open(self.url, f"/alerts/{self.daemon.alert('burst')}")
        self.browser.click(".title button", "Silence")
        self.browser.fill("dialog textarea", "certificate is being renewed")
        self.assertEqual(self.browser.confirm(), "Tell nobody for 30 min")
        self.browser.sees("silenced", "main")
        self.browser.go("/alerts")
        self.browser.sees("certificate is being renewed", "main")
        self.browser.click(".row button", "End")
        self.assertEqual(self.browser.confirm(), "Tell of 1 hidden alert again")
        self.browser.sees("No silences.")
        self.assertEqual(self.daemon.ask("/v1/silences")["silences"], [])

    def test_5_a_switch_is_restored_overridden_and_given_back(self):
        self.browser.open(self.url, "/switches/apple-pay")
        self.browser.click(".row button", "Restore")
        self.browser.fill("dialog textarea", "certificate replaced")
        self.assertEqual(self.browser.confirm(), "Send 100 % of payers (production) to native")
        self.browser.sees("restored by a person", "main")
        self.browser.click(".row button", "Override")
        # Nothing is done without a reason.
        self.browser.click("dialog button.primary")
        self.assertTrue(self.browser.all("dialog"))
        self.browser.fill("dialog textarea", "bank works on it")
        self.assertEqual(self.browser.confirm(), "Send 100 % of payers (production) to web for at most 1 h")
        self.browser.sees("automation alone: native", "main")
        self.assertEqual(self.daemon.ask("/v1/switches/apple-pay?installId=i")["variant"], "web")
        self.browser.click(".row button", "End override")
        self.browser.fill("dialog textarea", "done")
        self.assertEqual(self.browser.confirm(), "Let the automation decide again")
        self.browser.wait(lambda: "automation alone: native" in self.browser.text("main") and self.daemon.ask("/v1/switches/apple-pay?installId=i")["variant"] == "native", "native again")
        self.browser.go("/audit")
        self.browser.sees("bank works on it", "main")

    def test_6_a_dry_run_says_what_it_would_have_done(self):
        self.daemon.report([failure(number, "7001", paymentMethod="card", region="US") for number in range(3)])
        self.browser.open(self.url, "/switches/card")
        self.browser.sees("dry run", ".title")
        self.browser.sees("would have moved payers", "main")

    def test_7_an_error_code_tells_all_of_itself(self):
        self.browser.open(self.url, "/errors/8771?domain=verify")
        for text in ["Last hour", "app.version", "INT-2024-0005", "merchant isn't known", "burst", "¥2,394.00"]:
            self.browser.sees(text, "main")
        self.browser.click(".title button", "Copy code")
        self.browser.wait(lambda: "opied" in self.browser.text("[aria-live]") or "allow" in self.browser.text("[aria-live]"), "an answer")

    def test_8_rules_say_what_they_never_met(self):
        self.browser.open(self.url, "/rules")
        self.browser.sees("typo", "[aria-label='Never matched']")
        self.assertNotIn("burst", self.browser.text("[aria-label='Never matched']"))
        self.browser.click(".title button", "Reload")
        self.assertEqual(self.browser.confirm(), "Read the files and put them in force")
        self.browser.sees("The rules were read again", "[aria-live]")

    def test_9_every_page_in_both_themes_and_languages_and_on_a_phone(self):
        pages = {
            "now": "/",
            "alerts": "/alerts",
            "alert": f"/alerts/{self.daemon.alert('burst')}",
            "error": "/errors/8771?domain=verify",
            "switch": "/switches/apple-pay",
            "rules": "/rules",
            "audit": "/audit",
            "attempt": "/attempts/attempt-8771-1",
        }
        self.daemon.ask("/v1/switches/apple-pay/trip", {"reason": "gateway announces an outage", "scope": {"region": "US"}})
        for language in ["en", "zh"]:
            for theme in ["light", "dark"]:
                for width in [1200, 360]:
                    self.browser.size(width)
                    self.browser.open(self.url, "/", theme=theme, language=language)
                    for name, path in pages.items():
                        with self.subTest(page=name, language=language, theme=theme, width=width):
                            self.browser.go(path)
                            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width)
                            self.browser.picture(PICTURES / f"{name}-{language}-{theme}-{width}.png")
                            if width == 1200 or name in ("now", "alert"):
                                self.assertEqual(self.browser.violations(), [])
        self.quiet()

    def test_a_dialog_has_nothing_that_keeps_people_out(self):
        for theme in ["light", "dark"]:
            self.browser.open(self.url, "/switches/apple-pay", theme=theme)
            self.browser.click(".row button", "Override")
            self.browser.wait(lambda: self.browser.all("dialog[open]"), "the dialog")
            self.browser.driver.save_screenshot(str(PICTURES / f"dialog-{theme}.png"))
            self.assertEqual(self.browser.violations(), [])


class Restart(Case):
    """The daemon goes and comes back."""

    def test_the_page_says_so_and_goes_on(self):
        self.daemon.report([failure(number) for number in range(5)])
        self.browser.open(self.url)
        self.browser.sees("DEGRADED", ".switches")
        self.browser.script("window.mark = 'same page'")
        self.daemon.end()
        self.browser.sees("Shunt hasn't answered since", "[role=alert]")
        self.browser.sees("no answer", "header")
        # What was known stays.
        self.browser.sees("DEGRADED", ".switches")
        self.browser.picture(PICTURES / "gone.png")
        self.assertEqual(self.browser.violations(), [])
        self.browser.click(".switches button", "Override")
        self.browser.fill("dialog textarea", "nobody hears it")
        self.browser.click("dialog button.primary")
        self.browser.sees("doesn't answer", "dialog")
        self.browser.press(Keys.ESCAPE)
        self.daemon.start()
        self.browser.wait(lambda: not self.browser.all(".banner"), "the banner goes")
        self.browser.sees("DEGRADED", ".switches")
        self.assertEqual(self.browser.script("return window.mark"), "same page")


TOKENS = {name: f"shunt_{name[0] * 43}" for name in ["reader", "operator", "phone"]}
ROLES = {"reader": "role: read", "operator": "role: operate", "phone": "role: report, trust: trusted"}


class Tokens(Case):
    """Who may look, and who may act."""

    configuration = "tokens:\n" + "".join(
        f'  - {{ name: {name}, {ROLES[name]}, sha256: "{hashlib.sha256(text.encode()).hexdigest()}" }}\n'
        for name, text in TOKENS.items()
    )

    def enter(self, text):
        self.browser.click(".tools button:last-child")
        self.browser.fill("dialog input", text)
        self.browser.click("dialog button.primary")

    def test_roles(self):
        self.daemon.report([failure(number) for number in range(5)], token=TOKENS["phone"])
        self.browser.open(self.url)
        self.browser.sees("A token is needed")
        self.assertNotIn("8771", self.browser.text())
        self.browser.picture(PICTURES / "token.png")
        self.enter("shunt_" + "x" * 43)
        self.browser.sees("isn't among those configured", "dialog")
        self.browser.press(Keys.ESCAPE)
        self.enter(TOKENS["phone"])
        self.browser.wait(lambda: "can't read" in self.browser.text() or "isn't among" in self.browser.text(), "a refusal")
        if self.browser.all("dialog"):
            self.browser.press(Keys.ESCAPE)
        self.enter(TOKENS["reader"])
        self.browser.sees("You can read (reader)")
        self.browser.sees("8771", ".alerts")
        self.assertTrue(all(not button.is_enabled() for button in self.browser.all(".acts button")))
        self.assertIn("only reads", self.browser.all(".switches button")[0].get_attribute("title"))
        self.assertEqual(self.browser.violations(), [])
        self.enter(TOKENS["operator"])
        self.browser.wait(lambda: not self.browser.all(".banner"), "the banner goes")
        self.browser.click(".alerts button", "Acknowledge")
        self.browser.confirm()
        self.browser.sees("acknowledged by operator", ".alerts")
        # It is kept in this tab and nowhere else.
        kept = self.browser.script("return JSON.stringify({ ...localStorage }) + document.cookie + location.href")
        self.assertNotIn("shunt_", kept)
        self.browser.driver.refresh()
        self.browser.sees("acknowledged by operator", ".alerts")
        self.enter("")
        self.browser.sees("A token is needed")
        self.assertNotIn("8771", self.browser.text("main"))


# Each would run, if any text became markup, an address or a script.
HOSTILE = [
    "<img src=x onerror='window.ran=1'>",
    "</script><script>window.ran=2</script>",
    "<svg/onload=window.ran=3>",
    "javascript:window.ran=4",
    "\"'><b onmouseover=window.ran=5>x</b>",
    "{{constructor.constructor('window.ran=6')()}}${window.ran=7}",
    "\u202e<a href=//evil.example>",
]


class Hostile(Case):
    """Whoever can report chooses what stands on these pages."""

    def test_no_text_becomes_more_than_text(self):
        events = []
        for number, text in enumerate(HOSTILE):
            short = text[:60]
            for count in range(5):
                events.append(
                    {
                        "eventId": f"{number}-{count}{text}"[:200],
                        "source": short, "paymentMethod": "applePay", "network": short, "psp": short, "route": short,
                        "stage": "charge",
                        "error": {"domain": text, "code": text, "message": text, "subcode": text},
                        "attemptId": f"{text}{number}-{count}", "orderRef": text, "installId": f"{text}{count}",
                        "app": {"version": short, "bundleId": text, "build": short},
                        "os": {"name": short, "version": short}, "deviceModel": text, "region": short,
                        "merchantId": text, "requestHost": text, "context": {text: text},
                        "amount": {"minor": 9007199254740993, "currency": "CNY"},
                    }
                )  # fmt: skip
        self.daemon.report(events)
        first = HOSTILE[0]
        alerts = self.daemon.ask("/v1/alerts?rule=burst")["alerts"]
        self.daemon.ask(f"/v1/alerts/{alerts[0]['id']}/ack", {"note": first})
        self.daemon.ask("/v1/silences", {"matchers": [{"name": "error.code", "value": first}], "forSec": 600, "comment": first})
        self.daemon.ask("/v1/switches/apple-pay/override", {"variant": "web", "reason": first, "scope": {"region": first[:60]}})
        self.daemon.ask("/v1/switches/apple-pay/trip", {"reason": first, "scope": {"region": HOSTILE[1]}})
        code = self.browser.script("return encodeURIComponent(arguments[0])", first)
        attempt = self.browser.script("return encodeURIComponent(arguments[0])", f"{first}0-0")
        pages = ["/", "/alerts", "/rules", "/audit", "/switches/apple-pay", f"/errors/{code}", f"/errors/{code}?domain={code}"]
        pages += [f"/alerts/{alert['id']}" for alert in alerts] + [f"/attempts/{attempt}", f"/?environment={code}", f"/switches/{code}"]
        self.browser.open(self.url)
        for width in [1200, 360]:
            self.browser.size(width)
            for page in pages:
                with self.subTest(page=page, width=width):
                    self.browser.go(page)
                    for details in self.browser.all("details"):
                        self.browser.script("arguments[0].open = true", details)
                    self.assertIsNone(self.browser.script("return window.ran ?? null"))
                    strange = "return [...document.querySelectorAll('img, script:not([src]), iframe, object, b, [onerror], [onload], [onmouseover]')].map((e) => e.outerHTML)"
                    self.assertEqual([text for text in self.browser.script(strange)], [])
                    links = "return [...document.querySelectorAll('a')].map((a) => a.href).filter((a) => !a.startsWith(location.origin))"
                    self.assertEqual(self.browser.script(links), [])
                    self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width)
        self.browser.size(1200)
        self.browser.go(f"/errors/{code}?domain={code}")
        self.browser.sees(first, "main h1")
        # Five times 90,071,992,547,409.93: beyond what a number of JavaScript's holds exactly.
        self.browser.sees("¥450,359,962,737,049.65", "main")
        # What turns the direction of text is named, so that no code looks like another.
        self.browser.go("/")
        self.browser.sees("⟨U+202E⟩<a href=", ".alerts")
        self.assertNotIn("\u202e", self.browser.text())
        self.browser.picture(PICTURES / "hostile.png")
        self.assertFalse([line for line in self.browser.log() if "Content Security Policy" in line])


class Many(Case):
    """Ten thousand error keys, and five hundred alerts."""

    def test_it_stays_quick(self):
        events = []
        for number in range(10_000):
            method = "many" if number < 500 else "other"
            events.append(failure(number, f"code-{number:05}", "many", paymentMethod=method))
        self.daemon.report(events)
        self.browser.open(self.url)
        self.browser.sees("of 10,000", ".pages")
        self.browser.sees("All 500 alerts", ".alerts")
        self.assertLess(self.browser.script("return document.querySelectorAll('*').length"), 3_000)
        # No task of the page's may keep it from answering for long.
        self.browser.script(
            "window.longest = 0; new PerformanceObserver((list) => { for (const task of list.getEntries())"
            " window.longest = Math.max(window.longest, task.duration); }).observe({ entryTypes: ['longtask'] })"
        )
        self.browser.click(".errors .pages a", "Next →")
        self.browser.sees("51–100 of 10,000", ".pages")
        self.browser.fill(".controls input", "code-09876")
        self.browser.press(Keys.ENTER)
        self.browser.wait(lambda: len(self.browser.all(".errors-list tbody tr")) == 1, "one row")
        self.browser.sees("many/code-09876", ".errors-list")
        self.browser.go("/alerts")
        self.browser.wait(lambda: len(self.browser.all(".alerts > li")) == 50, "a page of alerts")
        self.browser.click(".pages a", "Older →")
        self.browser.sees("← Newest", "main")
        self.browser.wait(lambda: len(self.browser.all(".alerts > li")) == 50, "the next page")
        longest = self.browser.script("return window.longest")
        print(f"longest task of the page: {longest:.0f} ms")
        self.assertLess(longest, 300)


class Words(unittest.TestCase):
    """The dictionaries, without a browser."""

    KEY = re.compile(r'"([\w./-]+)": "')

    def keys(self, language):
        return self.KEY.findall((WEB / "web" / "words" / f"{language}.js").read_text())

    def test_both_languages_say_the_same(self):
        english, chinese = self.keys("en"), self.keys("zh")
        self.assertGreater(len(english), 200)
        self.assertEqual(sorted(english), sorted(chinese))
        self.assertEqual(len(english), len(set(english)))

    def test_gaps_are_the_same(self):
        def gaps(language):
            text = (WEB / "web" / "words" / f"{language}.js").read_text()
            return {key: set(re.findall(r"\{(\w+)\}", value)) for key, value in re.findall(r'"([\w./-]+)": "([^"]*)"', text)}

        self.assertEqual(gaps("en"), gaps("zh"))

    def test_what_pages_say_is_there(self):
        known = set(self.keys("en"))
        for file in (WEB / "web").rglob("*.js"):
            for key in re.findall(r'\bt\("([\w./-]+)"', file.read_text()):
                self.assertIn(key, known, file.name)

    def test_text_never_goes_in_as_markup(self):
        for file in (WEB / "web").rglob("*.js"):
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]:
                self.assertNotIn(word, file.read_text(), file.name)


def overdue(*_):
    raise TimeoutError(f"not done within {PATIENCE} s")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BINARY = sys.argv.pop(1)
    if missing():
        print(f"dashboard: skipped, because there is no {' and no '.join(missing())} on this machine")
        sys.exit(0)
    signal.signal(signal.SIGALRM, overdue)
    signal.alarm(PATIENCE)
    unittest.main(verbosity=2)
