// The form of all parameters, made from the table in data/site.json.

import { nextShown } from "./answered.mjs";
import { Field } from "./field.mjs";
import { element } from "./tables.mjs";
import { text } from "./text.mjs";

export class Form {
  #section;
  #settings;
  #fields = [];
  #groups = []; // {details, count, fields}
  #filtering; // resolves when the fields have been searched

  // section is a details element with the controls that stand above the
  // fields; the fields are made when it is opened.
  constructor(section, params, settings) {
    this.#section = section;
    this.#settings = settings;
    const listed = params.filter((param) => param.public && param.key !== "seed"); // the seed stands beside Run
    if (section.open) this.#build(listed); // the reader was faster
    else section.addEventListener("toggle", () => this.#build(listed), { once: true });
    settings.addEventListener("change", () => this.#update());
    this.#on("undo", "click", () => settings.undo());
    this.#on("redo", "click", () => settings.redo());
    this.#on("reset-all", "click", () => {
      settings.reset();
      for (const field of this.#fields) field.restore();
    });
    this.#on("search", "input", () => this.#filterSoon());
    this.#on("search", "keydown", ({ key }) => {
      if (key === "Tab" && this.#filtering) this.#filter(); // to a field that stays
    });
    this.#on("only-changed", "change", () => this.#filter());
    section.addEventListener("keydown", (event) => this.#key(event));
    this.#update();
  }

  // The first field whose text is not allowed, or undefined.
  get wrong() {
    return this.#fields.find((field) => field.wrong);
  }

  // Shows a field, wherever it is, and gives it the focus.
  show(field) {
    this.#section.open = true;
    this.#groups.find(({ fields }) => fields.includes(field)).details.open = true;
    field.focus();
  }

  #build(params) {
    const groups = Object.entries(Object.groupBy(params, ({ group }) => group));
    for (const [name, members] of groups) {
      const fields = members.map((param) => new Field(param, this.#settings));
      const details = element("details", "", "group");
      const summary = element("summary", text.groups[name]);
      const count = element("span", "", "count");
      summary.append(" ", count);
      const grid = element("div", "", "fields");
      grid.append(...fields.map(({ node }) => node));
      details.append(summary, grid);
      this.#groups.push({ details, count, fields });
      this.#fields.push(...fields);
    }
    this.#section.append(...this.#groups.map(({ details }) => details));
    this.#filter(); // the reader may have searched already
    this.#update();
  }

  #update() {
    const changed = Object.keys(this.#settings.set).length;
    this.#find("changes").textContent = changed > 0 ? text.changes(changed) : "";
    for (const field of this.#fields) field.update();
    for (const { count, fields } of this.#groups) {
      const some = fields.filter((field) => field.changed).length;
      count.textContent = some > 0 ? text.changes(some) : String(fields.length);
    }
    // A button that has the focus keeps it: a disabled one would drop it.
    for (const [id, on] of [["undo", this.#settings.canUndo], ["redo", this.#settings.canRedo], ["reset-all", changed > 0]]) {
      this.#find(id).setAttribute("aria-disabled", String(!on));
    }
  }

  // Once the letter that was typed is on the screen: hundreds of fields that
  // come and go take longer.
  #filterSoon() {
    this.#filtering ??= nextShown().then(() => {
      this.#filtering = undefined;
      this.#filter();
    });
  }

  // Leaves those fields that have all words searched for.
  #filter() {
    const words = this.#find("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const onlyChanged = this.#find("only-changed").checked;
    const filtered = words.length > 0 || onlyChanged;
    for (const { details, fields } of this.#groups) {
      for (const field of fields) field.node.hidden = !field.has(words) || (onlyChanged && !field.changed);
      const found = fields.some(({ node }) => !node.hidden);
      details.hidden = !found;
      if (filtered) details.open = found;
    }
    const shown = this.#fields.filter(({ node }) => !node.hidden).length;
    this.#find("found").textContent = filtered ? text.found(shown, this.#fields.length) : "";
  }

  // Ctrl+Z and Ctrl+Shift+Z, unless the focused field has text of its own to
  // take back.
  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target.type === "search" || this.#fields.some((field) => field.edits(event.target))) return;
    event.preventDefault();
    if (event.shiftKey) this.#settings.redo();
    else this.#settings.undo();
  }

  #find(id) {
    return document.getElementById(id);
  }

  #on(id, type, listener) {
    this.#find(id).addEventListener(type, listener);
  }
}
