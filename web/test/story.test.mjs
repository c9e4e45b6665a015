// The guided story, the command palette, the first-run hint, the model's gaps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage, run, serve } from "./harness.mjs";

const at = (page, step) => page.waitForFunction((n) => new URLSearchParams(location.search).get("step") === n, String(step));
const told = (page) => page.textContent("#tour-text h3");

test("a story takes run, view and card to each step, by keyboard too, and its link comes back to it", async () => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 1000, height: 900 } });
  await page.goto(`${url}?study=ipistorm-epyc-milan`);
  await page.click("#tour-next");
  await at(page, 1);
  assert.match(await told(page), /flag is set/);
  assert.match(await page.textContent("#card tr:has(th:text-is('A'))"), /set.*set/, "CPU 16 has NEED_RESCHED and POLLING");
  assert.equal(await page.textContent("#pause"), "Continue");
  await page.focus("#speed");
  await page.keyboard.press(".");
  await at(page, 2);
  assert.equal(await page.inputValue("#view"), "timeline");
  assert.equal(await page.inputValue("#show"), "8,16");
  await page.keyboard.press(",");
  await at(page, 1);
  await page.click("#tour-steps li:nth-child(7) button");
  await at(page, 7);
  assert.match(page.url(), /a=sm-idle&b=flag-beside-contended/, "the last step compares two other kernels");
  const link = page.url();
  await page.click("#tour-leave");
  await page.waitForFunction(() => document.querySelector("#pause").textContent === "Pause");
  await page.click("#pause");
  await page.waitForFunction(() => !location.search.includes("step="));

  const other = await newPage();
  await other.goto(link);
  await other.waitForSelector("#tour-text h3");
  assert.match(await told(other), /busy neighbour/, "its text is there before anything runs");
  await other.click("#run");
  await other.waitForFunction(() => /Same run/.test(document.querySelector("#messages").textContent));
  await at(other, 7);
  assert.deepEqual([...page.problems, ...other.problems], []);
});

test("what a link's step cannot be is said", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(`${url}?study=ipistorm-epyc-milan&step=12`);
  await page.waitForSelector("#messages p");
  assert.match(await page.textContent("#messages"), /step=12.*steps 1 to 7/);
});

test("a step whose event does not come is not shown as reached", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(`${url}?study=ilb-xeon&duration=3500us`);
  await page.click("#tour-steps li:nth-child(2) button"); // the tick that kicks comes at 4 ms
  await page.waitForSelector("#messages p:has-text('does not happen')");
  assert.doesNotMatch(page.url(), /step=/);
});

test("the palette finds and does what the page offers", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url);
  await page.waitForSelector("#run:enabled");
  await page.keyboard.press("Control+k");
  await page.fill("#palette-search", "view line");
  assert.deepEqual(await page.locator("#palette-list li").allTextContents(), ["View: timeline", "View: lines"]);
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.getAttribute("#palette-search", "aria-activedescendant"), "palette-1");
  await page.keyboard.press("Enter");
  assert.equal(await page.inputValue("#view"), "lines");
  await page.click("#open-palette");
  const names = await page.locator("#palette-list li").allTextContents();
  await page.keyboard.press("Escape");
  const buttons = await page.locator("main button:enabled:visible").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label") ?? (b.title || b.textContent.trim())));
  for (const name of buttons) assert.ok(names.some((n) => n.startsWith(name)), `${name} is not in the palette`);
  assert.deepEqual(page.problems, []);
});

test("the hint is shown until it has been read once", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url);
  await page.click("#hint-close");
  assert.equal(await page.isVisible("#hint"), false);
  await page.reload();
  await page.waitForSelector("#run:enabled");
  assert.equal(await page.isVisible("#hint"), false);
});

test("the model's gaps are on the page, those of the study first", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(`${url}?study=perfpipe-xeon`);
  await page.waitForSelector("#gaps .gaps p");
  assert.match(await page.textContent("#gaps .gaps p"), /^26 The published gain/);
  await page.selectOption("#study", "ipistorm-epyc-milan");
  assert.match(await page.textContent("#gaps .gaps p"), /^35 /);
  const numbers = await page.locator("#gaps .gap").evaluateAll((all) => all.map((p) => Number(p.id.slice(4))).sort((a, b) => a - b));
  assert.deepEqual(numbers, numbers.map((_, i) => i + 1), "every deviation once");
});
