// Numbers, money, times and durations as people read them.
import { h } from "./dom.js";
import { languageTag, t } from "./words.js";

/** Decimals of the currencies that don't have two (ISO 4217). */
const DECIMALS = {
  BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0, VUV: 0,
  XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4,
};
const SIGNS = { CNY: "¥", USD: "$", EUR: "€", GBP: "£" };

/** A whole number with its thousands apart. */
export function number(value) {
  return value === null || value === undefined ? "–" : group(String(value));
}

function group(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A share in per cent with at most one decimal, as `29.5 %`. */
export function percent(value) {
  if (value === null || value === undefined) return "–";
  const text = Number(value) >= 10 ? String(Math.round(value)) : Number(value).toFixed(1).replace(/\.0$/, "");
  return `${text} %`;
}

/**
 * Money of one currency, from minor units; by the digits alone, so that no sum is too large to be right.
 * @param {{currency: string, minor: string|number}} amount
 */
export function money({ currency, minor }) {
  const decimals = DECIMALS[currency] ?? 2;
  const text = String(minor);
  const sign = text.startsWith("-") ? "−" : "";
  const digits = text.replace("-", "").padStart(decimals + 1, "0");
  const whole = group(digits.slice(0, digits.length - decimals));
  const rest = decimals ? `.${digits.slice(-decimals)}` : "";
  const known = SIGNS[currency];
  return known ? `${sign}${known}${whole}${rest}` : `${sign}${currency} ${whole}${rest}`;
}

/** Money of several currencies, `–` where there is none. */
export function amounts(list) {
  return list && list.length ? list.map(money).join(" + ") : "–";
}

/** A duration in words: `45 s`, `4 min`, `2 h 5 min`, `3 d`. */
export function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t("duration.s", { s: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("duration.min", { min: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) {
    return minutes % 60 ? t("duration.hmin", { h: hours, min: minutes % 60 }) : t("duration.h", { h: hours });
  }
  return t("duration.d", { d: Math.floor(hours / 24) });
}

/** A countdown: `0:41`, `12:05`, `1:02:05`. */
export function countdown(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const pad = (value) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** The clock time in the viewer's zone, with the day where it isn't today. */
export function clock(date, { zone = false } = {}) {
  const now = new Date(serverNow());
  const isToday = date.toDateString() === now.toDateString();
  const options = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
  if (!isToday) Object.assign(options, { month: "short", day: "numeric" });
  if (zone) options.timeZoneName = "short";
  return new Intl.DateTimeFormat(languageTag(), options).format(date);
}

/** A time as an element: the viewer's zone, UTC on hover. */
export function time(iso, options) {
  if (!iso) return h("span", {}, "–");
  const date = new Date(iso);
  return h("time", { datetime: iso, title: `${iso.slice(0, 19).replace("T", " ")} UTC` }, clock(date, options));
}

/** How long something has lasted, which goes on by itself. */
export function age(iso) {
  if (!iso) return h("span", {}, "–");
  return h("span", { "data-since": iso, title: `${iso.slice(0, 19).replace("T", " ")} UTC` }, sinceText(iso));
}

/** How long until then, which goes on by itself. */
export function until(iso) {
  return h("span", { class: "figure", "data-until": iso }, untilText(iso));
}

const sinceText = (iso) => duration(serverNow() - Date.parse(iso));
const untilText = (iso) => countdown(Date.parse(iso) - serverNow());

let skewMs = 0;

/** Sets the daemon's clock against the browser's, so that ages and countdowns are right where that one is wrong. */
export function setServerTime(iso) {
  const at = Date.parse(iso);
  if (Number.isFinite(at) && Math.abs(at - Date.now() - skewMs) > 1500) skewMs = at - Date.now();
}

/** The daemon's present time, in milliseconds. */
export const serverNow = () => Date.now() + skewMs;

/** Lets ages and countdowns of a tree go on. */
export function tick(root) {
  for (const element of root.querySelectorAll("[data-since]")) put(element, sinceText(element.dataset.since));
  for (const element of root.querySelectorAll("[data-until]")) put(element, untilText(element.dataset.until));
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
