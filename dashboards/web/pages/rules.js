// What is watched, how near each rule is to firing, and what was never met.
import { h } from "../dom.js";
import * as api from "../api.js";
import { duration, number, time } from "../format.js";
import { t, term } from "../words.js";
import { reloadRules } from "../parts/acts.js";
import { bar } from "../parts/bar.js";
import { keyText, links } from "../parts/scope.js";

/** The rules as loaded, and where they stand now. */
export async function load({ environment, signal, shared }) {
  const [rules, outlook, alerts] = await Promise.all([
    api.get("v1/rules", {}, signal), api.getIfAny("v1/outlook", { environment }, signal),
    api.getIfAny("v1/alerts", { environment, limit: 500 }, signal),
  ]);
  return { ...shared, rules, standings: outlook?.rules, at: outlook?.at, everyAlert: alerts?.alerts ?? [] };
}

/** @returns {Element} */
export function render({ rules, standings, everyAlert }, view) {
  const never = (rules.rules ?? []).filter((rule) => rule.kind !== "watchdog" && standings?.find((one) => one.id === rule.id)?.groups === 0 && !everyAlert.some((alert) => alert.rule === rule.id));
  return h("div", { class: "page" },
    h("div", { class: "title" }, h("h1", {}, t("nav.rules")), h("div", { class: "acts" }, h("button", { type: "button", disabled: !view.mayOperate, title: view.mayOperate ? null : view.whyNot, onclick: () => reloadRules(view) }, t("reload")))),
    rules.lastReloadSuccessful ? null : h("div", { class: "banner bad" }, h("p", {}, t("rules.bad")), h("ul", { class: "plain" }, rules.problems.slice(0, 50).map((one) => h("li", {}, h("code", {}, `${one.file}:${one.line}:${one.column}`), " ", one.detail)))),
    h("section", { class: "block", "aria-label": t("rules.loaded") }, h("h2", {}, t("rules.loaded")), h("dl", { class: "facts" },
      h("dt", {}, t("rules.folder")), h("dd", {}, h("code", {}, rules.folder)),
      h("dt", {}, t("rules.read")), h("dd", {}, time(rules.readAt), " ", t(rules.lastReloadSuccessful ? "rules.good" : "rules.refused")),
      h("dt", {}, t("rules.inForce")), h("dd", {}, time(rules.loadedAt)),
      Object.entries(rules.origin ?? {}).map(([part, origin]) => [h("dt", {}, t(`rules.${part}`)), h("dd", {}, term("origin", origin), part === "catalogue" ? ` · ${t("rules.rows", { n: number(rules.catalogueRows) })}` : "")]))),
    h("section", { class: "block", "aria-label": t("rules.distance") }, h("h2", {}, t("rules.distance")),
      h("table", { class: "list" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("rule")), h("th", { scope: "col", class: "num" }, t("rules.count")), h("th", { scope: "col", class: "wide" }, t("rules.nearest")), h("th", { scope: "col", class: "num wide" }, t("rules.window")), h("th", { scope: "col", class: "wide" }, t("rules.moves")))),
        h("tbody", {}, (rules.rules ?? []).map((rule) => row(rule, standings?.find((one) => one.id === rule.id), everyAlert, view))))),
    standings ? h("section", { class: "block", "aria-label": t("rules.never") }, h("h2", {}, t("rules.never")),
      never.length ? [h("p", { class: "quiet" }, t("rules.neverHint")), h("ul", { class: "plain" }, never.map((rule) => h("li", {}, h("strong", {}, rule.id), " ", rule.description)))] : h("p", { class: "quiet" }, t("rules.allMet"))) : null);
}

function row(rule, standing, everyAlert, view) {
  const nearest = standing?.nearest?.group ?? {};
  const count = standing?.nearest?.count ?? 0;
  const code = nearest["error.code"];
  const last = everyAlert.find((alert) => alert.rule === rule.id);
  return h("tr", { "data-key": rule.id },
    h("th", { scope: "row" }, h("strong", {}, rule.id), " ", h("span", { class: "quiet" }, term("severity", rule.severity)), h("div", { class: "quiet" }, rule.description),
      last ? h("div", {}, h("a", { href: links.alert(last.id) }, t("rules.last")), " ", time(last.startsAt), " ", h("span", { class: "tag" }, term("alertState", last.state))) : null),
    h("td", { class: "num" }, standing && rule.kind !== "watchdog" ? distance(rule, standing.nearest, count) : "–"),
    h("td", { class: "wide" }, code ? h("a", { href: links.error(code, nearest["error.domain"], view.environment) }, keyText(nearest["error.domain"], code)) : standing?.groups && rule.kind !== "watchdog" ? t("rules.whole") : "–", (standing?.nearest?.holds ?? []).map((hold) => h("div", { class: "quiet" }, hold.detail))),
    h("td", { class: "num wide" }, duration(rule.windowSec * 1000)),
    h("td", { class: "wide" }, rule.trips ? h("a", { href: links.switch(rule.trips, view.environment) }, rule.trips) : "–"));
}

/** Counts have a distance; of rates, what is said beside them tells more. */
function distance(rule, nearest, count) {
  if (!["count", "newCode", "consecutive"].includes(rule.kind)) return nearest ? number(count) : "–";
  return [`${number(Math.min(count, rule.threshold))} / ${number(rule.threshold)}`, bar(count / rule.threshold)];
}
