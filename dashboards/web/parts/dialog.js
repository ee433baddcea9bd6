// A question before anything is done: what it will do stands on the button.
import { h } from "../dom.js";
import { t } from "../words.js";

/**
 * Asks, acts, and closes when it is done; a refusal is shown where it happened.
 * @param {{title: string, fields: function(): Array, effect: function(FormData): string, tone?: string,
 *   act: function(FormData): Promise<*>}} question `effect` says on the button what will be done with the present fields
 */
export function ask({ title, fields, effect, act, tone = "" }) {
  const opener = document.activeElement;
  const problem = h("p", { class: "problem", role: "alert" });
  const doit = h("button", { type: "submit", class: `primary ${tone}` });
  const form = h("form", { onsubmit: submit, oninput: name, onchange: name },
    h("h2", { id: "dialog-title" }, title), fields(), problem,
    h("div", { class: "answers" }, h("button", { type: "button", onclick: () => dialog.close() }, t("cancel")), doit));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  document.body.append(dialog);
  name();
  dialog.addEventListener("close", () => {
    dialog.remove();
    opener?.focus?.();
  });
  dialog.showModal();
  form.querySelector("input, select, textarea")?.focus();

  function name() {
    doit.textContent = effect(new FormData(form));
  }

  async function submit(event) {
    event.preventDefault();
    problem.textContent = "";
    doit.disabled = true;
    try {
      await act(new FormData(form));
      dialog.close();
    } catch (failure) {
      problem.textContent = failure.status === 0 ? t("gone.act") : t("refused", { why: failure.message });
      doit.disabled = false;
    }
  }
}

/** A field with its label, and below it what helps to fill it in. */
export function field(label, control, hint) {
  return h("label", { class: "field" }, h("span", {}, label), control, hint ? h("small", {}, hint) : null);
}

/** A choice of durations. */
export function durations(name, seconds, chosen, words) {
  return h("select", { name }, seconds.map((value) => h("option", { value, selected: value === chosen }, words(value))));
}
