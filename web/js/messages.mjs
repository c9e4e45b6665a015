// The messages area, which screen readers announce.

export class Messages {
  #area;

  constructor(area) {
    this.#area = area;
  }

  // Shows a message once, however often it is said.
  say(message, kind = "notice") {
    if ([...this.#area.children].some((p) => p.textContent === message)) return;
    const p = document.createElement("p");
    p.className = kind;
    p.textContent = message;
    this.#area.append(p);
  }

  clear() {
    this.#area.replaceChildren();
  }
}
