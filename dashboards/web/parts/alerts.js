// Alerts as rows.
import { h } from "../dom.js";
import { age, amounts, duration, number, percent } from "../format.js";
import { t, term } from "../words.js";
import { alertTitle, links } from "./scope.js";
import { alertTone, mark } from "./mark.js";
import { acknowledge } from "./acts.js";

const RANK = { bad: 0, warn: 1, calm: 2 };

/** Those that somebody should see: open, no watchdogs; the worst first, then the newest. */
export function openAlerts(list) {
  return list.filter((alert) => alert.state !== "resolved" && alert.rule !== "watchdog" && alert.severity !== "info")
    .sort((one, other) => RANK[alertTone(one)] - RANK[alertTone(other)] || (one.inhibitedBy.length - other.inhibitedBy.length) || other.startsAt.localeCompare(one.startsAt));
}

/** @returns {Element} */
export function alertRows(alerts, view) {
  return h("ul", { class: "alerts" }, alerts.map((alert) => row(alert, view)));
}

function row(alert, view) {
  const tone = alertTone(alert);
  // What another alert tells already needn't be read twice.
  const isTold = alert.inhibitedBy.length > 0;
  const diagnosis = isTold ? null : alert.diagnoses?.[0] ?? alert.diagnosis?.[0];
  const cause = isTold ? null : causesOf(alert)[0];
  return h("li", { class: `row edge tone-${tone}`, "data-key": alert.id },
    h("div", { class: "what" },
      mark("severity", alert.severity, tone),
      h("a", { class: "name", href: links.alert(alert.id) }, alertTitle(alert)),
      h("span", { class: "figure" }, countText(alert)),
      alert.payers !== undefined && alert.payers !== null ? h("span", {}, t("payers.n", { n: number(alert.payers) })) : null,
      alert.amount?.length ? h("span", { class: "figure" }, amounts(alert.amount)) : null,
      h("span", { class: "tag" }, term("alertState", alert.state))),
    h("div", { class: "why" },
      h("span", {}, t("for"), " ", age(alert.startsAt)),
      h("span", {}, doing(alert)),
      cause ? h("span", {}, causeText(cause)) : null,
      diagnosis ? h("span", {}, t("likely"), " ", diagnosis.title ?? diagnosis.cause) : null,
      diagnosis?.nextStep ? h("span", {}, t("next"), " ", diagnosis.nextStep) : null,
      alert.acknowledgedBy ? h("span", {}, t("acked", { who: alert.acknowledgedBy })) : null,
      alert.silencedBy.length ? h("span", {}, t("silenced")) : null,
      alert.inhibitedBy.length ? h("span", {}, t("inhibited"), " ", h("a", { href: links.alert(alert.inhibitedBy[0]) }, alert.inhibitedBy[0])) : null),
    h("div", { class: "acts" }, alert.acknowledgedBy || alert.state === "resolved" ? null : h("button", {
      type: "button", disabled: !view.mayOperate, title: view.mayOperate ? null : view.whyNot,
      "aria-label": `${t("ack")}: ${alertTitle(alert)}`,
      onclick: () => acknowledge(view, alert),
    }, t("ack"))));
}

/** What the failures of an alert have in common, the strongest first. */
export const causesOf = (alert) => alert.causes ?? alert.localisation?.causes ?? (Array.isArray(alert.localisation) ? alert.localisation : []);

/** How many, within what: `132 in 5 min`. */
export function countText(alert) {
  if (!alert.count) return "";
  return t("count", { n: number(alert.count), window: duration((alert.windowSec ?? 0) * 1000) });
}

/** What was done with the switch, in words. */
export function doing(alert) {
  const action = alert.switch?.action;
  if (!action) return t("action.none");
  const gaps = { key: alert.switch.key };
  if (action === "tripped") return t("action.tripped", gaps);
  if (action === "wouldHaveTripped") return t("action.dryRun", gaps);
  if (action === "alreadyDegraded") return t("action.already", gaps);
  if (action === "overridden") return t("action.overridden", gaps);
  return `${t("action.held", gaps)} ${term("hold", action)}`;
}

/** What the failures have in common: `97 % are app.version 4.2.0 (normally 11 %)`. */
export function causeText(cause) {
  if (cause.text) return cause.text;
  const names = (cause.attributes ?? []).map(({ name, value }) => `${name} ${value}`).join(" · ");
  const share = percent(cause.share * 100);
  return cause.baselineShare === undefined || cause.baselineShare === null
    ? t("cause.share", { share, what: names }) : t("cause.normally", { share, what: names, before: percent(cause.baselineShare * 100) });
}

