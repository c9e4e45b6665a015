// The result and the counters as tables.

import { digits, gain, scaled } from "./format.mjs";
import { text } from "./text.mjs";

// Shows one row per kernel: published beside modelled, each with its gain
// over the first kernel. modelled maps kernel ids to values.
export function showResult(container, study, modelled) {
  const { title, unit, lower_is_better: lower } = study.metric;
  const base = study.kernels[0].id;
  const cells = (values, id) => {
    const value = values[id];
    if (value === undefined) return [td(text.notYet, "faint"), td("")];
    const change = values[base] === undefined ? "" : gain(value, values[base], lower);
    return [td(`${digits(value)} ${unit}`, "number"), td(change, "number")];
  };
  const rows = study.kernels.map((kernel) => {
    const head = th(kernel.title, "row");
    if (study.calibrated.includes(kernel.id)) head.append(" ", element("small", text.calibrated));
    return row(head, ...cells(study.published, kernel.id), ...cells(modelled, kernel.id));
  });
  const heads = [th(text.kernel, "col"), th(text.published, "col", 2), th(text.modelled, "col", 2)];
  container.replaceChildren(table(title, [row(...heads)], rows));
}

// Shows both kernels' counters side by side. sides[i] = {title, counters}.
export function showCounters(container, caption, sides) {
  const [first] = sides;
  const rows = first.counters.map(({ title, unit }, i) =>
    row(th(title, "row"), ...sides.map(({ counters }) => td(`${scaled(counters[i].value)}${unit && ` ${unit}`}`, "number"))));
  const heads = [th(text.counter, "col"), ...sides.map(({ title }) => th(title, "col"))];
  container.replaceChildren(table(caption, [row(...heads)], rows));
}

function element(name, content, className) {
  const node = document.createElement(name);
  node.textContent = content;
  if (className) node.className = className;
  return node;
}

const td = (content, className) => element("td", content, className);

function th(content, scope, span = 1) {
  const node = element("th", content, scope === "col" ? "head" : "");
  node.scope = scope;
  if (span > 1) node.colSpan = span;
  return node;
}

function row(...cells) {
  const node = document.createElement("tr");
  node.append(...cells);
  return node;
}

function table(caption, heads, rows) {
  const node = document.createElement("table");
  const head = document.createElement("thead");
  const body = document.createElement("tbody");
  head.append(...heads);
  body.append(...rows);
  node.append(element("caption", caption), head, body);
  return node;
}
