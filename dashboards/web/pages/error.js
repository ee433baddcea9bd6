// All that is known of an error code.
import { h } from "../dom.js";
import * as api from "../api.js";
import { age, amounts, duration, number, percent, time } from "../format.js";
import { currentLanguage, t, term } from "../words.js";
import { breakdown } from "../parts/breakdown.js";
import { causesOf, causeText } from "../parts/alerts.js";
import { chart } from "../parts/chart.js";
import { copyButton } from "../parts/copy.js";
import { diagnoses } from "../parts/diagnoses.js";
import { happened } from "../parts/history.js";
import { hash, keyText, links } from "../parts/scope.js";
import { alertTone, classTone, mark, stateTone } from "../parts/mark.js";

/** Also for codes that never came: then what the catalogue knows of them. */
export async function load({ name, query, environment, signal, shared }) {
  const { domain } = query;
  const [page, explained, histories] = await Promise.all([
    api.getIfAny(`v1/errors/${encodeURIComponent(name)}`, { domain, environment, lang: currentLanguage() }, signal),
    api.getIfAny("v1/explain", { code: name, domain, environment }, signal),
    Promise.all(shared.switches.switches.slice(0, 4).map((one) => api.getIfAny(`v1/switches/${encodeURIComponent(one.key)}/history`, { limit: 20 }, signal))),
  ]);
  const transitions = histories.flatMap((one) => one?.transitions ?? []).filter((row) => row.environment === environment);
  return { ...shared, page, explained, transitions, at: page?.at ?? explained?.at };
}

/** @returns {Element} */
export function render(data, view) {
  const keys = data.page?.keys ?? [];
  const title = keyText(view.query.domain, view.name);
  return h("div", { class: "page" },
    h("div", { class: "title" }, h("h1", {}, title),
      h("div", { class: "acts" }, copyButton(view, t("copy.code"), () => title), copyButton(view, t("copy.link"), () => location.href))),
    keys.length > 1 ? h("p", { class: "quiet" }, t("error.several", { n: keys.length })) : null,
    keys.length ? keys.map((key) => section(key, data, view, keys.length > 1)) : h("p", { class: "lead" }, t("error.never", { environment: view.environment })),
    (data.explained?.domains ?? []).map((domain) => rules(domain, data.explained.domains.length > 1, !keys.length)));
}

function section(key, data, view, isOneOfMany) {
  const marks = data.transitions.map((row) => ({ at: row.at, text: `${row.switch}: ${happened(row)}` }));
  return [
    isOneOfMany ? h("h2", {}, keyText(key.domain, key.code)) : null,
    h("section", { class: "block", "aria-label": t("error.meaning") },
      h("p", { class: "lead" }, mark("class", key.class, classTone(key.class)), " ", key.name ? h("strong", {}, key.name) : null, key.why ? ` – ${key.why}` : ""),
      key.note ? h("p", {}, key.note) : null,
      key.say ? h("p", {}, key.say) : null,
      h("dl", { class: "facts" },
        fact(t("error.retry"), key.retry ? term("retry", key.retry) : null), fact(t("error.money"), key.money ? term("money", key.money) : null),
        fact(t("error.weight"), key.switchWeight ? term("weight", key.switchWeight) : null),
        fact(t("error.first"), time(key.firstSeenAt)), fact(t("error.last"), [time(key.lastSeenAt), " (", age(key.lastSeenAt), t("ago"), ")"]))),
    h("dl", { class: "numbers" },
      figure(term("window", key.windowSec), number(key.counts.window)), figure(t("window.1h"), number(key.counts.oneHour)), figure(t("window.24h"), number(key.counts.twentyFourHours)),
      figure(t("errors.payers"), number(key.installs)), figure(t("errors.share"), percent(key.sharePercent)), figure(t("errors.amount"), amounts(key.amount)),
      figure(t("error.perMinute"), amounts(key.amountPerMinute))),
    h("section", { class: "block", "aria-label": t("error.course") }, h("h2", {}, t("error.course")),
      chart({ points: key.series.points, stepMs: key.series.stepMs, endAt: data.at, label: t("error.perMinuteCount"), marks })),
    diagnoses(key.diagnoses ?? key.diagnosis),
    causesOf(key).length ? h("section", { class: "block", "aria-label": t("error.common") }, h("h2", {}, t("error.common")), h("ul", { class: "plain" }, causesOf(key).map((cause) => h("li", {}, causeText(cause))))) : verdict(key),
    key.breakdown?.length ? h("section", { class: "block", "aria-label": t("error.where") }, h("h2", {}, t("error.where")), breakdown(key.breakdown, key.counts.window)) : null,
    related(key, view),
    key.samples?.length ? h("section", { class: "block", "aria-label": t("error.samples") }, h("h2", {}, t("error.samples")), key.samples.map(sample)) : null,
  ];
}

