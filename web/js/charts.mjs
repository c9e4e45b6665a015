// The section "Over time": each counter of both kernels over simulated time.

import { download } from "./export.mjs";
import { quantity } from "./format.mjs";
import { Plot } from "./plot.mjs";
import { csv, png, svg } from "./plot-file.mjs";
import { row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);
const psPerMs = 1e9;

export class Charts {
  #plot = new Plot($("chart"));
  #sides = []; // [{title, atPs, values}]
  #counters; // [{key, title, unit}], none while nothing can be told

  constructor() {
    for (const id of ["chart-counter", "chart-log"]) $(id).addEventListener("change", () => this.#show());
    $("chart-data").addEventListener("toggle", () => this.#tabulate());
    $("chart-csv").addEventListener("click", () => download("counters.csv", csv(this.#rows()), "text/csv"));
    $("chart-svg").addEventListener("click", () => download(this.#name("svg"), svg(this.#plot.drawing, this.#title, location.href), "image/svg+xml"));
    $("chart-png").addEventListener("click", async () => download(this.#name("png"), await png(this.#plot.drawing, this.#title, location.href), "image/png"));
  }

  // Begins anew with kernels of these titles.
  start(titles) {
    this.#sides = titles.map((title) => ({ title, atPs: [], values: [] }));
    this.#plot.clear();
    $("charts").hidden = true;
  }

  // Takes further periods of a side, as engine.mjs has them; counters name
  // their values.
  add(side, counters, { atPs, values }) {
    if (atPs.length === 0) return;
    this.#sides[side].atPs.push(...atPs);
    this.#sides[side].values.push(...values);
    this.#useCounters(counters);
    this.#show();
  }

  #useCounters(counters) {
    if (this.#counters?.map(({ key }) => key).join() === counters.map(({ key }) => key).join()) return;
    const before = $("chart-counter").value;
    this.#counters = counters;
    $("chart-counter").replaceChildren(...counters.map(({ key, title }) => new Option(title, key)));
    const wanted = [before, "messages_per_s"].find((key) => counters.some((counter) => counter.key === key));
    if (wanted) $("chart-counter").value = wanted;
  }

  // The chosen counter over all instants at which either kernel has a value.
  #chosen() {
    const index = $("chart-counter").selectedIndex;
    const { unit, title } = this.#counters[index];
    const maps = this.#sides.map(({ atPs, values }) => new Map(atPs.map((at, i) => [at, values[i][index]])));
    const instants = [...new Set(this.#sides.flatMap(({ atPs }) => atPs))].sort((a, b) => a - b);
    const lines = this.#sides.map((side, i) => ({ title: side.title, values: instants.map((at) => maps[i].get(at) ?? null) }));
    return { unit, title, instants, lines };
  }

  #show() {
    if (!this.#counters?.length || this.#sides.every(({ atPs }) => atPs.length === 0)) return;
    $("charts").hidden = false;
    const { unit, title, instants, lines } = this.#chosen();
    const write = (v) => quantity(v, unit);
    this.#plot.show({
      x: instants.map((at) => at / psPerMs), lines, log: $("chart-log").checked, xLabel: text.simulatedMs, yLabel: title, xTick: String, write,
    });
    $("chart").setAttribute("aria-label", text.chartOf(title, lines.map((line) => [line.title, ...ends(line.values).map(write)])));
    this.#tabulate();
  }

  #tabulate() {
    if (!this.#counters?.length || !$("chart-data").open) return; // it opens before there is a run, too
    const { unit, title, instants, lines } = this.#chosen();
    const heads = [th(text.simulatedMs, "col"), ...lines.map((line) => th(line.title, "col"))];
    const rows = instants.map((at, n) => row(th(String(at / psPerMs), "row"), ...lines.map(({ values }) => td(values[n] === null ? text.none : quantity(values[n], unit), "number"))));
    $("chart-table").replaceChildren(table(title, [row(...heads)], rows));
  }

  // All counters, for a file.
  #rows() {
    const head = ["simulated_ms", "kernel", ...this.#counters.map(({ key }) => key)];
    return [head, ...this.#sides.flatMap(({ title, atPs, values }) => atPs.map((at, n) => [at / psPerMs, title, ...values[n]]))];
  }

  get #title() {
    return $("chart-counter").selectedOptions[0].text;
  }

  #name(extension) {
    return `${$("chart-counter").value}.${extension}`;
  }
}

// The smallest and largest value that is there.
function ends(values) {
  const there = values.filter((v) => v !== null);
  return [Math.min(...there), Math.max(...there)];
}
