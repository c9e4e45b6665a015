// The command palette: everything that can be done on the page, found by
// typing. It knows no command: it reads what buttons, lists and fields there
// are, so that whatever has a name can be reached.

import { element } from "./tables.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);

const longList = 100; // a list of more is gone to: its entries are no commands

let commands = [];
let shown = []; // those that match
let at = 0; // the chosen one

// Opens on Ctrl or Meta and K, and by the button.
export function palette() {
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    openPalette();
  });
  $("open-palette").addEventListener("click", openPalette);
  $("palette-search").addEventListener("input", () => show());
  $("palette-search").addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      event.preventDefault();
      choose((at + moves[event.key] + shown.length) % Math.max(1, shown.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      act(shown[at]);
    }
  });
  $("palette-list").addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (item) act(shown[[...$("palette-list").children].indexOf(item)]);
  });
}

export function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  commands = [...found()];
  $("palette-search").value = "";
  $("palette").showModal();
  show();
}

// What the page offers now: {name, keys, run}.
function* found() {
  for (const node of document.querySelectorAll("header button, main button, main select, main input, main summary, main a[href], footer a[href]")) {
    if (node.id === "open-palette" || node.matches(":disabled, [aria-disabled=true]") || node.closest("[hidden]") || hiddenByDetails(node)) continue;
    const name = nameOf(node);
    if (!name) continue;
    if (node.matches("select")) {
      if (node.options.length > longList) yield { name: text.goToField(name), run: () => node.focus() };
      else for (const option of node.options) {
        if (!option.selected) yield { name: `${name}: ${option.text}`, run: () => pick(node, option.value) };
      }
    } else if (node.matches("input:not([type=checkbox])")) {
      yield { name: text.goToField(name), run: () => node.focus() };
    } else {
      yield { name, keys: node.getAttribute("aria-keyshortcuts"), run: () => { node.focus(); node.click(); } };
    }
  }
}

const hiddenByDetails = (node) => {
  const details = node.closest("details:not([open])");
  return details !== null && !node.matches("summary");
};

function nameOf(node) {
  const label = node.getAttribute("aria-label") ?? node.title;
  if (label) return label;
  if (node.labels?.length > 0) return ownText(node.labels[0]);
  return node.textContent.trim();
}

// A label's words without those of the field in it.
const ownText = (label) => [...label.childNodes].filter((part) => !(part instanceof HTMLSelectElement)).map((part) => part.textContent).join(" ").trim();

function pick(select, value) {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  select.focus();
}

function show() {
  const words = $("palette-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  shown = commands.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  $("palette-list").replaceChildren(...shown.map(({ name, keys }, i) => {
    const item = element("li", name);
    item.id = `palette-${i}`;
    item.setAttribute("role", "option");
    if (keys) item.append(" ", element("kbd", keys.replaceAll("Control", "Ctrl")));
    return item;
  }));
  $("palette-found").textContent = text.commands(shown.length);
  choose(0);
}

function choose(i) {
  at = i;
  [...$("palette-list").children].forEach((item, j) => item.setAttribute("aria-selected", String(j === at)));
  const item = $("palette-list").children[at];
  if (item) {
    $("palette-search").setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  } else {
    $("palette-search").removeAttribute("aria-activedescendant");
  }
}

function act(command) {
  if (!command) return;
  $("palette").close();
  command.run();
}
