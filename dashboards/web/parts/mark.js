// Words with a mark: what colour says is said by a word and a shape too.
import { h } from "../dom.js";
import { term } from "../words.js";

/** A state, severity or class. @param {string} kind of the dictionary, such as `state` */
export function mark(kind, value, tone = "") {
  return h("span", { class: `mark ${tone}` }, h("span", { class: "shape", "aria-hidden": "true" }, SHAPES[tone] ?? "○"), " ", term(kind, value));
}

const SHAPES = { bad: "■", warn: "▲", calm: "○" };

/** How bad a class is: failures of ours count, those of payers and their banks don't. */
export const classTone = (name) => (["user", "issuer", "notFailure"].includes(name) ? "calm" : name === "inDoubt" ? "warn" : "");

/** How bad an alert is. */
export function alertTone(alert) {
  if (alert.state === "resolved" || alert.state === "pending" || alert.severity === "info") return "calm";
  return alert.state === "mitigated" || alert.severity !== "critical" ? "warn" : "bad";
}

/** How bad a switch's state is. */
export const stateTone = (state) => (state === "normal" ? "calm" : "warn");
