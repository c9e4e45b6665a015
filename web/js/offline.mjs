// Starts the service worker (sw.js) and says when a new version is there.

import { text } from "./text.mjs";

const container = navigator.serviceWorker;

function offer(worker) {
  const notice = document.getElementById("new-version");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text.reload;
  button.addEventListener("click", () => {
    container.addEventListener("controllerchange", () => location.reload(), { once: true });
    worker.postMessage("take over");
  });
  notice.replaceChildren(text.newVersion, " ", button);
}

function watch(worker) {
  const look = () => worker.state === "installed" && container.controller && offer(worker);
  worker.addEventListener("statechange", look);
  look();
}

async function start() {
  const registration = await container.register("sw.js", { updateViaCache: "none" });
  for (const worker of [registration.waiting, registration.installing]) if (worker) watch(worker);
  registration.addEventListener("updatefound", () => watch(registration.installing));
}

// Without one (http on another machine, private windows) all works but offline.
if (container) addEventListener("load", () => start().catch((error) => console.info(`no offline use: ${error.message}`)));
