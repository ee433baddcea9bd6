"""Payers are failing, and people look and act."""

from case import PICTURES, Case
from daemon import failure


class Outage(Case):
    """Payers are failing, and people act."""

    def test_1_a_flip_is_seen_and_spoken_without_a_reload(self):
        self.browser.open(self.url)
        self.browser.sees("No alerts.")
        self.browser.script("window.mark = 'same page'")
        # A page that nobody looks at asks every 30 s, so what comes sooner comes by the stream.
        self.browser.script("Object.defineProperty(document, 'hidden', { get: () => true })")
        asked = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/v1/alerts?')).at(-1).startTime"
        self.browser.wait(lambda: self.browser.script(f"return performance.now() - {asked} > 4000"), "the page rests")
        self.daemon.report([failure(number) for number in range(6)])
        self.browser.sees("DEGRADED", ".switches")
        self.browser.sees("verify/8771", ".alerts")
        self.browser.sees("payers go to web", "[aria-live]")
        self.assertEqual(self.browser.script("return window.mark"), "same page")
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

    def test_85_a_payment_in_doubt_is_found_and_settled(self):
        order = {"attemptId": "doubtful", "orderRef": "INT-DOUBT", "amount": {"minor": 5200, "currency": "CNY"}}
        self.daemon.report([failure(1, "-1001", "NSURLErrorDomain", paymentMethod="bank", stage="charge", **order)])
        self.browser.open(self.url)
        self.browser.sees("INT-DOUBT", ".doubt")
        self.browser.click(".doubt th a", "INT-DOUBT")
        self.browser.sees("may have moved", "main")
        self.browser.click(".title button", "Settle")
        self.browser.fill("dialog textarea", "looked up at the bank")
        self.assertEqual(self.browser.confirm(), "Record: paid")
        self.browser.sees("settled: paid", "main")
        self.browser.sees("looked up at the bank", "main")
        self.assertEqual(self.daemon.ask("/v1/attempts/doubtful")["money"], "paid")

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
