// What a switch did, on an axis of time.
import { h, svg } from "../dom.js";
import { clock, time } from "../format.js";
import { t, term } from "../words.js";
import { chartWidth, ticks, tickText } from "./chart.js";
import { links, scopeText } from "./scope.js";

const ROW = 36;

/**
 * One bar a slice: thin grey while payers went the normal way, amber while they didn't.
 * @param {Array} transitions newest first
 * @param {number} now in milliseconds
 */
export function historyAxis(transitions, now, normalVariant) {
  if (!transitions.length) return h("p", { class: "quiet" }, t("history.none"));
  const width = chartWidth();
  const oldest = Date.parse(transitions.at(-1).at);
  const start = oldest - Math.max(60_000, (now - oldest) * 0.05);
  const slices = new Map();
  for (const row of [...transitions].reverse()) {
    const name = scopeText(row.match);
    slices.set(name, [...(slices.get(name) ?? []), row]);
  }
  const names = [...slices.keys()].slice(0, 12);
  const height = names.length * ROW + 28;
  const x = (at) => Math.round((8 + ((at - start) / (now - start)) * (width - 16)) * 10) / 10;
  const parts = names.map((name, index) => {
    const top = index * ROW + 18;
    const rows = slices.get(name);
    return [
      svg("text", { class: "onmark", x: 8, y: top - 6 }, name),
      svg("rect", { class: "calm", x: 8, y: top + 3, width: Math.max(0, x(Date.parse(rows[0].at)) - 8), height: 2 }),
      rows.map((row, number) => {
        const from = x(Date.parse(row.at));
        const to = x(rows[number + 1] ? Date.parse(rows[number + 1].at) : now);
        const isMoved = isAway(row, normalVariant);
        return svg("rect", { class: isMoved ? "degraded" : "calm", x: from, y: isMoved ? top : top + 3, width: Math.max(1, to - from), height: isMoved ? 8 : 2 });
      }),
      rows.map((row) => svg("line", { class: "event", x1: x(Date.parse(row.at)), x2: x(Date.parse(row.at)), y1: top - 3, y2: top + 11 })),
    ];
  });
  const summary = names.map((name) => `${name}: ${slices.get(name).slice(-6).map((row) => `${clock(new Date(row.at))} ${happened(row)}`).join(", ")}.`).join(" ");
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": summary },
    ticks(start, now, width).map((at) => [
      svg("line", { class: "grid", x1: x(at), x2: x(at), y1: 0, y2: height - 20 }),
      svg("text", { x: Math.max(20, Math.min(x(at), width - 20)), y: height - 4, "text-anchor": "middle" }, tickText(at, now - start)),
    ]), parts);
}

/** Whether payers went another way than the normal one after it. */
const isAway = (row, normalVariant) => (row.variant ? row.variant !== normalVariant : row.to !== "normal");

/** A transition in words. */
export function happened(row) {
  return `${term("cause", row.cause)}: ${term("state", row.from)} → ${term("state", row.to)}${row.variant ? ` (${row.variant})` : ""}`;
}

/** The same as a table, with reasons and evidence. */
export function historyTable(transitions) {
  return h("ol", { class: "timeline" }, transitions.map((row) => h("li", { class: row.to === "normal" ? "" : "tone-warn", "data-key": `v${row.version}-${row.number}` },
    h("div", {}, time(row.at), " ", h("span", { class: "quiet" }, `v${row.version}`)),
    h("div", {},
      h("div", {}, h("strong", {}, happened(row)), " ", h("span", { class: "quiet" }, scopeText(row.match))),
      row.reason ? h("div", {}, row.alert ? h("a", { href: links.alert(row.alert) }, row.reason) : row.reason) : null,
      row.actor ? h("div", { class: "quiet" }, t("history.by", { who: row.actor })) : null,
      row.evidence?.conditions ? h("details", {}, h("summary", {}, t("evidence")), evidence(row)) : null))));
}

/** What a decision was made of. */
export function evidence(row) {
  return h("div", { class: "scroll" }, h("table", { class: "list" },
    h("thead", {}, h("tr", {}, ["condition", "standing", "found", "limit"].map((name) => h("th", { scope: "col", class: name === "found" || name === "limit" ? "num" : "" }, t(`evidence.${name}`))))),
    h("tbody", {}, row.evidence.conditions.map((one) => h("tr", {},
      h("th", { scope: "row" }, term("condition", one.name)),
      h("td", {}, term("standing", one.standing)),
      h("td", { class: "num" }, one.value === undefined ? "–" : one.total === undefined ? one.value : `${one.value} / ${one.total}`),
      h("td", { class: "num" }, one.limit ?? "–"))))),
  h("p", { class: "quiet" }, t("evidence.replay", { version: row.version }), " ", h("code", {}, `shunt explain --version ${row.version}`)));
}
