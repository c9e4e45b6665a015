// A smoke test in Debian's Firefox, by WebDriver BiDi.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "./server.mjs";

const firefox = process.env.FIREFOX || "/usr/bin/firefox-esr";
const patienceMs = 300_000; // a loaded machine is no failure

// A browser with one page: {send(method, params), errors}.
async function open() {
  const profile = await mkdtemp(join(tmpdir(), "wakelab-firefox-"));
  const browser = spawn(firefox, ["--headless", "--remote-debugging-port=0", "--no-remote", "--profile", profile], { stdio: ["ignore", "ignore", "pipe"] });
  const gone = new Promise((resolve) => browser.on("exit", resolve));
  after(async () => {
    browser.kill();
    await gone;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    browser.stderr.on("data", (data) => {
      said += data;
      const found = said.match(/WebDriver BiDi listening on (ws:\/\/\S+)/);
      if (found) resolve(found[1]);
    });
    gone.then(() => reject(new Error(`Firefox has ended: ${said}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  after(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no connection to ${address}`));
  });
  const waiting = new Map();
  const errors = [];
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === "log.entryAdded" && message.params.level === "error") errors.push(message.params.text);
    waiting.get(message.id)?.(message);
  };
  let id = 0;
  const send = async (method, params) => {
    const answer = await new Promise((resolve) => {
      waiting.set(++id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    assert.equal(answer.type, "success", `${method}: ${answer.error} ${answer.message}`);
    return answer.result;
  };
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  return { send, errors };
}

test("Firefox runs both kernels and shows their figures", {
  timeout: patienceMs, skip: !existsSync(firefox) && !process.env.CI && "firefox-esr is not installed (Debian package firefox-esr)",
}, async () => {
  const { url } = await serve();
  const { send, errors } = await open();
  const { contexts: [{ context }] } = await send("browsingContext.getTree", {});
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("script.evaluate", { expression, target: { context }, awaitPromise: true });
    assert.equal(exceptionDetails, undefined, expression);
    return result.value;
  };
  await send("browsingContext.navigate", { context, url: `${url}?study=hackbench-epyc9654&hackbench.groups=1&hackbench.loops=5`, wait: "complete" });
  while (!await evaluate("!document.querySelector('#run').disabled")) await sleep(100);
  await evaluate("document.querySelector('#run').click()");
  while (!await evaluate("document.querySelector('#clock').textContent.includes('finished')")) await sleep(200);
  assert.ok(await evaluate("document.querySelectorAll('#counters tbody tr').length") > 5);
  assert.deepEqual(errors, []);
});
