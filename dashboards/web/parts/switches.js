// The switches as rows: state, where payers go, since when, why, and what comes next.
import { h } from "../dom.js";
import { age, time, until } from "../format.js";
import { t, term } from "../words.js";
import { links, scopeText } from "./scope.js";
import { mark, stateTone } from "./mark.js";
import { override } from "./acts.js";

/** One row for a switch as a whole, and one for each slice that differs. */
export function switchRows(data, view) {
  const outlooks = data.outlook?.switches ?? [];
  return h("ul", { class: "switches" }, data.switches.switches.map((one) => {
    const outlook = outlooks.find((other) => other.key === one.key);
    return h("li", { class: "switch", "data-key": one.key },
      row(one, {}, one, outlook, view),
      one.scopes.map((scope) => row(one, scope.match, scope, outlook, view)));
  }));
}

function row(one, match, status, outlook, view) {
  const slice = outlook?.scopes.find((scope) => sameMatch(scope.match, match));
  const isWhole = status === one;
  const isNormal = status.state === "normal" && !status.override;
  // In a dry run the machine moves, and nobody else.
  const isMoved = !isNormal && !(one.mode === "dryRun" && !status.override);
  const id = `${one.key} ${scopeText(match)}`;
  return h("div", { class: `row ${isMoved ? "tone-warn" : ""} ${view.flipped.has(id) ? "flipped" : ""}`, "data-key": id },
    h("div", { class: "what" },
      isWhole ? h("a", { class: "name", href: links.switch(one.key, view.environment) }, one.key) : h("span", { class: "name inner" }, "↳ ", scopeText(match)),
      mark("state", status.state, isMoved ? stateTone(status.state) : "calm"),
      h("span", { class: "route" }, "→ ", status.variant),
      isWhole && one.scopes.length ? h("span", { class: "quiet" }, t("scope.rest")) : isWhole ? h("span", { class: "quiet" }, t("scope.all")) : null,
      one.mode ? h("span", { class: "tag" }, term("mode", one.mode)) : null),
    h("div", { class: "why" },
      isNormal ? null : h("span", {}, t("since"), " ", time(isWhole ? one.since : slice?.since), " (", age(isWhole ? one.since : slice?.since), ")"),
      next(status, slice, isNormal),
      status.override ? h("span", {}, t("override.by", { variant: status.override.variant, actor: slice?.override?.actor ?? t("somebody") }), " ", until(status.override.endsAt)) : null,
      isWhole && one.reason && !isNormal ? reason(one.reason) : null),
    h("div", { class: "acts" }, h("button", {
      type: "button", disabled: !view.mayOperate, title: view.mayOperate ? null : view.whyNot,
      onclick: () => override(view, { key: one.key, match, status, outlook }),
    }, t("override"))));
}

/** What the machine does next, with a countdown. */
export function next(status, slice, isNormal) {
  if (isNormal || !slice) return null;
  if (slice.asksPerson) return h("strong", {}, t("next.person"));
  const trying = slice.trying ? t("trying", { share: 100 - (status.percent ?? 100), attempts: slice.trying.attempts, wanted: slice.trying.attemptsWanted, failures: slice.trying.failures }) : null;
  if (!slice.next) return trying ? h("span", {}, trying) : h("span", {}, t(status.state === "locked" ? "next.locked" : "next.manual"));
  return [trying ? h("span", {}, trying) : null, h("span", {}, t(`next.${slice.next.step}`), " ", until(slice.next.at))];
}

function reason(given) {
  const text = given.summary;
  return h("span", { class: "reason" }, given.alert ? h("a", { href: links.alert(given.alert) }, text) : text);
}

/** Whether two slices are the same. */
export function sameMatch(one, other) {
  const names = Object.keys(one ?? {}).filter((name) => name !== "environment");
  const others = Object.keys(other ?? {}).filter((name) => name !== "environment");
  return names.length === others.length && names.every((name) => one[name] === other[name]);
}
