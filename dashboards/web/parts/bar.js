// A share as a bar from zero; the figure stands beside it, so the bar is for the eye alone.
import { svg } from "../dom.js";

const WIDTH = 96;

/** @param {number} share from 0 to 1 */
export function bar(share) {
  const filled = Math.round(Math.max(0, Math.min(1, share || 0)) * WIDTH * 10) / 10;
  return svg("svg", { class: "bar", viewBox: `0 0 ${WIDTH} 8`, "aria-hidden": "true" },
    svg("rect", { class: "bar-floor", width: WIDTH, height: 8 }), svg("rect", { class: "bar-filled", width: filled, height: 8 }));
}
