// A course over time: x with real ticks, y from zero, a threshold as a line, flips as marks with their reason, and the
// same figures as a table.
import { h, svg } from "../dom.js";
import { clock, duration, number, time } from "../format.js";
import { languageTag, t } from "../words.js";

const HEIGHT = 168;
const TOP = 20;
const BOTTOM = 24;
const LEFT = 44;

/** As wide as the page, so that text keeps its size on a phone. */
export const chartWidth = () => Math.max(280, Math.min(1168, document.documentElement.clientWidth - (document.documentElement.clientWidth > 720 ? 32 : 24)));

/**
 * @param {{points: number[], stepMs: number, endAt: string, label: string, threshold?: number,
 *   marks?: {at: string, text: string}[]}} course
 */
export function chart({ points, stepMs, endAt, label, threshold, marks = [] }) {
  const width = chartWidth();
  const end = Date.parse(endAt);
  const start = end - stepMs * points.length;
  const most = ceiling(Math.max(1, threshold ?? 0, ...points));
  const x = (at) => round(LEFT + ((at - start) / (end - start)) * (width - LEFT - 8));
  const y = (value) => round(HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM));
  const step = (width - LEFT - 8) / points.length;
  const bars = points.map((value, index) => (value ? `M${round(LEFT + index * step + step * 0.1)} ${y(0)}V${y(value)}h${round(step * 0.8)}V${y(0)}z` : "")).join("");
  const shown = marks.filter((mark) => Date.parse(mark.at) > start && Date.parse(mark.at) <= end).sort((one, other) => one.at.localeCompare(other.at)).slice(-12);
  const highest = Math.max(...points);
  const summary = [t("chart.summary", { label, span: duration(end - start), most: number(highest) }),
    threshold ? t("chart.threshold", { n: number(threshold) }) : "", ...shown.map((mark) => `${clock(new Date(mark.at))}: ${mark.text}.`)].join(" ");
  return [
    svg("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary },
      [0, most / 2, most].map((value) => [
        svg("line", { class: "grid", x1: LEFT, x2: width - 8, y1: y(value), y2: y(value) }),
        svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, number(value)),
      ]),
      ticks(start, end, width).map((at) => [
        svg("line", { class: "grid", x1: x(at), x2: x(at), y1: y(0), y2: y(0) + 4 }),
        svg("text", { x: Math.min(x(at), width - 20), y: HEIGHT - 4, "text-anchor": "middle" }, tickText(at, end - start)),
      ]),
      svg("path", { class: "series", d: bars }),
      threshold ? [svg("line", { class: "threshold", x1: LEFT, x2: width - 8, y1: y(threshold), y2: y(threshold) }),
        svg("text", { x: LEFT + 4, y: y(threshold) - 4 }, t("chart.line", { n: number(threshold) }))] : null,
      shown.map((mark) => svg("line", { class: "event", x1: x(Date.parse(mark.at)), x2: x(Date.parse(mark.at)), y1: 16, y2: y(0) })),
      grouped(shown, x).map(({ at, text }) => svg("text", { class: "onmark", x: Math.min(at, width - 16), y: 12, "text-anchor": "middle" }, text))),
    shown.length ? h("ol", { class: "legend" }, shown.map((mark, index) => h("li", {}, h("span", { class: "figure" }, `${index + 1} `, time(mark.at)), " ", mark.text))) : null,
    h("details", {}, h("summary", {}, t("chart.table")),
      h("div", { class: "scroll" }, h("table", { class: "list" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("chart.from")), h("th", { scope: "col", class: "num" }, label))),
        h("tbody", {}, points.map((value, index) => (value ? h("tr", {}, h("td", {}, time(new Date(start + index * stepMs).toISOString())), h("td", { class: "num" }, number(value))) : null)),
          points.some(Boolean) ? null : h("tr", {}, h("td", { colspan: 2 }, t("chart.nothing"))))))),
  ];
}

const round = (value) => Math.round(value * 10) / 10;

/** The numbers of marks; those that stand close together share a place, as `2–4`. */
function grouped(marks, x) {
  const places = [];
  for (const [index, mark] of marks.entries()) {
    const at = x(Date.parse(mark.at));
    const last = places.at(-1);
    if (last && at - last.at < 28) {
      last.to = index + 1;
      last.text = `${last.from}–${last.to}`;
    } else places.push({ at, from: index + 1, text: String(index + 1) });
  }
  return places;
}

/** The next of 2, 4, 10, 20, 40, 100 … so that half of it is whole too. */
function ceiling(value) {
  let unit = 1;
  while (true) {
    for (const factor of [2, 4, 6, 10]) if (value <= factor * unit) return factor * unit;
    unit *= 10;
  }
}

/** Whole minutes, hours or days, as many as there is room for. */
export function ticks(start, end, width) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080].map((minutes) => minutes * 60_000);
  const room = Math.max(2, Math.floor(width / 96));
  const step = steps.find((candidate) => (end - start) / candidate <= room) ?? steps.at(-1);
  const shift = new Date(end).getTimezoneOffset() * 60_000;
  const found = [];
  for (let at = Math.ceil((start - shift) / step) * step + shift; at <= end; at += step) found.push(at);
  return found;
}

/** @param {number} span of the axis, in milliseconds */
export function tickText(at, span) {
  const options = span > 2 * 86_400_000 ? { month: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return new Intl.DateTimeFormat(languageTag(), options).format(new Date(at));
}
