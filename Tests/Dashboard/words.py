"""The dictionaries and the sources, without a browser."""

import re
import unittest

from daemon import WEB


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
