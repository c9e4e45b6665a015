// Runs in painter.html: starts the page's program (cmd/wasm), which draws and
// does nothing else, and passes it what the page sends over a MessagePort and
// what the reader does over the picture. The protocol is described in
// painter.mjs.

import { markKey, moveOf, readGestures } from "./gestures.mjs";
import { framesOnDemand, keepInputFromCanvas, onContextLost, onPixelRatioChange, plainContext, tidyDocument } from "./guard.mjs";
import { text } from "./text.mjs";

addEventListener("message", ({ source, data, ports: [port] }) => {
  if (source === parent && data?.type === "module") run(data.module, port);
});
parent.postMessage({ type: "hello" }, location.origin);

async function run(module, port) {
  const fail = (error) => port.postMessage({ type: "failed", why: error.message });
  // Calls a function of the program; what it answers with as a text is an error.
  const call = (name, ...args) => {
    const answer = wakelab[name](...args);
    if (typeof answer === "string") fail(new Error(answer));
    return answer;
  };
  const mark = (x, y) => port.postMessage({ type: "marked", at: call("mark", x, y) });
  const frames = framesOnDemand();
  const card = new Card(port, call, frames.request);
  let started = false;
  readGestures(window, {
    hover: (x, y) => started && card.hover(call("cpuAt", x, y)),
    leave: () => started && card.hover(call("cpuAt", -1, -1)),
    click: (x, y) => started && card.click(call("cpuAt", x, y)),
    navigate: (move) => started && call("navigate", move),
    mark: (x, y) => started && mark(x, y),
    key: (key) => port.postMessage({ type: "key", key }),
  });
  keepInputFromCanvas(window);
  plainContext();
  onContextLost(window, () => port.postMessage({ type: "lost" }));
  onPixelRatioChange(() => location.reload());
  try {
    if (!document.createElement("canvas").getContext("webgl2")) throw new Error(text.noWebGL);
    const go = new Go();
    const ended = go.run(await WebAssembly.instantiate(module, go.importObject));
    ended.then(() => {
      fail(new Error("its program has ended"));
      port.close();
    });
    tidyDocument(text.picture);
  } catch (error) {
    fail(error);
    return;
  }
  started = true;
  frames.watch(document.querySelector("canvas"));
  const receivers = {
    frame(...args) {
      call("frame", ...args);
      card.refresh();
      // The browser gives no further frame while it is busy with one.
      frames.request(() => frames.request(() => port.postMessage({ type: "drawn" })));
    },
    lists: (lists) => port.postMessage({ type: "lists", wrong: call("lists", lists) }),
    pin: (cpu) => card.pin(cpu),
    picture(wanted) {
      const { file } = call("picture", wanted);
      port.postMessage({ type: "picture", file }, [file]);
    },
    move(name) {
      const middle = [innerWidth / 2, innerHeight / 2];
      if (name === markKey) mark(...middle);
      else call("navigate", moveOf(name, ...middle));
    },
  };
  port.onmessage = ({ data: { type, args } }) => {
    const own = args.map((arg) => (arg instanceof ArrayBuffer ? new Uint8Array(arg) : arg));
    if (receivers[type]) receivers[type](...own);
    else call(type, ...own);
  };
  port.postMessage({ type: "ready" });
}

// What is told of one CPU: the pinned one, else the one under the pointer.
class Card {
  #port;
  #call;
  #request; // requestAnimationFrame
  #hovered = -1;
  #pinned = -1;
  #asked = false;

  constructor(port, call, request) {
    this.#port = port;
    this.#call = call;
    this.#request = request;
  }

  hover([, cpu]) {
    if (cpu === this.#hovered) return;
    this.#hovered = cpu;
    if (this.#pinned < 0) this.#send();
  }

  click([, cpu]) {
    this.pin(cpu === this.#pinned ? -1 : cpu);
  }

  pin(cpu) {
    this.#pinned = cpu;
    this.#call("pin", cpu);
    this.#send();
  }

  // After a frame; at most once a drawing.
  refresh() {
    if (this.#asked || Math.max(this.#pinned, this.#hovered) < 0) return;
    this.#asked = true;
    this.#request(() => {
      this.#asked = false;
      this.#send();
    });
  }

  #send() {
    const pinned = this.#pinned >= 0;
    const cpu = pinned ? this.#pinned : this.#hovered;
    this.#port.postMessage({ type: "card", cpu, pinned, sides: this.#call("card", cpu) });
  }
}
