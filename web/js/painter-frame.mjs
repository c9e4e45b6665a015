// Runs in painter.html: starts the page's program (cmd/wasm), which draws and
// does nothing else, and passes it what the page sends over a MessagePort.
// The protocol is described in painter.mjs.

import { keepInputFromCanvas, onContextLost, onPixelRatioChange, tidyDocument } from "./guard.mjs";
import { text } from "./text.mjs";

addEventListener("message", ({ source, data, ports: [port] }) => {
  if (source === parent && data?.type === "module") run(data.module, port);
});
parent.postMessage({ type: "hello" }, location.origin);

async function run(module, port) {
  const fail = (error) => port.postMessage({ type: "failed", why: error.message });
  keepInputFromCanvas(window);
  onContextLost(window, () => port.postMessage({ type: "lost" }));
  onPixelRatioChange(() => location.reload());
  addEventListener("pointermove", ({ clientX, clientY }) => point(port, "hover", clientX, clientY));
  addEventListener("click", ({ clientX, clientY }) => point(port, "click", clientX, clientY));
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
  port.onmessage = ({ data: { type, args } }) => {
    const own = args.map((arg) => (arg instanceof ArrayBuffer ? new Uint8Array(arg) : arg));
    const error = wakelab[type](...own);
    if (error) fail(new Error(error));
  };
  port.postMessage({ type: "ready" });
}

function point(port, type, x, y) {
  const [side, cpu] = wakelab.cpuAt(x, y);
  port.postMessage({ type, side, cpu });
}
