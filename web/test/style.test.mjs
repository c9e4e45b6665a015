// One type scale and one spacing scale: style sheets use their variables.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const sheets = await Promise.all(["page", "embed"].map(async (name) => [name, await readFile(new URL(`../css/${name}.css`, import.meta.url), "utf8")]));

// Each declaration of a property, without the rules on :root.
function* declarations(property) {
  for (const [sheet, css] of sheets) {
    for (const [, name, value] of css.replace(/:root \{[^}]*\}/, "").matchAll(/(?<![\w-])([\w-]+):\s*([^;{}]+)(?=[;}])/g)) {
      if (property.test(name)) yield [`${sheet}.css: ${name}: ${value}`, value.trim()];
    }
  }
}

test("sizes of text are those of the scale", () => {
  for (const [what, value] of declarations(/^font(-size)?$/)) {
    assert.match(value, /^(inherit|var\(--(small|body|large|title)\)(\/[\d.]+)?( [\w, -]+)?)$/, what);
  }
});

test("spaces are those of the scale; hairlines aside", () => {
  for (const [what, value] of declarations(/^(gap|margin|padding)(-\w+)?$/)) {
    for (const part of value.split(/\s+(?![^(]*\))/)) {
      assert.match(part, /^(0|auto|2px|var\(--s[1-5]\)|calc\(.*var\(--s[1-5]\).*\))$/, what);
    }
  }
});
