"""Debian's Chromium, driven by Selenium."""

import os
import pathlib
import shutil
import time

import axe_playwright_python
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
PATIENCE = 20


def missing():
    """What isn't there to drive, or nothing."""
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


class Browser:
    """One window. `wait` is the only way in which anything takes time."""

    def __init__(self, width=1200, height=900):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--lang=en"]
        # Its sandbox needs rights that root in a container doesn't have.
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        for argument in arguments:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(60)
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Shanghai"})
        self.size(width, height)

    def quit(self):
        self.driver.quit()

    def size(self, width, height=900):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def forget(self, url):
        """As on a first visit: nothing kept of any visit before."""
        self.driver.get(url + "/healthz")
        self.script("localStorage.clear(); sessionStorage.clear()")
        self.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        self.log()

    def open(self, url, path="/", theme=None, language=None):
        """Opens a page and waits until it is filled."""
        address = f"{url}/#{path}"
        if theme or language:
            self.driver.get(url + "/healthz")
            self.script("localStorage.setItem('shunt.theme', arguments[0])", theme or "light")
            self.script("localStorage.setItem('shunt.language', arguments[0])", language or "en")
        else:
            self.driver.get("about:blank")
        self.driver.get(address)
        self.filled(path)

    def go(self, path):
        """Follows an address within the page."""
        self.script("location.hash = arguments[0]", path)
        self.filled(path)

    def filled(self, path):
        """Waits until the page of this address is there, and not the one before it."""
        shown = "const main = document.querySelector('main'); return !!main?.querySelector('.page:not([aria-busy])')"
        shown += " && main.dataset.place === (location.hash.slice(1) || '/')"
        self.wait(lambda: self.script(shown), f"{path} is filled")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, what, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        while True:
            try:
                found = condition()
            except Exception:  # the element was replaced under our hands
                found = None
            if found:
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {what}\n{self.text()[:1500]}")
            time.sleep(0.05)

    def text(self, selector="body"):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def sees(self, text, selector="body", seconds=PATIENCE):
        self.wait(lambda: text in self.text(selector), f"{text!r} in {selector}", seconds)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector, text=None):
        def act():
            for element in self.all(selector):
                if element.is_displayed() and (text is None or element.text.strip() == text):
                    element.click()
                    return True
            return False

        self.wait(act, f"{selector} {text or ''} to click")

    def fill(self, selector, text):
        element = self.wait(lambda: self.all(selector)[0], selector)
        element.clear()
        element.send_keys(text)

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def confirm(self):
        """Presses the dialog's button and waits until it is gone; what the button said."""
        button = self.wait(lambda: self.all("dialog button.primary")[0], "a dialog")
        said = button.text
        button.click()
        self.wait(lambda: not self.all("dialog"), f"the dialog closes: {self.text('dialog')}")
        return said

    def log(self):
        """What the console said since the last look."""
        return [f"{entry['level']} {entry['message']}" for entry in self.driver.get_log("browser")]

    def violations(self):
        """What axe finds, serious or worse: rule, and the first elements."""
        found = self.driver.execute_async_script(
            AXE + "\n;const done = arguments[arguments.length - 1];"
            "axe.run(document, { resultTypes: ['violations'] }).then("
            "(r) => done(r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))"
            ".map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? ''))])),"
            "(e) => done([['axe failed', [String(e)]]]));"
        )
        return found

    def picture(self, path):
        """The whole page, however long."""
        width = self.script("return innerWidth")
        height = self.script("return Math.min(3000, Math.max(600, document.documentElement.scrollHeight))")
        self.size(width, height)
        self.driver.save_screenshot(str(path))
        self.size(width)


__all__ = ["Browser", "Keys", "missing"]
