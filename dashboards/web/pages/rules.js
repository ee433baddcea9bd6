import { h } from "../dom.js";

/** Nothing yet but what every page knows. */
export const load = async ({ shared }) => shared;

/** @returns {Element} */
export const render = () => h("div", { class: "page" });
