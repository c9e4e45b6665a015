// The painter's pictures against those of the software painter, which the Go
// tests hold to golden hashes: every view, three sizes of machine, both themes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPage, serve } from "./harness.mjs";

const root = new URL("../../", import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), "wakelab-"));
after(() => rmSync(dir, { recursive: true }));
execFileSync("go", ["test", "./render/scene", "-run", "^TestExhibits$", "-args", "-exhibits", dir], { cwd: root, stdio: "inherit" });

// Edges differ by a grey level here and there; text and shapes must not.
const meanAtMost = 2; // of 255, over all channels
const farAtMost = 0.01; // share of channels more than 64 apart

const { url } = await serve();
const page = await newPage({ viewport: { width: 700, height: 500 } });
await page.goto(url);
await page.evaluate(async () => {
  const { Painter } = await import("./js/painter.mjs");
  const stage = document.createElement("div");
  stage.className = "stage live";
  Object.assign(stage.style, { position: "fixed", inset: "0 auto auto 0", width: "640px", height: "360px", border: "0" });
  document.body.replaceChildren(stage);
  const module = await WebAssembly.compileStreaming(fetch("page.wasm"));
  await new Promise((resolve, reject) => {
    globalThis.painter = new Painter(stage, module, "picture", { onReady: resolve, onFailed: (why) => reject(new Error(why)), onLost: () => reject(new Error("lost")) });
  });
});

const show = (script, dark) => page.evaluate(async ({ script: { view, titles, messages }, dark }) => {
  const { painter } = globalThis;
  painter.setOptions({ view, titles, dark, heat: 0, fold: false, reducedMotion: false });
  const send = { static: "setStatic", frame: "draw", details: "setDetails" };
  for (const { type, side, bytes } of messages) {
    painter[send[type]](side, Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer);
  }
}, { script, dark });

// How far two images are apart: {mean, far, size}.
const compare = (a, b) => page.evaluate(async (images) => {
  const [a, b] = await Promise.all(images.map(async (text) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  let sum = 0;
  let far = 0;
  for (let i = 0; i < a.data.length; i++) {
    const d = Math.abs(a.data[i] - b.data[i]);
    sum += d;
    if (d > 64) far++;
  }
  return { mean: sum / a.data.length, far: far / a.data.length, sizes: [a, b].map(({ width, height }) => `${width} x ${height}`) };
}, [a, b]);

const names = readdirSync(dir).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
test("there is a picture of each view and size", () => assert.equal(names.length, 12));
for (const name of names) {
  const script = JSON.parse(readFileSync(join(dir, `${name}.json`), "utf8"));
  for (const theme of ["light", "dark"]) {
    test(`${name}, ${theme}: the browser draws what the software painter draws`, async () => {
      await page.emulateMedia({ colorScheme: theme }); // the picture has the page's background
      await show(script, theme === "dark");
      const want = readFileSync(join(dir, `${name}-${theme}.png`)).toString("base64");
      let apart;
      for (let tries = 0; tries < 10; tries++) { // until it is drawn
        await page.waitForTimeout(100);
        const got = (await page.screenshot({ clip: { x: 0, y: 0, width: 640, height: 360 } })).toString("base64");
        apart = await compare(got, want);
        if (apart.mean <= meanAtMost && apart.far <= farAtMost) break;
      }
      assert.equal(apart.sizes[0], apart.sizes[1]);
      assert.ok(apart.mean <= meanAtMost && apart.far <= farAtMost, JSON.stringify(apart));
    });
  }
}
