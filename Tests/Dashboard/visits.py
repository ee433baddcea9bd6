"""Visits on which nothing has failed, and one on which the daemon goes and comes back."""

from browser import Keys
from case import PICTURES, Case
from daemon import failure


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
