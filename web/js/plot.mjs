// A line chart in the page's colours, drawn by uPlot, which is loaded when the
// first chart is.

import { element } from "./tables.mjs";

const heightPx = 260;
const dashes = [[], [6, 3]]; // the second line is told apart without colour too

let loaded;
const load = () => (loaded ??= import("../uplot/uPlot.esm.js").then((module) => module.default));

export class Plot {
  #container;
  #legend = element("div", "", "legend");
  #tip = element("div", "", "tip");
  #u;
  #key; // of what cannot be changed in a chart that is there
  #shown;
  #seen = false; // it is within the window
  #stale = false; // it has been left undrawn, as nobody sees it
  #ticks = [[], []]; // of both axes, [{value, label}]

  constructor(container) {
    this.#container = container;
    this.#tip.hidden = true;
    new ResizeObserver(() => this.#u?.setSize(this.#size())).observe(container);
    new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1).isIntersecting;
      if (this.#seen) this.#catchUp();
    }).observe(container);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  // Shows lines = [{title, values, lo, hi}] over x, all as long as x; values
  // may be null, lo and hi are intervals and optional. xLabel and yLabel name
  // the axes; xTick(v) and write(v) write values; steps: x stands for entries
  // of a list, not for a number.
  async show(chart) {
    this.#shown = chart;
    this.UPlot = await load();
    if (chart === this.#shown) this.#draw();
  }

  clear() {
    this.#shown = undefined;
    this.#draw();
  }

  // What is drawn, for files: {chart, colours, dashes, ticks, at(v, axis), box},
  // with positions in CSS pixels of the box that the axes enclose.
  get drawing() {
    this.#catchUp();
    const u = this.#u;
    return {
      chart: this.#shown, colours: this.#colours(), dashes, ticks: this.#ticks, canvas: u.ctx.canvas,
      at: (v, axis) => u.valToPos(v, axis), box: { width: u.over.clientWidth, height: u.over.clientHeight },
    };
  }

  #catchUp() {
    if (this.#stale) this.#u?.setData(this.#data(this.#shown));
    this.#stale = false;
  }

  #data({ x, lines, log }) {
    return [x, ...lines.map(({ values }) => values.map((v) => (log && v <= 0 ? null : v)))];
  }

  #draw() {
    const chart = this.#shown;
    const { lines = [], log, xLabel, yLabel, steps } = chart ?? {};
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const key = JSON.stringify([lines.map(({ title }) => title), log, xLabel, yLabel, steps, dark]);
    if (chart && key === this.#key) {
      this.#stale = true;
      if (this.#seen) this.#catchUp();
      return;
    }
    this.#stale = false;
    this.#u?.destroy();
    this.#u = undefined;
    this.#key = chart && key;
    if (!chart) {
      this.#container.replaceChildren();
      return;
    }
    this.#legend.replaceChildren(...lines.flatMap(({ title }, i) => [element("span", "", `swatch line-${i}`), element("span", title)]));
    this.#container.replaceChildren(this.#legend);
    this.#u = new this.UPlot(this.#options(chart), this.#data(chart), this.#container);
    this.#u.over.append(this.#tip);
  }

  #size() {
    return { width: this.#container.clientWidth, height: heightPx };
  }

  #colours() {
    const colour = (node) => getComputedStyle(node).color;
    return { lines: [...this.#legend.querySelectorAll(".swatch")].map(colour), ink: colour(this.#container), faint: colour(this.#legend), background: getComputedStyle(document.body).backgroundColor };
  }

  // The options of a chart; what writes values may change while it stands.
  #options({ lines, log, xLabel, yLabel, steps }) {
    const { lines: strokes, faint } = this.#colours();
    const font = `12px ${getComputedStyle(this.#container).fontFamily}`;
    const axis = (i, label, tick, size) => ({
      label, stroke: faint, font, labelFont: font, size, labelSize: 18, grid: { stroke: faint, width: 0.2 }, ticks: { stroke: faint, width: 0.5, size: 4 },
      values: (_, splits) => {
        const labels = splits.map((v) => (v === null ? "" : tick(v)));
        this.#ticks[i] = splits.map((value, n) => ({ value, label: labels[n] }));
        return labels;
      },
    });
    const xAxis = axis(0, xLabel, (v) => this.#shown.xTick(v), 34);
    if (steps) xAxis.splits = (u) => u.data[0];
    return {
      ...this.#size(),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false, range: steps ? (_, min, max) => [min - 0.3, max + 0.3] : undefined }, y: { distr: log ? 3 : 1, range: log ? undefined : (u, min, max) => this.#range(min, max) } },
      axes: [xAxis, axis(1, yLabel, (v) => this.#shown.write(v), 64)],
      series: [{}, ...lines.map(({ title }, i) => ({ label: title, stroke: strokes[i], width: 1.5, dash: dashes[i], points: { show: steps, fill: strokes[i] } }))],
      hooks: { setCursor: [(u) => this.#point(u)], draw: [(u) => this.#intervals(u, strokes)] },
    };
  }

  // The y axis holds the intervals too.
  #range(min, max) {
    const ends = this.#shown.lines.flatMap(({ lo, hi }) => [...lo ?? [], ...hi ?? []]).filter((v) => v != null);
    return this.UPlot.rangeNum(Math.min(min, ...ends), Math.max(max, ...ends), 0.1, true);
  }

  // Draws the intervals as bars.
  #intervals(u, strokes) {
    const { ctx } = u;
    this.#shown.lines.forEach(({ lo, hi }, i) => {
      if (!lo) return;
      ctx.save();
      ctx.strokeStyle = strokes[i];
      ctx.lineWidth = devicePixelRatio;
      this.#shown.x.forEach((v, n) => {
        if (lo[n] == null) return;
        const x = u.valToPos(v, "x", true) + (i - 0.5) * 4 * devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(x, u.valToPos(lo[n], "y", true));
        ctx.lineTo(x, u.valToPos(hi[n], "y", true));
        ctx.stroke();
      });
      ctx.restore();
    });
  }

  // Tells the values under the pointer.
  #point({ cursor: { idx, left }, over }) {
    this.#tip.hidden = idx == null;
    if (idx == null) return;
    const { x, lines, xTick, xLabel, write } = this.#shown;
    this.#tip.replaceChildren(
      element("div", `${xLabel}: ${xTick(x[idx])}`),
      ...lines.map(({ title, values, lo, hi }) => element("div", `${title}: ${values[idx] == null ? "–" : write(values[idx])}${lo?.[idx] == null ? "" : ` (${write(lo[idx])} – ${write(hi[idx])})`}`)),
    );
    const right = left > over.clientWidth / 2;
    this.#tip.style.left = right ? "" : `${left + 12}px`;
    this.#tip.style.right = right ? `${over.clientWidth - left + 12}px` : "";
  }
}
