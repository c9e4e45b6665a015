// Ebiten's habits in a page, each kept from the reader.

import assert from "node:assert/strict";
import { test } from "node:test";
import { halt, newPage, run, serve } from "./harness.mjs";

async function running(options) {
  const { url } = await serve();
  const page = await newPage(options);
  await page.goto(url);
  await run(page);
  const frame = page.frames().find((f) => f.url().endsWith("painter.html"));
  return { page, frame };
}

// Sends an event to the canvas and tells whether somebody prevented it.
const prevented = (frame, type, init = {}) => frame.evaluate(([type, init]) => {
  const kinds = { key: KeyboardEvent, whe: WheelEvent, mou: MouseEvent, con: MouseEvent, dra: DragEvent, dro: DragEvent };
  const Kind = kinds[type.slice(0, 3)] ?? Event;
  return !document.querySelector("canvas").dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, ...init }));
}, [type, init]);

test("keys, wheel, mouse, touch and the context menu keep their defaults", async () => {
  const { frame } = await running();
  for (const [type, init] of [
    ["keydown", { key: "Tab" }], ["keydown", { key: "f", ctrlKey: true }], ["keyup", { key: "Tab" }],
    ["wheel", { deltaY: 100 }], ["mousedown"], ["mouseup"], ["mousemove"],
    ["touchstart"], ["touchmove"], ["touchend"], ["contextmenu"], ["dragover"], ["drop"],
  ]) {
    assert.equal(await prevented(frame, type, init), false, `${type} is prevented`);
  }
});

test("the wheel over the picture scrolls the page", async () => {
  const { page } = await running({ viewport: { width: 1280, height: 500 } });
  await page.locator("#stage").scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  const box = await page.locator("#stage").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, 200);
  await page.waitForFunction((was) => scrollY > was, before);
});

test("Tab passes the picture, and it takes no focus by itself", async () => {
  const { page, frame } = await running();
  assert.equal(await page.evaluate(() => document.activeElement.id), "run");
  const seen = new Set();
  for (let i = 0; i < 24; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["pause", "step", "restart", "speed"]) assert.ok(seen.has(id), `Tab reaches ${id}: ${[...seen]}`);
  assert.equal(await frame.getAttribute("canvas", "tabindex"), null);
});

test("the page keeps its colours and its one viewport declaration", async () => {
  const { page, frame } = await running({ colorScheme: "light" });
  assert.equal(await page.locator("meta[name=viewport]").count(), 1);
  assert.equal(await frame.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgba(0, 0, 0, 0)");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(251, 251, 249)");
});

test("a lost WebGL context is restored at the same instant", async () => {
  const { page, frame } = await running();
  await halt(page);
  const clock = await page.textContent("#clock");
  await page.evaluate(() => (globalThis.notReloaded = true));
  await frame.evaluate(() => document.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context").loseContext());
  await page.waitForFunction(() => document.querySelector("#messages").textContent.includes("graphics context was lost"));
  await page.waitForFunction(() => document.querySelector(".painter").contentDocument?.querySelector("canvas")?.width > 16);
  assert.equal(await page.textContent("#clock"), clock);
  assert.equal(await page.evaluate(() => globalThis.notReloaded), true, "the page itself was not reloaded");
});

test("a picture that is scrolled out of sight is not drawn", async () => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 800, height: 400 } });
  await page.addInitScript(() => {
    const { drawElements } = WebGL2RenderingContext.prototype;
    globalThis.draws = 0;
    WebGL2RenderingContext.prototype.drawElements = function (...args) {
      globalThis.draws++;
      return drawElements.apply(this, args);
    };
  });
  await page.goto(url);
  await run(page);
  const frame = page.frames().find((f) => f.url().endsWith("painter.html"));
  const draws = () => frame.evaluate(() => globalThis.draws);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForTimeout(1000);
  const [was, drawn] = [await page.textContent("#clock"), await draws()];
  await page.waitForFunction((was) => document.querySelector("#clock").textContent !== was, was); // the run goes on
  assert.equal(await draws(), drawn);
  await page.locator("#stage").scrollIntoViewIfNeeded();
  await frame.waitForFunction((drawn) => globalThis.draws > drawn, drawn);
  assert.deepEqual(page.problems, []);
});

test("a hidden tab stands still and goes on at the same instant", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.addInitScript(() => { // as a browser treats a hidden tab
    const frame = requestAnimationFrame.bind(globalThis);
    Object.defineProperty(Document.prototype, "hidden", { get: () => globalThis.asHidden === true });
    globalThis.requestAnimationFrame = (callback) => frame(function again(now) {
      if (globalThis.asHidden) frame(again);
      else callback(now);
    });
  });
  await page.goto(url);
  await run(page);
  await page.evaluate(() => (globalThis.asHidden = true));
  await page.waitForTimeout(1000);
  const before = await page.textContent("#clock");
  await page.waitForTimeout(1000);
  assert.equal(await page.textContent("#clock"), before, "it ran on while hidden");
  await page.evaluate(() => (globalThis.asHidden = false));
  await page.waitForFunction((was) => document.querySelector("#clock").textContent !== was, before);
  assert.deepEqual(page.problems, []);
});

test("a changed pixel ratio gives a sharp picture", async () => {
  const { page } = await running();
  const width = () => page.evaluate(() => document.querySelector(".painter").contentDocument?.querySelector("canvas")?.width);
  const before = await width();
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 800, deviceScaleFactor: 2, mobile: false });
  await page.waitForFunction((was) => document.querySelector(".painter").contentDocument?.querySelector("canvas")?.width > 1.9 * was, before);
});

test("the canvas follows its container", async () => {
  const { page } = await running();
  await page.setViewportSize({ width: 800, height: 700 });
  await page.waitForFunction(() => {
    const painter = document.querySelector(".painter");
    const canvas = painter.contentDocument.querySelector("canvas");
    return Math.abs(canvas.width - painter.clientWidth * devicePixelRatio) <= 2;
  });
});
