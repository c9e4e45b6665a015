import { test } from "node:test";
import { newPage, serve } from "./harness.mjs";
const { url } = await serve();
for (const [w,h,name] of [[1440,900,"desk"],[390,844,"phone"],[640,360,"embed"]]) for (const scheme of ["dark","light"])
test(`${name} ${scheme}`, async () => {
  const page = await newPage({ viewport: { width: w, height: h }, colorScheme: scheme, hasTouch: name==="phone" });
  const study = process.env.STUDY || "perfpipe-xeon";
  await page.goto(`${url}/${name === "embed" ? "embed.html" : ""}?study=${study}${name==="embed" ? "&ui=full" : ""}`);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/shots/${study}-${name}-${scheme}-0.png` });
  if (name === "embed") {
    await page.keyboard.press("Tab"); 
    const b = await page.$("button:visible"); await b.focus(); await page.keyboard.press("Enter");
    await page.waitForTimeout(9000);
    await page.screenshot({ path: `/tmp/shots/${study}-${name}-${scheme}-1.png` });
    return;
  }
  // keyboard only: to Run
  for (let i = 0; i < 40; i++) { await page.keyboard.press("Tab"); if (await page.evaluate(() => document.activeElement?.id) === "run") break; }
  await page.keyboard.press("Enter");
  await page.waitForSelector(".stage.live");
  await page.waitForTimeout(4000);
  await page.keyboard.press("Space").catch(()=>{});
  await page.waitForTimeout(500);
  await page.evaluate(() => document.querySelector("#stage").scrollIntoView());
  await page.screenshot({ path: `/tmp/shots/${study}-${name}-${scheme}-1.png` });
  await page.screenshot({ path: `/tmp/shots/${study}-${name}-${scheme}-full.png`, fullPage: true });
  console.log(name, scheme, page.problems, await page.evaluate(() => document.activeElement?.id));
});
