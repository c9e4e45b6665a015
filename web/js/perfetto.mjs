// Opens a trace in Perfetto's page by its documented handshake: PING until it
// answers PONG, then the trace. https://perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui

const home = "https://ui.perfetto.dev";
const pingEveryMs = 100;
const patienceMs = 60_000;

// Opens Perfetto's window; call it in a click, or it is blocked: undefined.
export const openPerfetto = () => window.open(home) ?? undefined;

// Hands buffer over as soon as Perfetto is there. Rejects if it does not
// answer within a minute.
export function sendTrace(target, buffer, title) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearInterval(pings);
      clearTimeout(patience);
      removeEventListener("message", listen);
    };
    const listen = ({ source, origin, data }) => {
      if (source !== target || origin !== home || data !== "PONG") return;
      stop();
      target.postMessage({ perfetto: { buffer, title } }, home, [buffer]);
      resolve();
    };
    addEventListener("message", listen);
    const pings = setInterval(() => target.postMessage("PING", home), pingEveryMs);
    const patience = setTimeout(() => {
      stop();
      reject(new Error("Perfetto did not answer"));
    }, patienceMs);
  });
}
