import { chromium } from "playwright-core";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const p = await b.newPage();
p.on("console", m => console.log("console", m.text().slice(0,200)));
for (const u of ["chrome://tracing"]) {
  await p.goto(u).catch(e => console.log(u, e.message));
  await p.waitForTimeout(2000);
  console.log(u, p.url(), await p.title(), await p.evaluate(() => ({ tr: typeof tr, imp: typeof tr !== "undefined" && typeof tr.importer, keys: typeof tr !== "undefined" ? Object.keys(tr.e?.importer ?? {}) : null })));
  await p.screenshot({ path: "/tmp/h8/tracing.png" });
}
await b.close();
