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

test("a missing program is explained", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.route("**/worker.wasm.gz", (route) => route.fulfill({ status: 404 }));
  await page.goto(url);
  await page.click("#run");
  await page.waitForSelector("#messages .problem");
  assert.match(await page.textContent("#messages"), /could not be loaded: 404/);
  assert.ok(await page.isEnabled("#run"), "it can be tried again");
});
