// How the reader looks at the picture: which CPUs, zoom and position, the card
// of one CPU, and what keys there are. View and cells are page.mjs's.

import { instant, span } from "./format.mjs";
import { row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);

export class Looking {
  #painter; // undefined until there is one
  #say;
  #pinned = -1;
  #windowPs; // of the timeline, if a story has chosen it

  // say(message, kind) shows a message.
  constructor(say) {
    this.#say = say;
    for (const id of ["show", "large"]) $(id).addEventListener("change", () => this.#showLists());
    $("pin").addEventListener("change", () => this.#painter?.pin($("pin").value === "" ? -1 : Number($("pin").value)));
    for (const button of document.querySelectorAll("[data-move]")) {
      button.addEventListener("click", () => this.#painter?.move(button.dataset.move));
    }
    $("card-close").addEventListener("click", () => this.#painter?.pin(-1));
    $("help").addEventListener("click", () => $("keys").showModal());
    addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input:not([type=range]), textarea, select, dialog");
      if (!typing && !event.ctrlKey && !event.altKey && !event.metaKey) this.#key(event.key);
    });
  }

  // Shows a study's own choice of CPUs.
  useStudy(study) {
    $("show").value = "";
    $("large").value = study.focus ?? "";
    this.#pinned = -1;
    this.#windowPs = undefined;
    this.#painter?.pin(-1);
  }

  // Shows what somebody else has chosen: CPU lists, one CPU to pin or "", the
  // length of the timeline's window.
  point({ cpus, large, pin, windowPs }) {
    $("show").value = cpus;
    $("large").value = large;
    this.#pinned = pin === "" ? -1 : Number(pin);
    this.#windowPs = windowPs;
    if (this.#painter) this.setUp(this.#painter);
  }

  // Tells a painter that has a machine what it draws of it.
  setUp(painter) {
    this.#painter = painter;
    this.#showLists();
    if (this.#windowPs) painter.window(this.#windowPs);
    painter.pin(this.#pinned);
  }

  // What Painter calls.
  get handlers() {
    return {
      card: (card) => this.#showCard(card),
      lists: ({ wrong }) => this.#showWrong(wrong),
      marked: ({ at }) => this.#showMarked(at),
      key: ({ key }) => this.#key(key),
    };
  }

  #showLists() {
    this.#painter?.setLists({ show: $("show").value, large: $("large").value });
  }

  #showWrong(wrong) {
    for (const id of ["show", "large"]) {
      $(id).setAttribute("aria-invalid", String(wrong[id] !== ""));
      if (wrong[id]) this.#say(wrong[id], "problem");
    }
  }

  #showMarked(at) {
    const [from, to] = [...at].sort((a, b) => a - b);
    $("marked").textContent = at.length > 0 ? text.marked(at.map(instant), to > from && span(to - from)) : "";
  }

  #key(key) {
    if (key === "?") $("keys").showModal();
    if (key === ".") $("tour-next").click();
    if (key === ",") $("tour-back").click();
    if (key === "Escape") this.#painter?.pin(-1);
  }

  #showCard({ cpu, pinned, sides }) {
    const known = sides.filter(Boolean);
    this.#pinned = pinned ? cpu : -1;
    $("pin").value = pinned ? cpu : "";
    $("card").hidden = known.length === 0;
    $("card").classList.toggle("pinned", pinned);
    if (known.length === 0) {
      if (pinned) this.#painter.pin(-1); // the machine has no such CPU
      return;
    }
    const make = narrow.matches ? upright : flat;
    $("card").querySelector("table").replaceWith(make(text.cpu(cpu), sides));
  }
}

const narrow = matchMedia("(max-width: 60rem)"); // as in page.css
const names = ["A", "B"];
const say = (of, side) => td(side ? of(side) : "–");

// A row for each fact.
const upright = (caption, sides) => table(caption, [row(td(""), ...names.map((name) => th(name, "col")))],
  facts.map(([what, of]) => row(th(what, "row"), ...sides.map((side) => say(of, side)))));

// A row for each kernel.
const flat = (caption, sides) => table(caption, [row(td(""), ...facts.map(([what]) => th(what, "col")))],
  sides.map((side, i) => row(th(names[i], "row"), ...facts.map(([, of]) => say(of, side)))));

const flag = (set) => (set ? "set" : "–");
const share = (permille) => `${permille / 10} %`;

// What a card says, in order.
const facts = [
  ["task", ({ task }) => task],
  ["function", (side) => side.function],
  ["state", ({ state }) => state],
  ["nr_running", ({ queue }) => queue],
  ["NEED_RESCHED", ({ needResched }) => flag(needResched)],
  ["POLLING", ({ polling }) => flag(polling)],
  ["interrupts", ({ irqsOff }) => (irqsOff ? "off" : "on")],
  ["busy", ({ busyPm }) => share(busyPm)],
  ["spinning", ({ lockWaitPm }) => share(lockWaitPm)],
  ["waiting for lines", ({ lineWaitPm }) => share(lineWaitPm)],
  ["in interrupts", ({ irqPm }) => share(irqPm)],
];
