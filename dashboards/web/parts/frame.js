// Head and banner of every page.
import { h } from "../dom.js";
import { clock, number } from "../format.js";
import { currentLanguage, t } from "../words.js";
import * as api from "../api.js";
import { ask, field } from "./dialog.js";
import { hash } from "./scope.js";

const ENVIRONMENTS = ["production", "sandbox", "test", "simulator", "drill"];
const SECTIONS = [["/", "nav.now"], ["/alerts", "nav.alerts"], ["/rules", "nav.rules"], ["/audit", "nav.audit"]];

/** The head: where one is, how it stands, and what one sees it with. */
export function header(state, view) {
  const environments = ENVIRONMENTS.includes(view.environment) ? ENVIRONMENTS : [...ENVIRONMENTS, view.environment];
  return h("header", { class: "head" },
    h("div", { class: "ribbon" },
      h("a", { class: "brand", href: hash("/", { environment: view.environmentQuery }) }, "Shunt"),
      h("label", {}, h("span", { class: "aside" }, t("environment")), h("select", { class: "environment", onchange: (event) => view.go(view.path === "/" || view.section !== "nav.now" ? view.path : "/", { environment: event.target.value === "production" ? "" : event.target.value }) },
        environments.map((name) => h("option", { value: name, selected: name === view.environment }, name)))),
      h("nav", { "aria-label": t("nav") }, SECTIONS.map(([path, name]) => h("a", { href: hash(path, { environment: view.environmentQuery }), "aria-current": view.section === name ? "page" : null }, t(name)))),
      h("form", { class: "find", role: "search", onsubmit: find }, h("input", { name: "code", "aria-label": t("find"), placeholder: t("find"), autocomplete: "off", spellcheck: "false", maxlength: 401 })),
      h("p", { class: "standing" },
        state.version === null ? null : [h("span", { class: state.count ? "strong" : "quiet" }, t("alerts.n", { n: `${number(state.count)}${state.hasMore ? "+" : ""}` })), h("span", { class: "figure quiet" }, `v${state.version}`)],
        h("span", { class: `figure ${state.isGone ? "tone-bad" : "quiet"}` }, state.isGone ? t(state.isBusy ? "live.busy" : "live.gone") : view.updated ? [t("live"), " ", h("span", { "aria-hidden": "true" }, "● "), view.updated] : state.access.read ? t("loading") : "")),
      h("div", { class: "tools" },
        h("button", { type: "button", lang: currentLanguage() === "zh" ? "en" : "zh-CN", onclick: () => view.setLanguage(currentLanguage() === "zh" ? "en" : "zh") }, currentLanguage() === "zh" ? "English" : "中文"),
        h("button", { type: "button", onclick: () => view.setTheme(isDark() ? "light" : "dark") }, t(isDark() ? "theme.light" : "theme.dark")),
        state.access.tokens ? h("button", { type: "button", onclick: () => askToken(view) }, state.access.name ? t("token.of", { name: state.access.name }) : t("token.enter")) : null)));

  function find(event) {
    event.preventDefault();
    const text = new FormData(event.target).get("code").trim();
    if (!text) return;
    const slash = text.indexOf("/");
    const [domain, code] = slash > 0 ? [text.slice(0, slash), text.slice(slash + 1)] : [undefined, text];
    location.hash = hash(`/errors/${encodeURIComponent(code)}`, { domain, environment: view.environmentQuery }).slice(1);
  }
}

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Asks for a token, and takes one that the daemon knows. */
export function askToken(view) {
  ask({
    title: t("token.title"),
    fields: () => [field(t("token"), h("input", { name: "token", type: "password", autocomplete: "off", spellcheck: "false" }), t("token.hint"))],
    effect: (form) => (form.get("token") ? t("token.use") : t("token.forget")),
    act: async (form) => {
      const former = api.token.get();
      api.token.set(form.get("token").trim());
      const access = await api.get("v1/access");
      if (form.get("token") && !access.name) {
        api.token.set(former);
        throw new api.Failure(401, "tokenUnknown", t("token.unknown"));
      }
      view.setToken(api.token.get());
    },
  });
}

/** What stands above a page whose daemon is gone, and above one that can only be read. */
export function banner(state) {
  if (state.isGone && state.isBusy) {
    return h("p", { class: "banner bad", role: "alert" }, t("busy", { at: state.lastAt ? clock(new Date(state.lastAt)) : "–" }));
  }
  if (state.isGone) {
    return h("p", { class: "banner bad", role: "alert" }, state.lastAt ? t("gone", { at: clock(new Date(state.lastAt)) }) : t("gone.never"));
  }
  if (state.access.read && !state.access.operate) return h("p", { class: "banner" }, t("readOnly", { name: state.access.name ?? "–" }));
  return null;
}
