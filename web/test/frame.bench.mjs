// What a frame of the picture costs in the browser: two machines of 384 CPUs at
// full speed, 1280 x 800, pixel ratio 1, WebGL without a graphics card. On a
// machine that does other things too, look at the fastest tenth and at the best
// second.

import { test } from "node:test";
import { newPage, run, serve } from "./harness.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 10); // of each view

test("a frame of each view", async () => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(() => {
    let draws = 0;
    globalThis.frames = []; // [end ms, duration ms, draw calls] of each that drew
    for (const name of ["drawElements", "drawArrays"]) {
      const draw = WebGL2RenderingContext.prototype[name];
      WebGL2RenderingContext.prototype[name] = function (...args) {
        draws++;
        return draw.apply(this, args);
      };
    }
    const request = requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = (callback) => request((now) => {
      draws = 0;
      const start = performance.now();
      callback(now);
      const end = performance.now();
      if (draws > 0) globalThis.frames.push([end, end - start, draws]);
    });
  });
  await page.goto(`${url}?study=hackbench-epyc9654`);
  await run(page);
  await page.locator("#speed").fill(await page.getAttribute("#speed", "max"));
  await page.waitForTimeout(8000); // until the browser has optimized the programs
  const painter = page.frames().find((frame) => frame.url().endsWith("painter.html"));
  for (const view of await page.locator("#view option").allTextContents()) {
    await page.selectOption("#view", view);
    await page.waitForTimeout(1000);
    await painter.evaluate(() => (globalThis.frames.length = 0));
    await page.waitForTimeout(seconds * 1000);
    const frames = (await painter.evaluate(() => globalThis.frames)).filter(([, , draws]) => draws > 0);
    const sorted = (i) => frames.map((frame) => frame[i]).sort((a, b) => a - b);
    const [ms, draws] = [sorted(1), sorted(2)];
    const at = (list, part) => list[Math.floor((list.length - 1) * part)];
    const inSecond = frames.map(([end]) => frames.filter(([other]) => other > end - 1000 && other <= end).length);
    console.log(`${view}: ${at(draws, 0.5)} draw calls a frame, ${at(draws, 1)} at most; scene and submit ${at(ms, 0.1)?.toFixed(1)} ms in the fastest tenth, ${at(ms, 0.5)?.toFixed(1)} ms in the middle; ${Math.max(...inSecond)} frames in the best second, ${(frames.length / seconds).toFixed(1)} a second`);
  }
});
