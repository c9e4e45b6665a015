// Messages between an embed and the page that shows it; the interface is
// described in EMBED.md and stable.

export const protocol = 1;

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// What a message of each type must look like.
const shapes = {
  hello: () => true,
  set: ({ params }) => isObject(params) && Object.values(params).every(isText),
  run: () => true,
  pause: () => true,
  seek: ({ t }) => isText(t),
};

export class Host {
  #parent;
  #allowed;
  #pinned; // the parent's origin, once it has said hello
  #handlers;

  // frame is the embed's window; allowed narrows whose hello is heard.
  // handlers has a function for each type of message, called with it.
  constructor(frame, allowed, handlers) {
    this.#parent = frame.parent;
    this.#allowed = allowed;
    this.#handlers = handlers;
    if (frame.parent === frame) return;
    frame.addEventListener("message", (event) => this.#receive(event));
    // Carries nothing, so it may go to whoever shows the embed.
    frame.parent.postMessage({ wakelab: protocol, type: "loaded" }, allowed || "*");
  }

  // Sends an event to the host, if there is one that said hello.
  send(type, fields = {}) {
    if (this.#pinned === undefined) return;
    const target = this.#pinned === "null" ? "*" : this.#pinned; // an opaque origin cannot be named
    this.#parent.postMessage({ wakelab: protocol, type, ...fields }, target);
  }

  #receive({ source, origin, data }) {
    if (source !== this.#parent || !isObject(data) || data.wakelab !== protocol) return;
    if (!Object.hasOwn(shapes, data.type) || !shapes[data.type](data)) return;
    if (this.#pinned === undefined) {
      if (data.type !== "hello" || (this.#allowed !== undefined && origin !== this.#allowed)) return;
      this.#pinned = origin;
    }
    if (origin === this.#pinned) this.#handlers[data.type](data);
  }
}
