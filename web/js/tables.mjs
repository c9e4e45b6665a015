// The result and the counters as tables.

import { gain, quantity } from "./format.mjs";
import { text } from "./text.mjs";

// Shows one row per kernel: published beside modelled, each with its gain
// over the first kernel. results maps kernel ids to engines' results.
export function showResult(container, study, results) {
  const { metric, kernels } = study;
  const modelled = (id) => results[id]?.metric?.value;
  const rows = kernels.map((kernel) => {
    const head = th(kernel.title, "row");
    if (kernel.calibrated) head.append(" ", element("small", text.calibrated));
    const model = figure(modelled(kernel.id), modelled(kernels[0].id), metric, results[kernel.id] ? text.measuring : text.notYet);
    const note = precision(results[kernel.id], metric);
    if (note) model[0].append(element("small", note));
    const published = kernel.relative ? { ...metric, unit: text.ratioUnit } : metric;
    return row(head, ...figure(kernel.published, kernels[0].published, published, text.nonePublished), ...model);
  });
  const heads = [th(text.kernel, "col"), th(text.published, "col", 2), th(text.modelled, "col", 2)];
  container.replaceChildren(table(`${study.workload}: ${metric.title}`, [row(...heads)], rows));
}

// Two cells: a value and its gain over base; missing stands for no value.
function figure(value, base, { unit, higher }, missing) {
  if (value == null) return [td(missing, "faint"), td("")];
  return [td(quantity(value, unit), "number"), td(base == null ? "" : gain(value, base, higher), "number")];
}

// How sure a result is, in a few words.
function precision(result, { unit }) {
  if (result?.note) return result.note;
  if (!result?.metric) return "";
  const { lo, hi } = result.metric;
  if (result.full) return "";
  return result.settled ? text.interval(quantity(lo, unit), quantity(hi, unit)) : text.notSettled;
}

// Shows both kernels' counters side by side, with published figures where
// there are any. sides[i] = {title, counters, side}, side being the published
// figures by counter.
export function showCounters(container, caption, sides) {
  const [first, second] = sides;
  const rows = first.counters.map(({ key, title, unit }, i) => {
    const cells = sides.map(({ counters, side }) => {
      const [cell] = figure(counters[i].value, null, { unit }, text.noEvent);
      if (side?.[key]) cell.append(element("small", text.publishedCounter(quantity(side[key].value, unit), side[key].calibrated)));
      return cell;
    });
    return row(th(title, "row"), ...cells, td(change(first.counters[i].value, second.counters[i].value), "number"));
  });
  const heads = [th(text.counter, "col"), ...sides.map(({ title }) => th(title, "col")), th(text.changeOf, "col")];
  container.replaceChildren(table(caption, [row(...heads)], rows));
}

// How much b is more than a, or "" if that cannot be told.
function change(a, b) {
  if (a == null || b == null || a === 0) return "";
  const percent = 100 * (b - a) / a;
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

export function element(name, content, className) {
  const node = document.createElement(name);
  node.textContent = content;
  if (className) node.className = className;
  return node;
}

export const td = (content, className) => element("td", content, className);

export function th(content, scope, span = 1) {
  const node = element("th", content, scope === "col" ? "head" : "");
  node.scope = scope;
  if (span > 1) node.colSpan = span;
  return node;
}

export function row(...cells) {
  const node = document.createElement("tr");
  node.append(...cells);
  return node;
}

export function table(caption, heads, rows) {
  const node = document.createElement("table");
  const head = document.createElement("thead");
  const body = document.createElement("tbody");
  head.append(...heads);
  body.append(...rows);
  node.append(element("caption", caption), head, body);
  return node;
}
