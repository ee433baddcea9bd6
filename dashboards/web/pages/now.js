// What is broken now, for whom, what Shunt did, and what comes next.
import { h } from "../dom.js";
import * as api from "../api.js";
import { age, amounts, number, percent } from "../format.js";
import { currentLanguage, t, term } from "../words.js";
import { hash, keyText, links } from "../parts/scope.js";
import { switchRows } from "../parts/switches.js";
import { alertRows, openAlerts } from "../parts/alerts.js";
import { bar } from "../parts/bar.js";
import { errorTable } from "../parts/errors.js";

const SHOWN_ALERTS = 8;
const PAGE = 50;

/** Everything that the page shows; what the daemon doesn't have is null. */
export async function load({ query, environment, signal, shared }) {
  const windowSec = query.window ?? "300";
  const skipped = Number(query.skip ?? 0);
  const filtered = Boolean(query.find);
  const [errors, inDoubt, outlook] = await Promise.all([
    filtered ? everyError(query, environment, windowSec, signal)
      : api.getIfAny("v1/errors", { environment, windowSec, class: query.class, limit: PAGE, cursor: skipped || undefined }, signal),
    api.getIfAny("v1/inDoubt", { environment, limit: 20 }, signal),
    api.getIfAny("v1/outlook", { environment }, signal),
  ]);
  return { ...shared, alerts: await withDetails(shared.alerts, signal), errors, inDoubt, outlook };
}

const details = new Map();
/** How long money and causes of an alert may stand before they are asked for again. */
const DETAILS_MS = 15_000;

/** The alerts that are shown first, with what only their own addresses tell: payers, money, cause and next step. */
async function withDetails(alerts, signal) {
  const shown = openAlerts(alerts).slice(0, SHOWN_ALERTS);
  const lang = currentLanguage();
  await Promise.all(shown.map(async ({ id, state }) => {
    const known = details.get(id);
    if (known && known.state === state && known.lang === lang && Date.now() - known.at < DETAILS_MS) return;
    const alert = await api.getIfAny(`v1/alerts/${encodeURIComponent(id)}`, { lang }, signal);
    if (alert) details.set(id, { alert, state, lang, at: Date.now() });
  }));
  if (details.size > 100) details.clear();
  // What the list says is newer.
  return alerts.map((alert) => (details.has(alert.id) ? { ...details.get(alert.id).alert, ...alert } : alert));
}

/** A filter looks at all keys, not only at those of one page. */
async function everyError(query, environment, windowSec, signal) {
  const found = [];
  let cursor;
  let answer;
  do {
    answer = await api.getIfAny("v1/errors", { environment, windowSec, class: query.class, limit: 1000, cursor }, signal);
    if (!answer) return null;
    const wanted = query.find.toLowerCase();
    found.push(...answer.errors.filter((row) => `${row.domain}/${row.code}`.toLowerCase().includes(wanted)));
    cursor = answer.nextCursor;
  } while (cursor && found.length < 2000);
  const skipped = Number(query.skip ?? 0);
  return { ...answer, errors: found.slice(skipped, skipped + PAGE), total: found.length, nextCursor: found.length > skipped + PAGE ? String(skipped + PAGE) : undefined };
}

/** @returns {Element} */
export function render(data, view) {
  const alerts = openAlerts(data.alerts);
  const degraded = data.switches.switches.some((one) => one.state !== "normal" || one.override || one.scopes.length);
  return h("div", { class: "page" },
    h("h1", { class: "aside" }, t("now.title")),
    block("switches", t("switches"), switchRows(data, view)),
    block("alerts", t("alerts"), alerts.length
      ? [alertRows(alerts.slice(0, SHOWN_ALERTS), view),
        alerts.length > SHOWN_ALERTS ? h("p", { class: "more" }, h("a", { href: hash("/alerts", { environment: view.environmentQuery }) }, t("alerts.all", { n: number(alerts.length) }))) : null]
      : h("p", { class: "quiet calm-line" }, calmLine(data, degraded))),
    data.errors === null ? null : block("errors", t("errors"), errorTable(data.errors, view, PAGE)),
    h("div", { class: "pair" },
      data.inDoubt === null ? null : block("doubt", t("doubt"), doubt(data.inDoubt, view)),
      data.errors === null ? null : block("payments", t("payments"), payments(data.errors))));
}

function block(id, title, ...content) {
  return h("section", { class: `block ${id}`, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), content);
}

function calmLine(data) {
  const errors = data.errors;
  if (!errors?.attempts) return t("calm");
  if (!errors.succeeded) return t("calm.attempts", { n: number(errors.attempts), window: term("window", errors.windowSec) });
  return t("calm.payments", { n: number(errors.attempts), window: term("window", errors.windowSec), share: percent((errors.succeeded / errors.attempts) * 100) });
}

function payments(errors) {
  const routes = errors.routes ?? [];
  if (!routes.length) return h("p", { class: "quiet" }, t("payments.none"));
  const most = Math.max(...routes.map((route) => route.attempts));
  return h("table", { class: "list" },
    h("thead", {}, h("tr", {}, [["route", ""], ["attempts", "num"], ["failed", "num"], ["succeeded", "num"]].map(([name, css]) => h("th", { scope: "col", class: css }, t(`payments.${name}`))))),
    h("tbody", {}, routes.map((route) => h("tr", {},
      h("th", { scope: "row" }, route.route ?? t("payments.unknown"), bar(route.attempts / most)),
      h("td", { class: "num" }, number(route.attempts)),
      h("td", { class: "num" }, number(route.failed)),
      h("td", { class: "num" }, route.attempts ? percent((route.succeeded / route.attempts) * 100) : "–")))));
}

function doubt(inDoubt) {
  const rows = inDoubt.attempts ?? [];
  if (!inDoubt.count && !rows.length) return h("p", { class: "quiet" }, t("doubt.none"));
  return [
    h("p", { class: "warn-line" }, t("doubt.sum", { n: number(inDoubt.count ?? rows.length), amount: amounts(inDoubt.totals) })),
    h("table", { class: "list" },
      h("thead", {}, h("tr", {}, ["order", "stage", "code", "amount", "age"].map((name) => h("th", { scope: "col", class: name === "amount" || name === "age" ? "num" : "" }, t(`doubt.${name}`))))),
      h("tbody", {}, rows.slice(0, 20).map((row) => h("tr", {},
        h("th", { scope: "row" }, row.attemptId ? h("a", { href: links.attempt(row.attemptId, row.environment) }, row.orderRef ?? row.attemptId) : row.orderRef ?? "–"),
        h("td", {}, term("stage", row.stage)),
        h("td", {}, row.error ? h("a", { href: links.error(row.error.code, row.error.domain, row.environment) }, keyText(row.error.domain, row.error.code)) : "–"),
        h("td", { class: "num" }, row.amount ? amounts([row.amount]) : "–"),
        h("td", { class: "num" }, age(row.inDoubtSince)))))),
    (inDoubt.count ?? 0) > 20 ? h("p", { class: "quiet" }, t("doubt.more", { n: number(inDoubt.count - Math.min(20, rows.length)) })) : null,
  ];
}

