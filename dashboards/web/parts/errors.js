// Error keys as a table, a page of them at a time: ten thousand keys are as quick as ten.
import { h } from "../dom.js";
import { amounts, number, percent, time } from "../format.js";
import { t, term } from "../words.js";
import { hash, keyText, links } from "./scope.js";
import { classTone, mark } from "./mark.js";
import { sparkline } from "./sparkline.js";

const CLASSES = ["merchantConfig", "clientApp", "network", "processor", "inDoubt", "risk", "issuer", "user", "notFailure", "unknown"];
const WINDOWS = ["300", "900", "3600", "86400"];

/** @returns {Array} controls, table and the way to further pages */
export function errorTable(errors, view, pageSize) {
  const { query } = view;
  const skipped = Number(query.skip ?? 0);
  const total = errors.total ?? errors.errors.length;
  const go = (changes) => view.go("/", { ...query, skip: undefined, ...changes });
  return [
    h("div", { class: "controls" },
      picker("window", query.window ?? "300", WINDOWS.map((value) => [value, term("window", value)]), (value) => go({ window: value === "300" ? undefined : value })),
      picker("class", query.class ?? "", [["", t("class.all")], ...CLASSES.map((value) => [value, term("class", value)])], (value) => go({ class: value || undefined })),
      h("label", {}, t("filter"), " ", h("input", {
        type: "search", value: query.find ?? "", placeholder: t("filter.example"), autocomplete: "off", spellcheck: "false",
        onchange: (event) => go({ find: event.target.value.trim() || undefined }),
      }))),
    errors.errors.length ? table(errors, view) : h("p", { class: "quiet" }, t(query.find || query.class ? "errors.nothing" : "errors.none", { window: term("window", errors.windowSec) })),
    total > pageSize || skipped ? h("nav", { class: "pages", "aria-label": t("pages") },
      skipped ? h("a", { rel: "prev", href: hash("/", { ...query, skip: Math.max(0, skipped - pageSize) || undefined }) }, t("pages.back")) : null,
      h("span", { class: "figure" }, t("pages.of", { from: number(skipped + 1), to: number(skipped + errors.errors.length), total: number(total) })),
      errors.nextCursor ? h("a", { rel: "next", href: hash("/", { ...query, skip: skipped + pageSize }) }, t("pages.on")) : null) : null,
  ];
}

function picker(name, chosen, options, act) {
  return h("label", {}, t(`${name}.label`), " ", h("select", { onchange: (event) => act(event.target.value) },
    options.map(([value, text]) => h("option", { value, selected: value === chosen }, text))));
}

function table(errors, view) {
  const heads = [["code", ""], ["class", "wide"], ["count", "num"], ["series", ""], ["share", "num wide"], ["payers", "num"], ["amount", "num wide"], ["first", "num wide"]];
  return h("table", { class: "list errors-list" },
    h("thead", {}, h("tr", {}, heads.map(([name, css]) => h("th", { scope: "col", class: css }, t(`errors.${name}`))))),
    h("tbody", {}, errors.errors.map((row) => h("tr", { "data-key": `${row.domain}/${row.code}` },
      h("th", { scope: "row", class: "code" }, h("a", { href: links.error(row.code, row.domain, view.environment) }, keyText(row.domain, row.code))),
      h("td", { class: "wide" }, mark("class", row.class, classTone(row.class))),
      h("td", { class: "num" }, number(row.count)),
      h("td", {}, sparkline(row.series)),
      h("td", { class: "num wide" }, percent(row.sharePercent)),
      h("td", { class: "num" }, number(row.installs)),
      h("td", { class: "num wide" }, amounts(row.amount)),
      h("td", { class: "num wide" }, time(row.firstSeenAt))))));
}
