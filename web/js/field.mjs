// One parameter in the form: its control, what it means, and what is wrong
// with what was typed.

import { canonical } from "./params.mjs";
import { slider } from "./slider.mjs";
import { element } from "./tables.mjs";
import { text } from "./text.mjs";

export class Field {
  #param;
  #settings;
  #control; // checkbox, select or text
  #slider; // {node, scale} or undefined
  #reset;
  #state; // what it was changed from and whom it concerns
  #problem;
  #last; // value that was shown

  constructor(param, settings) {
    this.#param = param;
    this.#settings = settings;
    this.node = element("div", "", "field");
    this.node.dataset.key = param.key;
    this.#makeControl();
    this.#makeSlider();
    this.#reset = element("button", text.reset);
    this.#reset.type = "button";
    this.#reset.setAttribute("aria-label", text.resetOf(param.title));
    this.#reset.addEventListener("click", () => {
      settings.reset(param);
      this.restore();
      this.focus();
    });

    const label = element("label", param.title);
    label.htmlFor = this.#control.id;
    const head = element("div", "", "field-head");
    head.append(label, element("code", param.key));
    const row = element("div", "", "field-row");
    row.append(...[this.#slider?.node, this.#control, this.#reset].filter(Boolean));
    this.#problem = this.#said("problem", "");
    this.#state = this.#said("state", "");
    const parts = [this.#problem, this.#state, this.#said("about", param.help), this.#said("origin", text.origin(param))];
    this.#control.setAttribute("aria-describedby", parts.map(({ id }) => id).join(" "));
    this.node.append(head, row, ...parts);
    this.restore();
  }

  get changed() {
    return this.#settings.isChanged(this.#param);
  }

  get wrong() {
    return this.#control.getAttribute("aria-invalid") === "true";
  }

  get title() {
    return this.#param.title;
  }

  focus() {
    this.#control.focus();
  }

  // Whether it has all words, in whatever it says.
  has(words) {
    const { key, title, help, source, group, unit, confidence } = this.#param;
    const said = [key, title, help, source, text.groups[group], unit, confidence].join(" ").toLowerCase();
    return words.every((word) => said.includes(word));
  }

  // Whether control is this field's and holds text that is not taken yet.
  edits(control) {
    return control === this.#control && this.#control.type === "text" && this.#control.value !== (this.#last ?? "");
  }

  // Follows the settings. A text that is not allowed stays until its own
  // parameter changes.
  update() {
    if (!this.wrong || this.#settings.value(this.#param) !== this.#last) this.restore();
  }

  // Shows the value that the settings have.
  restore() {
    const value = this.#settings.value(this.#param);
    this.#last = value;
    this.#explain("");
    this.#show(value);
    this.#slide(value ?? this.#param.default);
    this.node.classList.toggle("changed", this.changed);
    this.#state.textContent = text.fieldState(this.#param, this.#settings);
    this.#state.hidden = this.#state.textContent === "";
  }

  #show(value) {
    if (this.#control.type === "checkbox") {
      this.#control.checked = value === "on";
      this.#control.indeterminate = value === undefined;
    } else {
      this.#control.value = value ?? "";
    }
  }

  #slide(value) {
    if (!this.#slider) return;
    const { node, scale } = this.#slider;
    node.value = scale.position(value);
    node.setAttribute("aria-valuetext", value);
  }

  #makeControl() {
    const { kind, key, options } = this.#param;
    this.#control = document.createElement(kind === "enum" ? "select" : "input");
    this.#control.id = `set-${key}`;
    if (kind === "enum") {
      this.#control.append(...options.map((option) => new Option(option)));
    } else if (kind === "bool") {
      this.#control.type = "checkbox";
      this.#control.className = "toggle";
    } else {
      Object.assign(this.#control, { type: "text", autocomplete: "off", spellcheck: false });
      if (kind !== "text") this.#control.placeholder = text.severalValues;
      if (kind === "int" || kind === "permille") this.#control.inputMode = "numeric";
    }
    this.#control.addEventListener("change", () => this.#take());
  }

  #makeSlider() {
    const scale = slider(this.#param);
    if (!scale) return;
    const node = document.createElement("input");
    Object.assign(node, { type: "range", min: 0, max: scale.steps, step: 1 });
    node.setAttribute("aria-label", text.sliderOf(this.#param.title));
    node.addEventListener("input", () => this.#settings.change(this.#param, scale.value(Number(node.value)), { sliding: true }));
    this.#slider = { node, scale };
  }

  // Takes what the reader has set, or says why not; it is left as it stands.
  #take() {
    const { type, checked, value } = this.#control;
    const given = type === "checkbox" ? (checked ? "on" : "off") : value;
    const good = canonical(this.#param, given);
    if (good === undefined) {
      this.#explain(text.notAllowed(given.slice(0, 60), this.#param));
    } else {
      this.#settings.change(this.#param, good);
      this.restore(); // "0.5ms" becomes "500us"
    }
  }

  #explain(problem) {
    this.#problem.textContent = problem;
    this.#problem.hidden = problem === "";
    this.#control.setAttribute("aria-invalid", String(problem !== ""));
    this.#reset.hidden = problem === "" && !this.changed;
  }

  // A paragraph that describes the control.
  #said(name, content) {
    const p = element("p", content, name === "problem" ? "problem" : "note");
    p.id = `set-${this.#param.key}-${name}`;
    if (name === "problem") p.setAttribute("role", "alert");
    return p;
  }
}
