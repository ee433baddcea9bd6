// All alerts, a page at a time, and the silences in force.
import { h } from "../dom.js";
import * as api from "../api.js";
import { number, time } from "../format.js";
import { t, term } from "../words.js";
import { expire } from "../parts/acts.js";
import { alertRows } from "../parts/alerts.js";
import { hash } from "../parts/scope.js";

const PAGE = 50;
const STATES = ["open", "pending", "firing", "mitigated", "resolved", "all"];
const ASKED = { open: "pending,firing", all: undefined };

/** A page of alerts by their state. */
export async function load({ query, environment, signal, shared }) {
  const state = STATES.includes(query.state) ? query.state : "open";
  const [page, silences] = await Promise.all([
    api.get("v1/alerts", { state: state in ASKED ? ASKED[state] : state, environment, limit: PAGE, cursor: query.cursor }, signal),
    api.getIfAny("v1/silences", {}, signal),
  ]);
  return { ...shared, page, silences: silences?.silences ?? [] };
}

/** @returns {Element} */
export function render({ page, silences }, view) {
  const chosen = STATES.includes(view.query.state) ? view.query.state : "open";
  return h("div", { class: "page" },
    h("h1", {}, t("alerts")),
    h("section", { class: "block", "aria-label": t("alerts") },
      h("div", { class: "controls" }, h("label", {}, t("alerts.state"), " ", h("select", { onchange: (event) => view.go("/alerts", { state: event.target.value === "open" ? undefined : event.target.value }) },
        STATES.map((value) => h("option", { value, selected: value === chosen }, value === "open" || value === "all" ? t(value === "all" ? "alerts.every" : "alerts.open") : term("alertState", value)))))),
      page.alerts.length ? alertRows(page.alerts, view) : h("p", { class: "quiet" }, t(chosen === "open" ? "calm" : "alerts.none")),
      page.nextCursor || view.query.cursor ? h("nav", { class: "pages", "aria-label": t("alerts.pages") },
        view.query.cursor ? h("a", { href: hash("/alerts", { ...view.query, cursor: undefined }) }, t("pages.first")) : null,
        page.nextCursor ? h("a", { rel: "next", href: hash("/alerts", { ...view.query, cursor: page.nextCursor }) }, t("pages.older")) : null) : null),
    h("section", { class: "block", "aria-labelledby": "silences-title" }, h("h2", { id: "silences-title" }, t("silences")),
      silences.length ? h("ul", {}, silences.map((one) => silence(one, view))) : h("p", { class: "quiet" }, t("silences.none"))));
}

function silence(one, view) {
  return h("li", { class: "row", "data-key": one.id },
    h("div", { class: "what" }, one.matchers.map(({ name, op, value }) => h("code", {}, `${name} ${op ?? "="} ${value}`))),
    h("div", { class: "why" }, h("span", {}, one.comment), h("span", {}, t("history.by", { who: one.createdBy })), h("span", {}, one.untilResolved ? t("silences.untilResolved") : t("until"), " ", time(one.endsAt)), h("span", {}, t("silences.hides", { n: number(one.hidesCount ?? 0) }))),
    h("div", { class: "acts" }, h("button", { type: "button", disabled: !view.mayOperate, title: view.mayOperate ? null : view.whyNot, onclick: () => expire(view, one) }, t("expire"))));
}
