// Who moved payers, and what moved by itself, newest first.
import { h } from "../dom.js";
import * as api from "../api.js";
import { duration, time } from "../format.js";
import { t, term } from "../words.js";
import { evidence, happened } from "../parts/history.js";
import { hash, links, scopeText } from "../parts/scope.js";

/** A page of the audit, of all environments. */
export async function load({ query, signal, shared }) {
  return { ...shared, audit: await api.get("v1/audit", { limit: 50, cursor: query.cursor }, signal) };
}

/** @returns {Element} */
export function render({ audit }, view) {
  return h("div", { class: "page" },
    h("h1", {}, t("nav.audit")),
    h("p", { class: "quiet" }, t("audit.hint"), " ", h("code", {}, "shunt audit verify")),
    h("ol", { class: "timeline" }, audit.rows.map((record) => entry(record, view))),
    h("nav", { class: "pages", "aria-label": t("audit.pages") },
      view.query.cursor ? h("a", { href: hash("/audit", { ...view.query, cursor: undefined }) }, t("pages.first")) : null,
      audit.nextCursor ? h("a", { rel: "next", href: hash("/audit", { ...view.query, cursor: audit.nextCursor }) }, t("pages.older")) : null));
}

function entry({ hash: digest, row }, view) {
  return h("li", { "data-key": `n${row.number}`, class: row.kind === "transition" && row.to !== "normal" ? "tone-warn" : "" },
    h("div", {}, time(row.at), " ", h("span", { class: "quiet" }, `#${row.number}`)),
    h("div", {},
      h("div", {}, what(row, view)),
      row.actor ? h("div", { class: "quiet" }, t("history.by", { who: row.actor }), row.origin && row.origin !== row.actor ? `, ${t("audit.from", { origin: row.origin })}` : "") : null,
      row.reason || row.note || row.comment ? h("div", {}, row.reason ?? row.note ?? row.comment) : null,
      row.evidence?.conditions ? h("details", {}, h("summary", {}, t("evidence")), evidence(row)) : null,
      h("details", {}, h("summary", { class: "quiet" }, t("audit.row")), h("pre", { tabindex: "0" }, `${digest}\n${JSON.stringify(row, null, 2)}`))));
}

function what(row, view) {
  const place = `${row.environment ?? ""}${Object.keys(row.match ?? {}).length ? `, ${scopeText(row.match)}` : ""}`;
  switch (row.kind) {
    case "transition": return [h("a", { href: links.switch(row.switch, row.environment ?? view.environment) }, row.switch), " ", h("strong", {}, happened(row)), ` ${place} · v${row.version}`];
    case "command": return [row.switch ? h("a", { href: links.switch(row.switch, row.environment) }, row.switch) : null, " ", h("strong", {}, term("command", row.action)), row.variant ? ` → ${row.variant}` : "", row.forMs ? ` ${duration(row.forMs)}` : "", row.mode ? ` ${term("mode", row.mode)}` : "", ` ${place} · ${row.result === "done" ? t("audit.done") : t("audit.notDone", { why: term("hold", row.result) })}`];
    case "rules": return [h("strong", {}, t("audit.rules", { n: row.rules })), " ", h("code", {}, row.rulesSha256.slice(0, 12))];
    default: return [h("strong", {}, term("audit", row.kind)), " ", row.action ? term("command", row.action) : "", " ", row.alert ? h("a", { href: links.alert(row.alert) }, row.alert) : "", row.result && row.result !== "done" ? ` · ${row.result}` : ""];
  }
}
