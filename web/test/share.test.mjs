// Links as a reader makes and opens them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage, run, serve } from "./harness.mjs";

const small = "?hackbench.groups=1&hackbench.loops=5&seed=3";

async function paused(page) {
  await page.click("#pause");
  await page.waitForFunction(() => new URLSearchParams(location.search).has("d"));
  return page.url();
}

const verdict = async (url, change = (address) => address) => {
  const page = await newPage();
  await page.goto(change(url));
  await run(page);
  await page.waitForSelector("#messages p");
  await page.waitForFunction(() => /author|instant/.test(document.querySelector("#messages").textContent));
  return { page, said: await page.textContent("#messages") };
};

test("a paused run's address leads to the same run at the same instant", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url + small);
  await page.locator("#speed").fill("12");
  await run(page);
  const address = await paused(page);
  assert.match(address, /\?study=hackbench-epyc9654&hackbench\.groups=1&hackbench\.loops=5&seed=3&t=[\d.]+[a-z]+&v=\d+&d=[0-9a-f]{16}$/);

  const again = await verdict(address);
  assert.match(again.said, /Same run as the author saw/);
  assert.equal(await again.page.textContent("#pause"), "Continue", "it stays at the instant");
  assert.equal(again.page.url(), address);
  assert.deepEqual(again.page.problems, []);

  const other = await verdict(address, (a) => a.replace("seed=3", "seed=4"));
  assert.match(other.said, /Could not reproduce the author's run/);

  const older = await verdict(address, (a) => a.replace(/v=\d+/, "v=0"));
  assert.match(older.said, /The model has changed since this link was made/);
  assert.doesNotMatch(older.said, /Could not reproduce/);
});

test("the address follows what is chosen", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(`${url}?seed=3&t=1ms&v=1`);
  await page.fill("#seed", "4");
  await page.dispatchEvent("#seed", "change");
  await page.waitForFunction(() => location.search.includes("seed=4"));
  await page.selectOption("#kernel-b", "raw-spinlock");
  await page.waitForFunction(() => location.search.includes("b=raw-spinlock"));
  assert.doesNotMatch(page.url(), /[?&]t=/, "another run has no such instant");
  await page.reload({ waitUntil: "networkidle" });
  assert.equal(await page.inputValue("#seed"), "4");
  assert.equal(await page.inputValue("#kernel-b"), "raw-spinlock");
});

test("Copy link puts the address on the clipboard, or shows it", async () => {
  const { url } = await serve();
  const page = await newPage({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`${url}?seed=3`);
  await page.click("#copy-link");
  await page.waitForSelector("#messages p");
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\/\?study=hackbench-epyc9654&seed=3&v=\d+$/);

  const denied = await newPage();
  await denied.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await denied.goto(`${url}?seed=3`);
  await denied.click("#copy-link");
  await denied.waitForSelector("#copy[open]");
  assert.match(await denied.inputValue("#copy textarea"), /seed=3/);
  assert.equal(await denied.evaluate(() => { const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd) === t.value; }), true, "it is selected");
});
