// What a reader has to fetch.

import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const dist = new URL("../../dist/", import.meta.url).pathname;

const maxFirstLoad = 4.2e6; // bytes, gzip -9
const maxPoster = 100e3; // bytes, unpacked

test("the page, its program and its scripts are small enough for a first load", async () => {
  const all = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".gz"));
  const later = /^(worker\.wasm|warm\/|posters\/|examples\/|embed\.html|costs\.html|wakelab-embed\.js)/;
  const first = all.filter((name) => !later.test(name));
  for (const name of ["page.wasm.gz", "index.html.gz", "js/page.mjs.gz", "data/site.json.gz"]) assert.ok(first.includes(name), name);
  const sizes = await Promise.all(first.map(async (name) => (await stat(join(dist, name))).size));
  const sum = sizes.reduce((a, b) => a + b);
  assert.ok(sum <= maxFirstLoad, `${sum} bytes of at most ${maxFirstLoad}`);
});

test("posters are small", async () => {
  const posters = (await readdir(join(dist, "posters"))).filter((name) => name.endsWith(".svg"));
  const { studies } = JSON.parse(await readFile(join(dist, "data/site.json"), "utf8"));
  assert.equal(posters.length, 2 * studies.length);
  for (const name of posters) {
    const { size } = await stat(join(dist, "posters", name));
    assert.ok(size < maxPoster, `${name}: ${size} bytes`);
  }
});