/** That nothing was found is a finding too. */
function verdict(key) {
  return ["nothingStandsOut", "tooFew"].includes(key.causesVerdict) ? h("p", { class: "quiet" }, t(`verdict.${key.causesVerdict}`)) : null;
}

function fact(name, value) {
  return value === null || value === undefined ? null : [h("dt", {}, name), h("dd", {}, value)];
}

function figure(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

function related(key, view) {
  const others = (key.environments ?? []).filter((one) => one.environment !== view.environment);
  if (!key.alerts?.length && !key.switches?.length && !others.length) return null;
  return h("section", { class: "block", "aria-label": t("error.related") }, h("h2", {}, t("error.related")),
    h("ul", { class: "plain" },
      (key.alerts ?? []).map((alert) => h("li", {}, mark("severity", alert.severity, alertTone(alert)), " ", h("a", { href: links.alert(alert.id) }, alert.rule), " ", h("span", { class: "tag" }, term("alertState", alert.state)), " ", time(alert.startsAt))),
      (key.switches ?? []).map((one) => h("li", {}, h("a", { href: links.switch(one.key, view.environment) }, one.key), " ", mark("state", one.state, stateTone(one.state)), ` → ${one.variant}, ${one.scope}, `, time(one.since))),
      others.map((one) => h("li", {}, h("a", { href: hash(`/errors/${encodeURIComponent(key.code)}`, { domain: key.domain, environment: one.environment }) }, one.environment), " ", number(one.twentyFourHours ?? one.count), " ", t("error.inDay")))));
}

function sample({ seq, receivedAt, event, ...rest }) {
  const shown = event ?? rest;
  return h("details", { "data-key": `s${seq}` },
    h("summary", {}, time(receivedAt), " ", [shown.source, shown.stage, shown.app?.version, shown.os && `${shown.os.name} ${shown.os.version ?? ""}`, shown.region, shown.orderRef].filter(Boolean).join(" · "), shown.error?.message ? h("span", { class: "quiet" }, " ", shown.error.message) : null),
    shown.attemptId ? h("p", {}, h("a", { href: links.attempt(shown.attemptId, shown.environment) }, t("attempt.of", { id: shown.attemptId }))) : null,
    h("pre", { tabindex: "0" }, JSON.stringify(shown, null, 2)));
}

function rules(domain, isOneOfMany, isMeaningShown) {
  return h("section", { class: "block", "aria-label": t("error.rules") },
    h("h2", {}, isOneOfMany ? `${t("error.rules")}: ${domain.domain}` : t("error.rules")),
    isMeaningShown ? h("p", {}, mark("class", domain.class, classTone(domain.class)), " ", domain.name ?? "", " ", h("span", { class: "quiet" }, domain.why)) : null,
    h("table", { class: "list" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("rule")), h("th", { scope: "col", class: "num" }, t("rule.count")), h("th", { scope: "col" }, t("rule.holds")))),
      h("tbody", {}, domain.rules.filter((rule) => rule.matches !== "no").map((rule) => {
        const group = rule.groups[0];
        return h("tr", { "data-key": rule.id },
          h("th", { scope: "row" }, rule.id, h("div", { class: "quiet" }, rule.description)),
          h("td", { class: "num" }, group ? `${number(Math.min(group.count, rule.threshold))} / ${number(rule.threshold)}` : "–", h("div", { class: "quiet" }, duration(rule.windowMs))),
          h("td", {}, group?.alert ? h("div", {}, h("a", { href: links.alert(group.alert.id) }, term("alertState", group.alert.state))) : null, [...(group?.holds ?? []), ...rule.holds].map((hold) => h("div", {}, hold.detail))));
      }))));
}
