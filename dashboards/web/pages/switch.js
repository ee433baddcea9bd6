// One switch: what is served, what its automation would do, what it did.
import { h } from "../dom.js";
import * as api from "../api.js";
import { age, serverNow, time, until } from "../format.js";
import { t, term } from "../words.js";
import { changeMode, clearOverride, move, override } from "../parts/acts.js";
import { copyButton } from "../parts/copy.js";
import { historyAxis, historyTable } from "../parts/history.js";
import { alertTitle, links, scopeText } from "../parts/scope.js";
import { mark, stateTone } from "../parts/mark.js";
import { next, sameMatch } from "../parts/switches.js";

/** The switch in one environment. */
export async function load({ name, query, environment, signal, shared }) {
  const [history, outlook, alerts] = await Promise.all([
    api.get(`v1/switches/${encodeURIComponent(name)}/history`, { limit: 100, cursor: query.cursor }, signal),
    api.getIfAny("v1/outlook", { environment }, signal),
    api.getIfAny("v1/alerts", { environment, limit: 200 }, signal),
  ]);
  const status = shared.switches.switches.find((one) => one.key === name);
  const transitions = history.transitions.filter((row) => row.environment === environment);
  return { ...shared, status, transitions, outlook: outlook?.switches.find((one) => one.key === name), at: outlook?.at, candidates: (alerts?.alerts ?? []).filter((alert) => alert.switch?.key === name && ["wouldHaveTripped", "overridden"].includes(alert.switch.action)), nextCursor: history.nextCursor };
}

/** @returns {Element} */
export function render(data, view) {
  const { status, outlook, transitions } = data;
  const normal = outlook?.variants.normal ?? "native";
  return h("div", { class: "page" },
    h("div", { class: "title" }, h("h1", {}, view.name), h("span", { class: "quiet" }, view.environment),
      outlook && outlook.mode !== "armed" ? h("span", { class: "tag" }, term("mode", outlook.mode)) : null,
      h("div", { class: "acts" },
        outlook ? button(view, t("mode.change"), () => changeMode(view, { key: view.name, mode: outlook.mode })) : null,
        copyButton(view, t("copy.link"), () => location.href))),
    status ? h("section", { class: "block", "aria-label": t("switch.now") }, h("h2", {}, t("switch.now")), comparison(data, view)) : h("p", { class: "quiet" }, t("switch.gone")),
    data.candidates.length ? h("section", { class: "block", "aria-label": t("switch.would") }, h("h2", {}, t("switch.would")),
      h("ul", { class: "plain" }, data.candidates.slice(0, 20).map((alert) => h("li", {}, time(alert.startsAt), " ", h("a", { href: links.alert(alert.id) }, alertTitle(alert)), " ", term("would", alert.switch.action))))) : null,
    h("section", { class: "block", "aria-label": t("switch.history") }, h("h2", {}, t("switch.history")),
      historyAxis(transitions, serverNow(), normal), historyTable(transitions)));
}

/** What is served beside what the automation alone would serve; equal unless a person or a mode says otherwise. */
function comparison({ status, outlook }, view) {
  const rows = [{ match: {}, served: status }, ...status.scopes.map((scope) => ({ match: scope.match, served: scope }))];
  return h("ul", {}, rows.map(({ match, served }) => {
    const slice = outlook?.scopes.find((scope) => sameMatch(scope.match, match));
    const alone = outlook && (served.state === "normal" ? outlook.variants.normal : outlook.variants.degraded);
    const key = view.name;
    const isNormal = served.state === "normal";
    return h("li", { class: `row ${isNormal && !served.override ? "" : "edge tone-warn"}`, "data-key": scopeText(match) },
      h("div", { class: "what" }, h("span", { class: "name" }, scopeText(match)), mark("state", served.state, stateTone(served.state)),
        h("span", {}, t("switch.served"), " ", h("strong", {}, served.variant)),
        alone ? h("span", { class: alone === served.variant ? "quiet" : "warn-line" }, t("switch.alone", { variant: alone })) : null),
      h("div", { class: "why" },
        slice ? h("span", {}, t("since"), " ", time(slice.since), " (", age(slice.since), ")") : null,
        next(served, slice, isNormal),
        served.override ? h("span", {}, t("override.by", { variant: served.override.variant, actor: slice?.override?.actor ?? t("somebody") }), " ", until(served.override.endsAt), ": ", served.override.summary) : null,
        served === status && status.reason && !isNormal ? h("span", {}, status.reason.alert ? h("a", { href: links.alert(status.reason.alert) }, status.reason.summary) : status.reason.summary) : null),
      h("div", { class: "acts" },
        served.override ? button(view, t("clear"), () => clearOverride(view, { key, match })) : button(view, t("override"), () => override(view, { key, match, status: served, outlook })),
        isNormal ? button(view, t("trip"), () => move(view, { key, match, verb: "trip", variant: outlook?.variants.degraded ?? "web" }))
          : button(view, t("restore"), () => move(view, { key, match, verb: "restore", variant: outlook?.variants.normal ?? "native" }))));
  }));
}

function button(view, text, act) {
  return h("button", { type: "button", disabled: !view.mayOperate, title: view.mayOperate ? null : view.whyNot, onclick: act }, text);
}
