// A dot strip: one dot a seed, a line of dots a kernel, all on one scale.

import { element } from "./tables.mjs";
import { text } from "./text.mjs";

const bins = 80; // dots closer than this share of the scale are stacked
const levels = 4; // of a stack, in which further dots lie on each other
const middlePx = 16;

// rows = [{title, values, median, lo, hi}], lo and hi of the mean; write(v)
// writes a value with its unit.
export function strip(rows, write) {
  const all = rows.flatMap(({ values }) => values);
  const [min, max] = [Math.min(...all), Math.max(...all)];
  const span = max - min || Math.abs(max) || 1;
  const from = max > min ? min : min - span / 2;
  const at = (v) => 3 + 94 * Math.min(1, Math.max(0, (v - from) / span)); // percent of the width
  const figure = element("div", "", "strip");
  for (const { title, values, median, lo, hi } of rows) {
    const svg = make("svg", { height: 2 * middlePx, role: "img", "aria-label": text.strip(title, write(median), values.length, write(Math.min(...values)), write(Math.max(...values))) });
    svg.append(make("line", { class: "axis", x1: "0%", x2: "100%", y1: middlePx, y2: middlePx }));
    if (values.length > 1) svg.append(make("rect", { class: "interval", x: `${at(lo)}%`, width: `${at(hi) - at(lo)}%`, y: middlePx - 4, height: 8 }));
    svg.append(...dots(values, at));
    svg.append(make("line", { class: "median", x1: `${at(median)}%`, x2: `${at(median)}%`, y1: 2, y2: 2 * middlePx - 2 }));
    figure.append(element("span", title, "strip-title"), svg, element("span", text.median(write(median)), "strip-median"));
  }
  const scale = element("div", "", "strip-scale");
  scale.append(...(max > min ? [element("span", write(min)), element("span", write(max))] : []));
  figure.append(scale);
  return figure;
}

function dots(values, at) {
  const stacked = new Map();
  return values.map((v) => {
    const bin = Math.round(at(v) / 100 * bins);
    const level = (stacked.get(bin) ?? 0) % levels;
    stacked.set(bin, level + 1);
    const up = level % 2 === 0 ? -1 : 1;
    return make("circle", { class: "dot", cx: `${at(v)}%`, cy: middlePx + up * Math.ceil(level / 2) * 6, r: 3.5 });
  });
}

function make(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
