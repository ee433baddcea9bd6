// Known causes that fit, with how to verify them and what to do.
import { h } from "../dom.js";
import { t, term } from "../words.js";

/** @returns {Element|null} */
export function diagnoses(list) {
  if (!list?.length) return null;
  return h("section", { class: "block", "aria-label": t("diagnosis") }, h("h2", {}, t("diagnosis")), list.map((one) => h("div", { "data-key": one.id },
    h("p", {}, h("strong", {}, one.cause), " ", h("span", { class: "quiet" }, `[${one.id}${one.matched ? `, ${t("diagnosis.matched", { n: one.matched.length, of: one.matched.length + (one.unmatched?.length ?? 0) + (one.unknown?.length ?? 0) })}` : ""}]`)),
    one.nextStep ? h("p", {}, t("next"), " ", one.nextStep) : null,
    h("ul", { class: "plain" }, (one.verify ?? []).map((step) => h("li", {}, step.check, step.command ? h("pre", { tabindex: "0" }, step.command) : null))),
    h("p", { class: "quiet" }, [one.owner && t("diagnosis.owner", { who: one.owner }), one.class && term("class", one.class)].filter(Boolean).join(" · ")),
    link(one.runbook))));
}

/** Only addresses of the web become links. */
function link(text) {
  if (!text) return null;
  return /^https?:\/\//.test(text) ? h("p", {}, h("a", { href: text, rel: "noreferrer" }, t("runbook"))) : h("p", {}, text);
}
