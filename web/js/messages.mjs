// The messages area, which screen readers announce.

import { element } from "./tables.mjs";
import { text } from "./text.mjs";

export class Messages {
  #area;

  constructor(area) {
    this.#area = area;
  }

  // Shows a message once, however often it is said.
  say(message, kind = "notice") {
    if ([...this.#area.children].some((p) => p.firstChild.textContent === message)) return;
    const p = element("p", "", kind);
    const close = element("button", "×");
    close.type = "button";
    close.ariaLabel = text.close;
    close.addEventListener("click", () => p.remove());
    p.append(element("span", message), close);
    this.#area.append(p);
  }

  clear() {
    this.#area.replaceChildren();
  }
}
