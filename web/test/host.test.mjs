// Hosts and browsers that do not do what they should.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage, run, serve } from "./harness.mjs";

for (const [name, fault] of [["wrong MIME types", { wrongTypes: true }], [".gz marked as content-encoded", { encodeGz: true }], ["the root path", { under: "/" }]]) {
  test(`the programs load: ${name}`, async () => {
    const { url } = await serve(fault);
    const page = await newPage();
    await page.goto(url);
    await run(page);
    assert.deepEqual(page.problems, []);
  });
}

test("a host that does not compress sends the packed programs all the same", async () => {
  const { url, requests } = await serve();
  const page = await newPage();
  await page.goto(url);
  await run(page);
  const programs = requests.filter((r) => r.includes(".wasm")).sort();
  assert.deepEqual(programs.map((r) => r.split("/").pop()), ["page.wasm.gz", "worker.wasm.gz"]);
});

test("a browser without DecompressionStream gets the plain programs", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.addInitScript(() => delete globalThis.DecompressionStream);
  await page.goto(url);
  await run(page);
  assert.deepEqual(page.problems, []);
});

test("a host without the .gz files sends the plain programs", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.route("**/*.gz", (route) => route.fulfill({ status: 404 }));
  await page.goto(url);
  await run(page);
});

test("without WebGL the tables go on", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.addInitScript(() => (HTMLCanvasElement.prototype.getContext = () => null));
  await page.goto(url);
  await page.click("#run");
  await page.waitForFunction(() => document.querySelector("#messages").textContent.includes("no WebGL 2"));
  await page.waitForFunction(() => document.querySelectorAll("#counters tbody tr").length > 0);
  assert.ok(await page.isVisible("#poster"));
});

test("blocked workers are explained", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.addInitScript(() => (globalThis.Worker = class { constructor() { throw new DOMException("blocked", "SecurityError"); } }));
  await page.goto(url);
  await page.click("#run");
  await page.waitForSelector("#messages .problem");
  assert.match(await page.textContent("#messages"), /did not start one here: blocked/);
});

test("a missing program is explained", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.route("**/worker.wasm*", (route) => route.fulfill({ status: 404 }));
  await page.goto(url);
  await page.click("#run");
  await page.waitForSelector("#messages .problem");
  assert.match(await page.textContent("#messages"), /could not be loaded: 404/);
  assert.ok(await page.isEnabled("#run"), "it can be tried again");
});
