// What the pages say, in the language of whoever looks.
import { english } from "./words/en.js";
import { chinese } from "./words/zh.js";

const LANGUAGES = { en: english, zh: chinese };
let language = "en";

/** Chooses a language: the one that was chosen before, else the browser's, else English. */
export function chooseLanguage(stored, preferred) {
  const wanted = [stored, ...preferred].map((tag) => String(tag ?? "").slice(0, 2).toLowerCase());
  language = wanted.find((tag) => tag in LANGUAGES) ?? "en";
  return language;
}

/** `en` or `zh`. */
export const currentLanguage = () => language;

/** The tag for `lang` and for formats. */
export const languageTag = () => (language === "zh" ? "zh-CN" : "en-GB");

/**
 * A text with its gaps filled. `one|many` in a text tells one from many by the gap `n`.
 * @param {string} key of the dictionaries
 * @param {Object<string, string|number>} [gaps]
 */
export function t(key, gaps = {}) {
  let text = LANGUAGES[language][key] ?? LANGUAGES.en[key] ?? key;
  if ("n" in gaps && text.includes("|")) {
    const [one, many] = text.split("|");
    text = String(gaps.n) === "1" ? one : many;
  }
  return text.replace(/\{(\w+)\}/g, (gap, name) => (name in gaps ? String(gaps[name]) : gap));
}

/** The word for a term of the interface, such as a class or a state; the term itself where there is none. */
export function term(kind, value) {
  const key = `${kind}.${value}`;
  return LANGUAGES[language][key] ?? LANGUAGES.en[key] ?? String(value);
}
