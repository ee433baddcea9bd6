// Known causes that fit, with how to verify them and what to do.
import { h } from "../dom.js";
import { t, term } from "../words.js";

/** @returns {Element|null} */
export function diagnoses(list) {
  if (!list?.length) return null;
  return h("section", { class: "block", "aria-label": t("diagnosis") }, h("h2", {}, t("diagnosis")), list.map((one) => h("div", { class: "stack", "data-key": one.id },
    h("p", {}, h("strong", {}, one.title ?? one.cause), " ", h("span", { class: "quiet" }, `[${one.id}${counted(one)}]`)),
    one.title ? h("p", {}, one.cause) : null,
    one.nextStep ? h("p", {}, t("next"), " ", h("strong", {}, one.nextStep)) : null,
    facts("matched", one), facts("unmatched", one), facts("unknown", one),
    one.verify?.length ? [h("h3", {}, t("diagnosis.verify")), h("ul", { class: "plain" }, one.verify.map((step) => h("li", {}, step.check, step.command ? h("pre", { tabindex: "0" }, step.command) : null)))] : null,
    h("p", { class: "quiet" }, [one.owner && t("diagnosis.owner", { who: one.owner }), one.class && one.class !== "unknown" && term("class", one.class)].filter(Boolean).join(" · ")),
    link(one.runbook))));
}

function counted({ matched, unmatched, unknown }) {
  if (!matched) return "";
  return `, ${t("diagnosis.matched", { n: matched.length, of: matched.length + (unmatched?.length ?? 0) + (unknown?.length ?? 0) })}`;
}

/** What speaks for it, against it, and what isn't known. */
function facts(kind, one) {
  return one[kind]?.length ? h("p", {}, h("span", { class: "quiet" }, t(`diagnosis.${kind}.label`)), " ", one[kind].map((fact) => (typeof fact === "string" ? fact : fact.text ?? JSON.stringify(fact))).join(" · ")) : null;
}

/** Only addresses of the web become links. */
function link(text) {
  if (!text) return null;
  return /^https?:\/\//.test(text) ? h("p", {}, h("a", { href: text, rel: "noreferrer" }, t("runbook"))) : h("p", {}, t("runbook"), ": ", text);
}
