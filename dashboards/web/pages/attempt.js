// One attempt to pay: whether money moved, and what may be done now.
import { h } from "../dom.js";
import * as api from "../api.js";
import { age, amounts, time } from "../format.js";
import { t, term } from "../words.js";
import { settle } from "../parts/acts.js";
import { copyButton } from "../parts/copy.js";
import { keyText, links } from "../parts/scope.js";

/** What the daemon knows of it; of an older one its events alone. */
export async function load({ name, environment, signal, shared }) {
  const attempt = await api.getIfAny(`v1/attempts/${encodeURIComponent(name)}`, { environment }, signal);
  const found = attempt?.events ? null : await api.getIfAny("v1/events", { attemptId: name, environment, limit: 100 }, signal);
  return { ...shared, attempt, events: attempt?.events ?? found?.events ?? [] };
}

/** @returns {Element} */
export function render({ attempt, events }, view) {
  return h("div", { class: "page" },
    h("div", { class: "title" }, h("h1", {}, t("attempt.of", { id: view.name })),
      h("div", { class: "acts" },
        attempt?.inDoubt ? h("button", { type: "button", disabled: !view.mayOperate, title: view.mayOperate ? null : view.whyNot, onclick: () => settle(view, { attemptId: view.name, ...attempt }) }, t("settle")) : null,
        copyButton(view, t("copy.link"), () => location.href))),
    attempt ? h("dl", { class: "facts" },
      h("dt", {}, t("error.money")), h("dd", {}, h("strong", {}, term("money", attempt.money))),
      attempt.advice ? [h("dt", {}, t("attempt.advice")), h("dd", {}, term("advice", attempt.advice))] : null,
      attempt.inDoubtSince ? [h("dt", {}, t("doubt.since")), h("dd", {}, time(attempt.inDoubtSince), " (", age(attempt.inDoubtSince), ")")] : null,
      attempt.webAllowed === undefined ? null : [h("dt", {}, t("attempt.web")), h("dd", {}, t(attempt.webAllowed ? "yes" : "no"))],
      attempt.orderRef ? [h("dt", {}, t("doubt.order")), h("dd", {}, attempt.orderRef)] : null,
      attempt.amount ? [h("dt", {}, t("errors.amount")), h("dd", {}, amounts([attempt.amount]))] : null) : null,
    h("section", { class: "block", "aria-label": t("attempt.events") }, h("h2", {}, t("attempt.events")),
      events.length ? h("ol", { class: "timeline" }, events.map(entry)) : h("p", { class: "quiet" }, t("attempt.none"))));
}

function entry(record) {
  if (record.settled) {
    return h("li", { "data-key": `e${record.seq}` }, time(record.at), h("div", {}, h("strong", {}, t("attempt.settled", { result: term("result", record.settled.result) })), h("div", { class: "quiet" }, `${record.settled.actor}: ${record.settled.note}`)));
  }
  if (record.unreadable) return h("li", { "data-key": `e${record.seq}` }, `#${record.seq}`, h("div", { class: "problem" }, record.unreadable));
  const event = record.event ?? record;
  const error = event.error;
  return h("li", { "data-key": `e${record.seq}`, class: event.outcome === "failed" ? "tone-warn" : "" }, time(record.at ?? record.receivedAt ?? event.occurredAt),
    h("div", {},
      h("div", {}, h("strong", {}, term("outcome", event.outcome)), ` ${term("stage", event.stage)} `, error ? h("a", { href: links.error(error.code, error.domain, event.environment) }, keyText(error.domain, error.code)) : null),
      error?.message ? h("div", { class: "quiet" }, error.message) : null,
      h("details", {}, h("summary", { class: "quiet" }, t("attempt.all")), h("pre", { tabindex: "0" }, JSON.stringify(event, null, 2)))));
}
