// A series as a small drawing: from zero, with a sentence for who doesn't see it.
import { h, svg } from "../dom.js";
import { duration, number } from "../format.js";
import { t } from "../words.js";

const WIDTH = 96;
const HEIGHT = 20;

/**
 * @param {{stepMs: number, points: number[]}|undefined} series
 */
export function sparkline(series) {
  const points = series?.points ?? [];
  if (!points.length) return h("span", { class: "quiet" }, "–");
  const most = Math.max(1, ...points);
  const step = WIDTH / points.length;
  const bars = points.map((value, index) => {
    if (!value) return null;
    const height = Math.max(1, (value / most) * (HEIGHT - 1));
    return `M${round((index + 0.5) * step)} ${HEIGHT}v${round(-height)}`;
  });
  const text = t("spark", {
    span: duration(series.stepMs * points.length), most: number(Math.max(...points)), last: number(points.at(-1)),
  });
  return svg("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": text },
    svg("path", { class: "spark-floor", d: `M0 ${HEIGHT - 0.5}H${WIDTH}` }),
    svg("path", { class: "spark-bars", d: bars.filter(Boolean).join(""), "stroke-width": round(step * 0.8) }));
}

const round = (value) => Math.round(value * 100) / 100;
