// Form controls for the parameters that an embed's reader may change.

import { canonical } from "./params.mjs";

// Fills form with a control for each parameter. values are what they stand
// at; onChange(key, text) is called with good values only.
export function showKnobs(form, params, values, onChange) {
  form.replaceChildren(...params.map((param) => knob(param, values[param.key], onChange)));
  form.addEventListener("submit", (event) => event.preventDefault());
}

// Shows another value of a parameter.
export function setKnob(form, key, value) {
  const control = form.elements.namedItem(key);
  if (control.type === "checkbox") control.checked = value === "on";
  else control.value = value;
  control.removeAttribute("aria-invalid");
}

function knob(param, value, onChange) {
  const label = document.createElement("label");
  const control = document.createElement(param.kind === "enum" ? "select" : "input");
  control.name = param.key;
  label.title = `${param.help} (${param.key}: ${param.range})`;
  if (param.kind === "enum") control.append(...param.options.map((option) => new Option(option)));
  if (param.kind === "bool") {
    control.type = "checkbox";
    control.checked = value === "on";
  } else {
    control.value = value;
  }
  control.addEventListener("change", () => {
    const text = param.kind === "bool" ? (control.checked ? "on" : "off") : control.value;
    const good = canonical(param, text);
    if (good === undefined) {
      control.setAttribute("aria-invalid", "true");
      return;
    }
    control.removeAttribute("aria-invalid");
    onChange(param.key, good);
  });
  label.append(param.title, control);
  return label;
}
