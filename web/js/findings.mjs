// Where the time goes, as tables: what the anatomy and lines views draw, and
// the profile. Both kernels stand side by side.

import { digits, span } from "./format.mjs";
import { element, row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

const nothing = { slices: [], functions: [], lines: [], locks: [] };

export class Findings {
  #section;
  #titles;
  #sides = [nothing, nothing];

  // section holds a details element for each table; titles are the kernels'.
  // A table is made when it is opened and kept up while it is open.
  constructor(section, titles) {
    this.#section = section;
    this.#titles = titles;
    section.hidden = false;
    for (const details of this.#details) {
      this.#update(details);
      details.ontoggle = () => this.#update(details);
    }
  }

  // Takes a side's tables as engine.mjs describes them.
  show(side, tables) {
    this.#sides[side] = { slices: tables.slices ?? [], functions: tables.functions ?? [], lines: tables.lines ?? [], locks: tables.locks ?? [] };
    for (const details of this.#details) if (details.open) this.#update(details);
  }

  get #details() {
    return [...this.#section.querySelectorAll("details")].filter(({ id }) => makers[id]);
  }

  // What there are slices of: "wakeup" or "call".
  get path() {
    return this.#sides.flatMap(({ slices }) => slices)[0]?.path;
  }

  #update(details) {
    let scroll = details.querySelector(".scroll");
    if (!scroll) {
      scroll = element("div", "", "scroll");
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "group");
      scroll.setAttribute("aria-label", details.querySelector("summary").textContent);
      details.append(scroll);
    }
    if (details.open) scroll.replaceChildren(makers[details.id](this.#sides.map((found) => found[details.id]), this.#titles));
  }
}

const makers = {
  slices(sides, titles) {
    const first = sides.find((slices) => slices.length > 0) ?? [];
    const rows = first.map(({ name, fn, patch }, i) => row(
      named(name, fn), ...sides.map((slices) => figure(slices[i]?.ns, (slice) => `${time(slice.p10_ns)} – ${time(slice.p50_ns)} – ${time(slice.p90_ns)}`, slices[i])), td(patch),
    ));
    const totals = sides.map((slices) => figure(slices.length > 0 ? slices.reduce((sum, { ns }) => sum + ns, 0) : undefined));
    const call = first[0]?.path === "call";
    const whole = row(th(call ? text.wholeCall : text.wholeWakeup, "row"), ...totals, td(""));
    return twoKernels(call ? text.callsOf : text.wakeupsOf, text.slice, titles, first.length > 0 ? [...rows, whole] : [], text.patched);
  },

  functions(sides, titles) {
    const shares = sides.map((functions) => {
      const all = functions.reduce((sum, { ns }) => sum + ns, 0);
      return new Map(functions.map(({ name, ns }) => [name, 100 * ns / all]));
    });
    const names = [...new Set(shares.flatMap((share) => [...share.keys()]))];
    const rows = names
      .map((name) => [name, ...shares.map((share) => share.get(name) ?? 0)])
      .sort(([, a, b], [, c, d]) => Math.abs(d - c) - Math.abs(b - a))
      .map(([name, ...of]) => row(named(name), ...of.map((share) => td(`${share.toFixed(2)} %`, "number")), td(signed(of[1] - of[0]), "number")));
    return twoKernels(text.functionsOf, text.kernelFunction, titles, rows, text.change);
  },

  lines: (sides, titles) => twoKernels(text.linesOf, text.line, titles, byName(sides, ({ queue_ns }) => text.queued(time(queue_ns)))),

  locks: (sides, titles) => twoKernels(text.locksOf, text.lock, titles,
    byName(sides, ({ contended, acquired }) => text.contended(digits(100 * contended / acquired)))),
};

// A row for each name on either side, the longest wait first.
function byName(sides, note) {
  const maps = sides.map((entries) => new Map(entries.map((entry) => [entry.name, entry])));
  const longest = (name) => Math.max(...maps.map((map) => map.get(name)?.wait_ns ?? 0));
  return [...new Set(maps.flatMap((map) => [...map.keys()]))]
    .sort((a, b) => longest(b) - longest(a))
    .map((name) => row(named(name), ...maps.map((map) => figure(map.get(name)?.wait_ns, note, map.get(name)))));
}

// A table with a column for each kernel and perhaps one more.
function twoKernels(caption, what, titles, rows, more) {
  const heads = [what, ...titles, ...(more ? [more] : [])];
  if (rows.length === 0) return element("p", text.noFindings, "note");
  return table(caption, [row(...heads.map((head) => th(head, "col")))], rows);
}

function named(name, note) {
  const head = th(name, "row");
  if (note === undefined) head.className = "name";
  else head.append(element("small", note, "name"));
  return head;
}

// A cell with a time and a note on the entry that it is from.
function figure(ns, note, entry) {
  if (ns === undefined) return td("–", "number");
  const cell = td(time(ns), "number");
  if (note) cell.append(element("small", note(entry)));
  return cell;
}

const time = (ns) => span(Math.round(1000 * ns));
const signed = (share) => (Math.abs(share) < 0.005 ? "0.00" : `${share > 0 ? "+" : ""}${share.toFixed(2)}`);
