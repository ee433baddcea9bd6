// The frame around all pages: where one is, what is loaded, and whether the daemon answers.
import { h, morph } from "./dom.js";
import * as api from "./api.js";
import { live } from "./live.js";
import { clock, serverNow, setServerTime, tick } from "./format.js";
import { chooseLanguage, languageTag, t, term } from "./words.js";
import { askToken, banner, header } from "./parts/frame.js";
import { scopeText } from "./parts/scope.js";
import * as now from "./pages/now.js";
import * as alerts from "./pages/alerts.js";
import * as alert from "./pages/alert.js";
import * as error from "./pages/error.js";
import * as switchPage from "./pages/switch.js";
import * as rules from "./pages/rules.js";
import * as audit from "./pages/audit.js";
import * as attempt from "./pages/attempt.js";

const PAGES = [
  [/^\/$/, now, "nav.now"], [/^\/alerts$/, alerts, "nav.alerts"], [/^\/alerts\/([^/]+)$/, alert, "nav.alerts"],
  [/^\/errors\/(.+)$/, error, "nav.now"], [/^\/switches\/([^/]+)$/, switchPage, "nav.now"],
  [/^\/rules$/, rules, "nav.rules"], [/^\/audit$/, audit, "nav.audit"], [/^\/attempts\/(.+)$/, attempt, "nav.now"],
];

const state = {
  access: { tokens: false, read: true, operate: true }, data: null, failure: null, lastAt: null, isGone: false, isBusy: false,
  routes: new Map(), flipped: new Set(), place: null, count: 0, hasMore: false, version: null,
};
const spoken = h("div", { class: "aside", "aria-live": "polite", role: "status" });
const frame = h("div", { id: "frame" });

chooseLanguage(localStorage.getItem("shunt.language"), navigator.languages ?? []);
applyTheme();
document.body.append(frame, spoken);
addEventListener("hashchange", arrive);
setInterval(() => tick(frame), 1000);
const feed = live({ refresh, place: () => state.place });
arrive();

/** What pages get to work with. */
function view() {
  return {
    ...state.place, mayOperate: state.access.operate, flipped: state.flipped,
    whyNot: state.access.tokens && !state.access.name ? t("why.token") : t("why.role"),
    environmentQuery: state.place.environment === "production" ? undefined : state.place.environment,
    go, done, say, again: () => feed.now(),
  };
}

