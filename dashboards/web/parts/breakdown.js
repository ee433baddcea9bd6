// What failures have in common: a bar for each value, with its share before.
import { h } from "../dom.js";
import { number, percent } from "../format.js";
import { t } from "../words.js";
import { bar } from "./bar.js";

/** @param {{name: string, values: {value: string, count: number, share?: number, baselineShare?: number, lift?: number}[]}[]} dimensions */
export function breakdown(dimensions, total) {
  // What is the same for all of them needs no bar, unless it's otherwise as a rule.
  const isPlain = ({ values }) => values.length === 1 && (values[0].baselineShare ?? 1) > 0.8;
  const common = dimensions.filter(isPlain);
  return h("div", { class: "stack" }, common.length ? h("p", {}, h("span", { class: "quiet" }, t("breakdown.all")), " ",
    common.map(({ name, values }, index) => [index ? " · " : "", h("span", { class: "quiet" }, name), ` ${values[0].value || t("breakdown.none")}`])) : null,
  h("div", { class: "columns" }, dimensions.filter((one) => !isPlain(one)).map((dimension) => h("div", { "data-key": dimension.name },
    h("h3", {}, dimension.name),
    h("table", { class: "list" },
      h("thead", { class: "aside" }, h("tr", {}, ["value", "share", "count"].map((name) => h("th", { scope: "col" }, t(`breakdown.${name}`))))),
      h("tbody", {}, dimension.values.slice(0, 5).map((one) => {
        const share = one.share ?? (total ? one.count / total : 0);
        return h("tr", {},
          h("th", { scope: "row" }, one.value === "" ? t("breakdown.none") : one.value,
            one.baselineShare === undefined || one.baselineShare === null || Math.abs(share - one.baselineShare) < 0.05 ? null : h("small", { class: "quiet" }, " ", t("breakdown.normally", { share: percent(one.baselineShare * 100) }), one.lift >= 2 ? ` ×${one.lift}` : "")),
          h("td", { class: "num" }, h("span", { class: "bar-cell" }, bar(share), percent(share * 100))),
          h("td", { class: "num" }, number(one.count)));
      })))))));
}
