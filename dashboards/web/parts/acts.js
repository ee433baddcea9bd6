// What an operator can do, each after a question that names the effect.
import { h } from "../dom.js";
import * as api from "../api.js";
import { duration } from "../format.js";
import { t, term } from "../words.js";
import { ask, durations, field } from "./dialog.js";
import { alertTitle, scopeText } from "./scope.js";

const path = (...parts) => parts.map((part, index) => (index % 2 ? encodeURIComponent(part) : part)).join("");
const reason = () => field(t("reason"), h("textarea", { name: "reason", required: true, maxlength: 500, rows: 2 }), t("reason.hint"));
const minutes = (seconds) => duration(seconds * 1000);

/** Takes an alert upon oneself. */
export function acknowledge(view, alert) {
  ask({
    title: t("ack.title", { what: alertTitle(alert) }),
    fields: () => [
      field(t("note"), h("textarea", { name: "note", maxlength: 500, rows: 2 }), t("note.hint")),
      field(t("lasts"), durations("for", [1800, 3600, 7200, 28800, 86400], 3600, minutes)),
    ],
    effect: (form) => t("ack.effect", { time: minutes(Number(form.get("for"))) }),
    act: async (form) => {
      await api.send("POST", path("v1/alerts/", alert.id, "/ack"), { note: form.get("note"), forSec: Number(form.get("for")) });
      view.done(t("ack.done", { what: alertTitle(alert) }));
    },
  });
}

/** Keeps alerts like this one from being told for a while. */
export function silence(view, alert) {
  const matchers = [{ name: "rule", value: alert.rule }, ...Object.entries(alert.group).map(([name, value]) => ({ name, value }))];
  ask({
    title: t("silence.title", { what: alertTitle(alert) }),
    fields: () => [
      h("p", {}, t("silence.hides")),
      h("ul", { class: "plain" }, matchers.map(({ name, value }) => h("li", {}, h("code", {}, `${name} = ${value}`)))),
      field(t("comment"), h("textarea", { name: "comment", required: true, maxlength: 500, rows: 2 }), t("comment.hint")),
      field(t("lasts"), h("select", { name: "for" }, [1800, 3600, 14400, 86400].map((value) => h("option", { value }, minutes(value))), h("option", { value: "resolved" }, t("silence.resolved")))),
    ],
    effect: (form) => (form.get("for") === "resolved" ? t("silence.effectResolved") : t("silence.effect", { time: minutes(Number(form.get("for"))) })),
    act: async (form) => {
      const end = form.get("for") === "resolved" ? { untilResolved: true } : { forSec: Number(form.get("for")) };
      await api.send("POST", "v1/silences", { matchers, comment: form.get("comment"), ...end });
      view.done(t("silence.done", { what: alertTitle(alert) }));
    },
  });
}

/** Ends a silence. */
export function expire(view, one) {
  ask({
    title: t("expire.title"),
    fields: () => [h("p", {}, one.comment)],
    effect: () => t("expire.effect", { n: one.hidesCount ?? 0 }),
    act: async () => {
      await api.send("DELETE", path("v1/silences/", one.id));
      view.done(t("expire.done"));
    },
  });
}

/** Sends a slice's payers one way until an end. */
export function override(view, { key, match, status, outlook }) {
  const variants = outlook ? [outlook.variants.degraded, outlook.variants.normal] : [status.variant];
  const scope = { environment: view.environment, ...match };
  const who = t("payers.of", { scope: scopeWords(view, match) });
  ask({
    title: t("override.title", { key, scope: scopeWords(view, match) }),
    fields: () => [
      field(t("route"), h("select", { name: "variant" }, variants.map((value) => h("option", { value }, value)))),
      reason(),
      field(t("lasts"), durations("for", [900, 1800, 3600, 14400, 43200, 86400], 3600, minutes), t("override.hint")),
    ],
    tone: "heavy",
    effect: (form) => t("override.effect", { who, variant: form.get("variant"), time: minutes(Number(form.get("for"))) }),
    act: async (form) => {
      await api.send("POST", path("v1/switches/", key, "/override"), { variant: form.get("variant"), scope, reason: form.get("reason"), expiresInSec: Number(form.get("for")) });
      view.done(t("override.done", { key, variant: form.get("variant") }));
    },
  });
}

/** Ends an override. */
export function clearOverride(view, { key, match }) {
  ask({
    title: t("clear.title", { key, scope: scopeWords(view, match) }),
    fields: () => [reason()],
    effect: () => t("clear.effect"),
    act: async (form) => {
      await api.send("DELETE", path("v1/switches/", key, "/override"), undefined, { environment: view.environment, ...match, reason: form.get("reason") });
      view.done(t("clear.done", { key }));
    },
  });
}

/** Degrades a slice, or brings it back, and leaves the rest to the machine. */
export function move(view, { key, match, verb, variant }) {
  const who = t("payers.of", { scope: scopeWords(view, match) });
  ask({
    title: t(`${verb}.title`, { key, scope: scopeWords(view, match) }),
    fields: () => [reason()],
    tone: "heavy",
    effect: () => t(`${verb}.effect`, { who, variant }),
    act: async (form) => {
      await api.send("POST", path("v1/switches/", key, `/${verb}`), { reason: form.get("reason"), scope: { environment: view.environment, ...match } });
      view.done(t(`${verb}.done`, { key, variant }));
    },
  });
}

/** Chooses what a switch's automation may do. */
export function changeMode(view, { key, mode }) {
  ask({
    title: t("mode.title", { key }),
    fields: () => [
      field(t("mode"), h("select", { name: "mode" }, ["armed", "dryRun", "disarmed"].map((value) => h("option", { value, selected: value === mode }, term("mode", value))))),
      reason(),
    ],
    tone: "heavy",
    effect: (form) => t(`mode.effect.${form.get("mode")}`, { key }),
    act: async (form) => {
      await api.send("POST", path("v1/switches/", key, "/mode"), { mode: form.get("mode"), reason: form.get("reason") });
      view.done(t("mode.done", { key, mode: term("mode", form.get("mode")) }));
    },
  });
}

/** Says how a payment that was in doubt ended. */
export function settle(view, attempt) {
  ask({
    title: t("settle.title", { what: attempt.orderRef ?? attempt.attemptId }),
    fields: () => [
      field(t("result"), h("select", { name: "result" }, ["paid", "notPaid", "reversed", "refunded"].map((value) => h("option", { value }, term("result", value))))),
      field(t("note"), h("textarea", { name: "note", required: true, maxlength: 500, rows: 2 }), t("settle.hint")),
    ],
    effect: (form) => t("settle.effect", { result: term("result", form.get("result")) }),
    act: async (form) => {
      await api.send("POST", path("v1/attempts/", attempt.attemptId, "/settle"), { result: form.get("result"), note: form.get("note") }, { environment: view.environment });
      view.done(t("settle.done"));
    },
  });
}

/** Reads the rule files again. */
export function reloadRules(view) {
  ask({
    title: t("reload.title"),
    fields: () => [h("p", {}, t("reload.hint"))],
    effect: () => t("reload.effect"),
    act: async () => {
      await api.send("POST", "v1/rules/reload");
      view.done(t("reload.done"));
    },
  });
}

function scopeWords(view, match) {
  const slice = Object.keys(match ?? {}).filter((name) => name !== "environment").length ? `, ${scopeText(match)}` : "";
  return `${view.environment}${slice}`;
}
