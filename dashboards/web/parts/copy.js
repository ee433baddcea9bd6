// Copying, where the browser allows it only by the old way too (pages without TLS).
import { h } from "../dom.js";
import { t } from "../words.js";

/** A button that copies a text and says so. */
export function copyButton(view, label, text) {
  return h("button", { type: "button", onclick: async () => view.say((await copy(text())) ? t("copied", { what: text() }) : t("copied.not")) }, label);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { class: "aside", readonly: true, tabindex: "-1", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}