function arrive() {
  const [path, search] = (location.hash.replace(/^#/, "") || "/").split("?", 2);
  const query = Object.fromEntries(new URLSearchParams(search ?? ""));
  const found = PAGES.map(([pattern, page, section]) => ({ match: pattern.exec(path), page, section })).find(({ match }) => match);
  const former = state.place;
  state.place = {
    path, query, page: found?.page, section: found?.section, environment: query.environment || "production",
    name: decode(found?.match[1]),
  };
  if (!former || former.path !== path || former.environment !== state.place.environment) {
    state.data = null;
    state.failure = null;
    state.flipped.clear();
    if (former && former.environment !== state.place.environment) state.routes.clear();
    scrollTo(0, 0);
    draw();
    // Whoever goes by keyboard or hears the page begins at its top.
    if (former) frame.querySelector("main")?.focus({ preventScroll: true });
  }
  feed.now();
}

function decode(text) {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function refresh(signal) {
  const place = state.place;
  const { environment } = place;
  try {
    state.access = (await api.getIfAny("v1/access", {}, signal)) ?? state.access;
    if (!state.access.read) throw new api.Failure(401, "tokenMissing", "");
    const [switches, open] = await Promise.all([
      api.get("v1/switches", { environment }, signal),
      api.get("v1/alerts", { state: "pending,firing", environment, limit: 500 }, signal),
    ]);
    const shared = { switches, alerts: open.alerts, hasMoreAlerts: Boolean(open.nextCursor) };
    const data = place.page ? await place.page.load({ ...place, signal, shared }) : shared;
    if (state.place !== place) return;
    notice(switches);
    state.data = data;
    state.failure = null;
    state.count = open.alerts.filter((one) => one.rule !== "watchdog" && one.severity !== "info").length;
    state.hasMore = shared.hasMoreAlerts;
    state.version = switches.version;
    state.lastAt = Date.now();
    if (data.at ?? data.outlook?.at) setServerTime(data.at ?? data.outlook.at);
    state.isGone = false;
  } catch (failure) {
    if (signal.aborted || state.place !== place) return;
    state.isGone = failure.status === 0 || failure.status >= 500;
    // It answers, but not this: too much at once, or a disk that is full.
    state.isBusy = failure.status >= 500;
    if (!state.isGone) {
      state.failure = failure;
      if (failure.status === 401 || failure.status === 403) state.access = { ...state.access, read: false, operate: false };
    } else if (!(failure instanceof api.Failure)) {
      console.error(failure);
    }
  }
  draw();
}

/** Tells of switches that moved since the last look. */
function notice(document) {
  const seen = new Map();
  for (const one of document.switches) {
    seen.set(`${one.key} ${scopeText({})}`, [one.key, scopeText({}), one.variant, one.state]);
    for (const scope of one.scopes) seen.set(`${one.key} ${scopeText(scope.match)}`, [one.key, scopeText(scope.match), scope.variant, scope.state]);
  }
  const isFirst = state.routes.size === 0;
  const moved = [...seen].filter(([id, [, , variant, phase]]) => state.routes.get(id) !== `${variant} ${phase}` && !isFirst);
  const gone = [...state.routes.keys()].filter((id) => !seen.has(id));
  state.routes = new Map([...seen].map(([id, [, , variant, phase]]) => [id, `${variant} ${phase}`]));
  if (!moved.length && !gone.length) return;
  state.flipped = new Set(moved.map(([id]) => id));
  setTimeout(() => {
    state.flipped.clear();
    draw();
  }, 2000);
  say([...moved.map(([, [key, scope, variant, phase]]) => t("say.moved", { key, scope, variant, state: term("state", phase) })), ...gone.map((id) => t("say.back", { id }))].join(" "));
}

function say(text) {
  spoken.textContent = text;
}

function done(text) {
  say(text);
  feed.now();
}

function go(path, query = {}) {
  const pairs = Object.entries({ environment: state.place.query.environment, ...query }).filter(([, value]) => value !== undefined && value !== "");
  location.hash = `${path}${pairs.length ? `?${new URLSearchParams(pairs)}` : ""}`;
}

function draw() {
  document.documentElement.lang = languageTag();
  const current = view();
  const main = h("main", { id: "main", tabindex: "-1", "data-place": location.hash.slice(1) || "/" }, banner(state), body(current));
  const fresh = h("div", { id: "frame" },
    h("a", { class: "skip", href: "#main", onclick: skip }, t("skip")),
    header(state, { ...current, setLanguage, setTheme, setToken, updated: state.lastAt ? clock(new Date(serverNow() - (Date.now() - state.lastAt)), { zone: true }) : null }),
    main,
    h("footer", {}, t("footer"), " ", h("a", { href: "openapi.json" }, "openapi.json")));
  morph(frame, fresh);
  document.title = title(current);
}

function skip(event) {
  event.preventDefault();
  frame.querySelector("main").focus();
}

function title(current) {
  const count = state.count ? `(${state.count}) ` : "";
  const name = current.name ? ` ${current.name}` : "";
  return `${count}${t(current.section ?? "nav.now")}${name} – Shunt`;
}

function body(current) {
  if (!current.page) return h("div", { class: "page" }, h("h1", {}, t("nowhere")), h("p", {}, h("a", { href: "#/" }, t("nav.now"))));
  if (!state.access.read) return h("div", { class: "page" }, h("h1", {}, t("token.needed")), h("p", {}, t(`token.${state.access.refusal ?? "missing"}`)), h("p", {}, h("button", { type: "button", class: "primary", onclick: () => askToken({ setToken }) }, t("token.enter"))));
  if (state.failure) return h("div", { class: "page" }, h("h1", {}, t(state.failure.status === 404 ? "notThere" : "refusedTitle")), h("p", { class: "problem" }, state.failure.message));
  if (!state.data) return h("div", { class: "page", "aria-busy": "true" }, h("p", { class: "quiet" }, state.isGone ? "" : t("loading")));
  return current.page.render(state.data, current);
}

function setLanguage(value) {
  localStorage.setItem("shunt.language", value);
  chooseLanguage(value, []);
  draw();
  feed.now();
}

function setTheme(value) {
  localStorage.setItem("shunt.theme", value);
  applyTheme();
  draw();
}

function applyTheme() {
  const theme = localStorage.getItem("shunt.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function setToken(text) {
  api.token.set(text);
  state.data = null;
  feed.now();
}
