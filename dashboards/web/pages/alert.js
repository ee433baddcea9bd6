// One alert, from the first failure to its end.
import { h } from "../dom.js";
import * as api from "../api.js";
import { age, amounts, duration, number, percent, time } from "../format.js";
import { currentLanguage, t, term } from "../words.js";
import { acknowledge, silence } from "../parts/acts.js";
import { causesOf, causeText, doing } from "../parts/alerts.js";
import { breakdown } from "../parts/breakdown.js";
import { chart } from "../parts/chart.js";
import { copyButton } from "../parts/copy.js";
import { diagnoses } from "../parts/diagnoses.js";
import { evidence, happened } from "../parts/history.js";
import { alertTitle, links } from "../parts/scope.js";
import { alertTone, mark } from "../parts/mark.js";

/** The alert, what its switch did meanwhile, and the course of its error code. */
export async function load({ name, signal, shared }) {
  const alert = await api.get(`v1/alerts/${encodeURIComponent(name)}`, { lang: currentLanguage() }, signal);
  const code = alert.group["error.code"];
  const [history, page] = await Promise.all([
    alert.switch ? api.getIfAny(`v1/switches/${encodeURIComponent(alert.switch.key)}/history`, { limit: 100 }, signal) : null,
    code ? api.getIfAny(`v1/errors/${encodeURIComponent(code)}`, { domain: alert.group["error.domain"], environment: alert.group.environment, windowSec: alert.windowSec && alert.windowSec <= 3600 ? alert.windowSec : undefined, lang: currentLanguage() }, signal) : null,
  ]);
  const end = alert.endsAt ?? "9999";
  const transitions = (history?.transitions ?? []).filter((row) => row.environment === alert.group.environment && (row.alert === alert.id || (row.at >= alert.startsAt && row.at <= end)));
  return { ...shared, alert, transitions, key: page?.keys?.[0], at: page?.at };
}

/** @returns {Element} */
export function render({ alert, transitions, key, at }, view) {
  const tone = alertTone(alert);
  const trip = transitions.find((row) => row.alert === alert.id && row.evidence?.conditions);
  return h("div", { class: "page" },
    h("div", { class: "title" }, h("h1", {}, alertTitle(alert)), mark("severity", alert.severity, tone), h("span", { class: "tag" }, term("alertState", alert.state)),
      h("div", { class: "acts" }, acts(alert, view), copyButton(view, t("copy.link"), () => location.href))),
    h("p", { class: "lead" }, headline(alert)),
    h("dl", { class: "numbers" },
      [["alert.count", alert.liveCount === undefined ? number(alert.count) : `${number(alert.liveCount)} / ${number(alert.threshold)}`], ["errors.payers", number(alert.payers)], ["errors.amount", amounts(alert.amount)],
        ["alert.duration", alert.endsAt ? duration(Date.parse(alert.endsAt) - Date.parse(alert.startsAt)) : age(alert.startsAt)],
        ["errors.share", alert.share === undefined ? null : percent(alert.share * 100)], ["alert.saved", alert.saved === undefined ? null : number(alert.saved)]]
        .filter(([, value]) => value !== null && value !== "–").map(([name, value]) => h("div", {}, h("dt", {}, t(name)), h("dd", {}, value)))),
    standing(alert),
    diagnoses(alert.diagnoses ?? alert.diagnosis),
    localisation(alert, key, trip),
    key && at ? h("section", { class: "block", "aria-label": t("alert.course") }, h("h2", {}, t("alert.course")), course(alert, transitions, key, at)) : null,
    h("section", { class: "block", "aria-label": t("alert.timeline") }, h("h2", {}, t("alert.timeline")), timeline(alert, transitions)),
    trip ? h("section", { class: "block", "aria-label": t("evidence") }, h("h2", {}, t("evidence")), evidence(trip)) : null,
    h("section", { class: "block", "aria-label": t("alert.told") }, h("h2", {}, t("alert.told")), notifications(alert)));
}

function acts(alert, view) {
  if (alert.state === "resolved") return null;
  const refusal = view.mayOperate ? null : view.whyNot;
  return [
    h("button", { type: "button", disabled: !view.mayOperate, title: refusal, onclick: () => acknowledge(view, alert) }, t("ack")),
    h("button", { type: "button", disabled: !view.mayOperate, title: refusal, onclick: () => silence(view, alert) }, t("silence")),
  ];
}

function headline(alert) {
  const parts = currentLanguage() === "zh" || !alert.summary
    ? t("alert.headline", { what: alertTitle(alert), n: number(alert.count), window: duration((alert.windowSec ?? 0) * 1000) }) : alert.summary;
  return `${parts} · ${doing(alert)}`;
}

