// How long the verdict of story A takes in the browser, two kernels with five
// seeds each, and how soon the page shows what a reader types meanwhile.

import { test } from "node:test";
import { newPage, serve } from "./harness.mjs";

const typedMs = 200; // between two keys

async function open() {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}?study=hackbench-epyc9654`);
  await page.waitForSelector("#run:not([disabled])");
  return page;
}

test("verdict of story A", async () => {
  const page = await open();
  await page.click("#seeds-run");
  await page.waitForFunction(() => document.getElementById("seeds-end").textContent !== "");
  console.log(`${await page.textContent("#seeds-end")}; ${(await page.textContent("#result")).match(/×[^)]*\)/)?.[0]}`);
});

test("keys while seeds run", async () => {
  const page = await open();
  await page.evaluate(() => {
    globalThis.keys = []; // [start, ms until the page shows what came of it] of each key
    new PerformanceObserver((list) => {
      for (const { name, startTime, duration } of list.getEntries()) if (name === "keydown") globalThis.keys.push([startTime, duration]);
    }).observe({ type: "event", durationThreshold: 16 });
    document.getElementById("parameters").open = true;
  });
  await page.click("#seeds-run");
  await page.focus("#search");
  const begun = await page.evaluate(() => performance.now());
  for (let n = 0; n < 150; n++) {
    await page.keyboard.press(n % 8 < 4 ? "idle"[n % 4] : "Backspace");
    await page.waitForTimeout(typedMs);
  }
  const keys = await page.evaluate(() => globalThis.keys);
  for (const [when, part] of [["first five seconds", keys.filter(([at]) => at < begun + 5000)], ["then", keys.filter(([at]) => at >= begun + 5000)]]) {
    const ms = part.map(([, duration]) => duration).sort((a, b) => a - b);
    const at = (share) => ms[Math.floor((ms.length - 1) * share)];
    console.log(`${when}: ${ms.length} keys, on the screen after ${at(0.5)} ms in the middle, ${at(0.95)} ms at 95 %, ${at(1)} ms at most`);
  }
});
