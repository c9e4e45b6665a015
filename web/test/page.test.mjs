// The page from dist/ under a sub-path, as a reader uses it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clock, halt, newPage, run, serve } from "./harness.mjs";

const short = "?hackbench.groups=1&hackbench.loops=5"; // finishes within seconds

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test("first sight needs no program", async () => {
  const { url, requests } = await serve();
  const page = await newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  assert.match(await page.textContent("h1"), /idle/);
  const rows = await page.locator("#result tbody tr").allTextContents();
  assert.match(rows[0], /49 s/);
  assert.match(rows[1], /34 s\(\s*30\.61%\)/);
  assert.ok(await page.locator("#poster").evaluate((img) => img.naturalWidth > 0), "the poster is shown");
  assert.deepEqual(requests.filter((r) => r.includes(".wasm")), []);
  assert.ok(await page.isEnabled("#run"));
  assert.deepEqual(page.problems, []);
});

test("Run draws, pause stops, step and continue go on", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url);
  await run(page);
  const picture = () => page.locator(".painter").screenshot();
  const before = await picture();
  const start = await clock(page);
  await page.waitForFunction((was) => document.querySelector("#clock").textContent !== was, start);
  await pause(500);
  assert.notDeepEqual(await picture(), before, "the picture changes");

  await halt(page);
  const paused = await clock(page);
  const still = await picture();
  await pause(400);
  assert.equal(await clock(page), paused, "simulated time stands still");
  assert.deepEqual(await picture(), still, "the picture stands still");

  await page.click("#step");
  await page.waitForFunction((was) => document.querySelector("#clock").textContent !== was, paused);

  await page.click("#pause");
  await page.waitForFunction(() => document.querySelector("#pause").textContent === "Pause");
  assert.deepEqual(page.problems, []);
});

test("each view draws another picture of the same instant", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url);
  await run(page);
  await halt(page);
  const paused = await clock(page);
  const seen = [await page.locator(".painter").screenshot()];
  for (const view of ["timeline", "anatomy", "lines"]) {
    await page.selectOption("#view", view);
    await pause(500);
    const picture = await page.locator(".painter").screenshot();
    assert.ok(seen.every((other) => !other.equals(picture)), `${view} looks like another view`);
    seen.push(picture);
  }
  await page.selectOption("#view", "machine");
  await page.selectOption("#heat", "utilisation");
  await pause(500);
  assert.notDeepEqual(await page.locator(".painter").screenshot(), seen[0], "cells show utilisation");
  assert.equal(await clock(page), paused);
});

test("both kernels finish and the table shows numbers", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url + short);
  await page.locator("#speed").fill("22");
  await run(page);
  await page.waitForFunction(() => document.querySelector("#clock").textContent.includes("finished"), null, { timeout: 60_000 });
  const cells = await page.locator("#counters tbody tr td").allTextContents();
  assert.ok(cells.length > 0 && cells.every((cell) => /\d|^(none)?$/.test(cell)) && cells.some((cell) => /\d/.test(cell)), `counters: ${cells}`); // no change of nothing
  await page.click("#restart");
  await page.waitForFunction(() => !document.querySelector("#clock").textContent.includes("finished"));
  assert.deepEqual(page.problems, []);
});

test("bad parameters in the address are explained", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(`${url}?hackbench.loops=-5&nonsense=1&warmup=8ms&duration=5ms`);
  await page.waitForSelector("#messages .notice");
  const said = await page.textContent("#messages");
  assert.match(said, /do not exist: nonsense/);
  assert.match(said, /hackbench\.loops=-5, which is left out: allowed are 1 to/);
  await page.click("#run");
  await page.waitForSelector("#messages .problem");
  assert.match(await page.textContent("#messages"), /^warmup: 8ms: must be below duration/);
});

test("runs start from settled states where there are some", async () => {
  const dir = await mkdtemp(join(tmpdir(), "wakelab-warm-"));
  execFileSync("go", ["run", "./cmd/wakelab", "warm", "hackbench-epyc9654", "--age", "30us", "--dir", dir]);
  const states = await readdir(dir);
  const { url } = await serve();
  const page = await newPage();
  await page.route("**/data/site.json", async (route) => {
    const site = await (await route.fetch()).json();
    await route.fulfill({ json: { ...site, warm: states.map((name) => name.replace(".gz", "")) } });
  });
  await page.context().route("**/warm/*", (route) => route.fulfill({ path: join(dir, route.request().url().split("/").pop()) }));
  await page.goto(url);
  await page.locator("#speed").fill("0");
  await run(page);
  assert.match(await clock(page), /^3[0-9]\.[0-9]+ us/);
  assert.deepEqual(page.problems, []);
});

test("accessible by axe's rules, before and during a run, in both themes", async () => {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    const { url } = await serve();
    const page = await newPage({ colorScheme, bypassCSP: true });
    await page.goto(url, { waitUntil: "networkidle" });
    await page.evaluate(axe);
    const violations = () => page.evaluate(async () =>
      (await globalThis.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(" ")}`));
    assert.deepEqual(await violations(), [], `${colorScheme}, first sight`);
    await run(page);
    await page.click("#pause");
    assert.deepEqual(await violations(), [], `${colorScheme}, running`);
  }
});