function standing(alert) {
  const lines = [
    alert.acknowledgedBy ? h("p", {}, t("acked", { who: alert.acknowledgedBy }), alert.acknowledgement?.until ? [" ", t("until"), " ", time(alert.acknowledgement.until)] : null, alert.acknowledgement?.note ? `: ${alert.acknowledgement.note}` : "") : null,
    alert.silencedBy.length ? h("p", {}, t("silenced"), " (", h("a", { href: "#/alerts" }, alert.silencedBy.join(", ")), ")") : null,
    alert.inhibitedBy.length ? h("p", {}, t("inhibited"), " ", alert.inhibitedBy.map((id) => h("a", { href: links.alert(id) }, id))) : null,
    alert.refires ? h("p", {}, t("alert.refires", { n: alert.refires })) : null,
  ].filter(Boolean);
  const code = alert.group["error.code"];
  return h("div", {},
    h("dl", { class: "facts" },
      h("dt", {}, t("rule")), h("dd", {}, h("a", { href: "#/rules" }, alert.rule)),
      code ? [h("dt", {}, t("errors.code")), h("dd", {}, h("a", { href: links.error(code, alert.group["error.domain"], alert.group.environment) }, alertTitle(alert)))] : null,
      alert.switch ? [h("dt", {}, t("switch")), h("dd", {}, h("a", { href: links.switch(alert.switch.key, alert.group.environment) }, alert.switch.key), ` · ${alert.switch.scope ?? ""}`, alert.switch.version ? ` · v${alert.switch.version}` : "")] : null,
      Object.entries(alert.group).filter(([name]) => !name.startsWith("error.")).map(([name, value]) => [h("dt", {}, name === "environment" ? t("environment") : name), h("dd", {}, value)])),
    lines);
}

function localisation(alert, key, trip) {
  const causes = causesOf(alert);
  const dimensions = trip?.capsule?.dimensions?.filter((one) => !["error.domain", "error.code", "environment"].includes(one.name)) ?? key?.breakdown;
  if (!causes.length && !dimensions?.length) return null;
  const total = trip?.capsule ? trip.capsule.failures : key?.counts.window;
  return h("section", { class: "block", "aria-label": t("error.where") }, h("h2", {}, t("error.where")),
    causes.length ? h("ul", { class: "plain" }, causes.map((cause) => h("li", {}, causeText(cause)))) : null,
    dimensions?.length ? breakdown(key?.breakdown?.length ? key.breakdown : dimensions, key?.breakdown?.length ? key.counts.window : total) : null);
}

/** How many stood in the rule's window at each minute, so that the threshold is a line. */
function course(alert, transitions, key, at) {
  const width = Math.max(1, Math.round(((alert.windowSec ?? 300) * 1000) / key.series.stepMs));
  const points = key.series.points.map((_, index, all) => all.slice(Math.max(0, index + 1 - width), index + 1).reduce((sum, value) => sum + value, 0));
  const marks = [{ at: alert.startsAt, text: t("happening.firing") }, ...transitions.map((row) => ({ at: row.at, text: happened(row) }))];
  return chart({ points, stepMs: key.series.stepMs, endAt: at, label: t("alert.inWindow", { window: duration((alert.windowSec ?? 300) * 1000) }), threshold: alert.threshold, marks });
}

function timeline(alert, transitions) {
  const entries = [
    alert.whole?.firstEventAt ? { at: alert.whole.firstEventAt, text: t("alert.first") } : null,
    { at: alert.startsAt, text: t("alert.fired", { n: number(alert.count) }), tone: "tone-bad" },
    ...transitions.map((row) => ({ at: row.at, text: `${row.switch}: ${happened(row)}`, detail: [row.actor, row.reason].filter(Boolean).join(": "), tone: row.to === "normal" ? "" : "tone-warn" })),
    alert.acknowledgement?.at ? { at: alert.acknowledgement.at, text: t("acked", { who: alert.acknowledgedBy }), detail: alert.acknowledgement.note } : null,
    alert.escalatedAt ? { at: alert.escalatedAt, text: t("happening.escalated") } : null,
    ...(alert.notifications ?? []).map((one) => ({ at: one.endedAt ?? one.firstTriedAt ?? one.nextTryAt, text: t("alert.notice", { what: term("happening", one.happening), channel: one.channel, state: term("delivery", one.state) }), detail: one.answer })),
    alert.endsAt ? { at: alert.endsAt, text: t("alert.ended") } : null,
  ].filter((entry) => entry?.at).sort((one, other) => one.at.localeCompare(other.at));
  return h("ol", { class: "timeline" }, entries.map((entry) => h("li", { class: entry.tone ?? "" }, time(entry.at), h("div", {}, entry.text, entry.detail ? h("div", { class: "quiet" }, entry.detail) : null))));
}

function notifications(alert) {
  const list = alert.notifications ?? [];
  if (!list.length) return h("p", { class: "quiet" }, t("alert.nobody"));
  return h("div", { class: "scroll" }, h("table", { class: "list" },
    h("thead", {}, h("tr", {}, ["channel", "happening", "state", "tries", "answer"].map((name) => h("th", { scope: "col", class: name === "tries" ? "num" : "" }, t(`told.${name}`))))),
    h("tbody", {}, list.map((one) => h("tr", { "data-key": `${one.id} ${one.channel}` },
      h("th", { scope: "row" }, one.channel, one.insteadOf ? h("span", { class: "quiet" }, ` (${t("told.instead", { channel: one.insteadOf })})`) : null), h("td", {}, term("happening", one.happening)), h("td", {}, term("delivery", one.state)),
      h("td", { class: "num" }, number(one.tries)), h("td", {}, one.answer))))));
}
