// The picture as the page sees it: an iframe with the painter's program.
//
// A document of its own keeps Ebiten's habits away from the page, gives the
// canvas the size of its container, and can be started afresh at any time
// (lost WebGL context, changed pixel ratio), as all state is in the engines.
//
// Protocol. The frame says {type: "hello"} whenever it has loaded; the page
// answers with {type: "module", module} and a MessagePort. Over the port:
//
//   page -> frame  {type: "static"|"frame"|"details", args: [side, bytes]}
//                  {type: "options", args: [{dark, reducedMotion, titles, view, heat, fold}]}
//                  {type: "lists", args: [{show, large}]}   CPU lists; show "" is all
//                  {type: "pin", args: [cpu]}               -1: none
//                  {type: "move", args: [key]}              a key of gestures.mjs
//                  {type: "window", args: [ps]}             length of the timeline's window
//                  {type: "parting", args: [{atPs, cpu}]}   where a forked run's sides part;
//                                             null: nowhere
//                  {type: "picture", args: [{format, sign}]}  asks for what is shown as
//                                             an svg or png file with sign below it
//   frame -> page  {type: "ready"}            it can draw
//                  {type: "drawn"}            a frame is on the screen
//                  {type: "picture", file}    an ArrayBuffer
//                  {type: "card", cpu, pinned, sides}  of the pinned CPU or the one
//                                             under the pointer, -1: none; a side is
//                                             null or {function, task, state, queue,
//                                             needResched, polling, irqsOff, busyPm,
//                                             lockWaitPm, lineWaitPm, irqPm}
//                  {type: "marked", at}       instants marked in the timeline, ps
//                  {type: "lists", wrong: {show, large}}   "": nothing is wrong
//                  {type: "key", key}         pressed while the picture had the focus
//                  {type: "lost"}             the WebGL context is gone
//                  {type: "failed", why}

const restartsAtMost = 3;

export class Painter {
  #frame = document.createElement("iframe");
  #port;
  #ready = false;
  #restarts = 0;
  #onHello;
  #wanted = []; // resolvers of the pictures asked for
  #drawing = []; // resolvers of the frames that are not yet on the screen

  // handlers: onReady() when it can draw, at first and after each restart;
  // onFailed(why); onLost(); and, if the page cares, card(message),
  // lists(message), key(message).
  constructor(container, module, title, handlers) {
    this.handlers = handlers;
    this.#frame.title = title;
    this.#frame.className = "painter";
    this.#onHello = ({ source, data }) => {
      if (source === this.#frame.contentWindow && data?.type === "hello") this.#connect(module);
    };
    addEventListener("message", this.#onHello);
    this.#frame.src = "painter.html";
    container.append(this.#frame);
  }

  get ready() {
    return this.#ready;
  }

  setStatic(side, bytes) {
    this.#send("static", [side, bytes]);
  }

  // Hands hot lines, locks and slices over; the buffer is transferred.
  setDetails(side, bytes) {
    this.#send("details", [side, bytes], [bytes]);
  }

  setOptions(options) {
    this.#send("options", [options]);
  }

  setLists(lists) {
    this.#send("lists", [lists]);
  }

  pin(cpu) {
    this.#send("pin", [cpu]);
  }

  // Shows the whole picture; a timeline follows the run with a window of ps.
  window(ps) {
    this.#send("window", [ps]);
  }

  move(key) {
    this.#send("move", [key]);
  }

  setParting(first) {
    this.#send("parting", [first]);
  }

  // Resolves to what is shown as a file, svg or png, with the text sign below it.
  picture(wanted) {
    return new Promise((resolve) => {
      this.#wanted.push(resolve);
      this.#send("picture", [wanted]);
    });
  }

  // Hands a frame over; its buffer is transferred. Resolves when it is on the screen.
  draw(side, bytes) {
    if (!this.#ready) return Promise.resolve();
    this.#send("frame", [side, bytes], [bytes]);
    return new Promise((resolve) => this.#drawing.push(resolve));
  }

  close() {
    removeEventListener("message", this.#onHello);
    this.#frame.remove();
    this.#rest();
  }

  #send(type, args, transfer = []) {
    if (this.#ready) this.#port.postMessage({ type, args }, transfer);
  }

  #connect(module) {
    const { port1, port2 } = new MessageChannel();
    this.#rest();
    this.#wanted = [];
    this.#port = port1;
    port1.onmessage = ({ data }) => this.#receive(data);
    this.#frame.contentWindow.postMessage({ type: "module", module }, location.origin, [port2]);
  }

  #receive(data) {
    switch (data.type) {
      case "ready":
        this.#ready = true;
        this.handlers.onReady();
        break;
      case "failed":
        this.#rest();
        this.handlers.onFailed(data.why);
        break;
      case "picture":
        this.#wanted.shift()(data.file);
        break;
      case "drawn":
        this.#drawing.shift()?.();
        break;
      case "lost":
        this.#restart();
        break;
      default:
        this.handlers[data.type]?.(data);
    }
  }

  // Draws no more: nobody need wait for it.
  #rest() {
    this.#ready = false;
    for (const resolve of this.#drawing.splice(0)) resolve();
  }

  #restart() {
    this.#rest();
    if (++this.#restarts > restartsAtMost) {
      this.handlers.onFailed("the graphics context was lost again and again");
      return;
    }
    this.handlers.onLost();
    this.#frame.contentWindow.location.reload();
  }
}
