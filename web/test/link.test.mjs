// Links: what is written is read back, whatever the state; what is wrong is
// named and the rest honoured.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { defaultKernel, ownKeys, readLink, tag, writeLink } from "../js/link.mjs";
import { pack, unpack } from "../js/pack.mjs";
import { canonical, formatSpan, parseSpan, valueOf } from "../js/params.mjs";

const site = JSON.parse(await readFile(new URL("../../dist/data/site.json", import.meta.url), "utf8"));
const param = (key) => site.params.find((p) => p.key === key);
const read = (address) => {
  const { search, hash } = new URL(address, "http://host/");
  return readLink({ search, hash }, site);
};

test("values are read as the engine reads them", async () => {
  const examples = JSON.parse(await readFile(new URL("values.json", import.meta.url), "utf8"));
  for (const [key, text, want] of examples) assert.equal(canonical(param(key), text) ?? null, want, `${key}=${JSON.stringify(text)}`);
});

test("a span is read back to the picosecond", () => {
  fc.assert(fc.property(fc.nat({ max: 6e14 }), (ps) => parseSpan(formatSpan(ps)) === ps));
});

// A value of a parameter, as the engine writes it.
function value({ kind, min, max, options }) {
  switch (kind) {
    case "bool": return fc.constantFrom("on", "off");
    case "enum": return fc.constantFrom(...options);
    case "duration": return fc.integer({ min, max }).map(formatSpan);
    case "text": return fc.stringMatching(/^[0-9]([0-9,-]{0,20}[0-9])?$/);
    default: return fc.integer({ min, max }).map(String);
  }
}

// A state with at most so many parameters set.
const state = (most) => fc.record({
  study: fc.constantFrom(...site.studies),
  set: fc.uniqueArray(fc.constantFrom(...site.params), { maxLength: most }).chain((params) =>
    fc.tuple(...params.map(value)).map((values) => Object.fromEntries(params.map(({ key }, i) => [key, values[i]])))),
  view: fc.constantFrom(...site.views, undefined),
  atPs: fc.option(fc.nat({ max: 6e14 }), { nil: undefined }),
  forkAfter: fc.option(fc.nat({ max: 6e14 }), { nil: undefined }),
  model: fc.integer({ min: 1, max: 999 }),
  machine: fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 2000 }), { nil: undefined }),
}).map(({ forkAfter, ...s }) => ({ ...s, forkPs: forkAfter === undefined ? undefined : Math.min(forkAfter, s.atPs ?? forkAfter) })).chain((s) => fc.record({
  kernels: fc.tuple(...[0, 1].map(() => fc.constantFrom(...s.study.kernels.map(({ id }) => id)))),
  step: fc.option(fc.integer({ min: 1, max: s.study.story.length }), { nil: undefined }),
  digest: s.atPs === undefined ? fc.constant(undefined) : fc.option(fc.stringMatching(/^[0-9a-f]{16}$/), { nil: undefined }),
}).map((more) => ({ ...s, ...more })));

// What is left of a set when the study's own values are taken out.
function differences({ study, set }) {
  const plain = Object.entries(set).filter(([key, v]) => {
    const own = study.kernels.map(({ values }) => values[key]).filter(Boolean);
    return own.length > 0 ? own.some((o) => o !== v) : v !== (study.values[key] ?? param(key).default);
  });
  return Object.fromEntries(plain);
}

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, v]) => v !== undefined));

test("any state goes through a link unchanged", async () => {
  await fc.assert(fc.asyncProperty(state(site.params.length), async (s) => {
    const link = await read(await writeLink(s, site));
    assert.deepEqual(link.problems, []);
    assert.deepEqual(defined(link), defined({ ...s, set: differences(s), problems: [] }));
  }), { numRuns: 200 });
});

const siteAddress = 60; // characters of a site's own address, before the link

test("a preset's link is below 300 characters", async () => {
  for (const study of site.studies) {
    for (const b of study.kernels) {
      const link = await writeLink({
        study, kernels: [defaultKernel(study, 0), b.id], set: { seed: "9007199254740991" },
        view: "timeline", atPs: 123_456_789_012, model: 99, digest: "0123456789abcdef",
      }, site);
      assert.ok(siteAddress + link.length < 300, `${link.length} characters: ${link}`);
    }
  }
});

test("any state's link is below 2000 characters: every parameter changed, to the value that is longest", async () => {
  // Of a range that reaches far, the last third: no digit fewer than the end.
  const longest = (p) => (p.kind === "text" ? fc.stringMatching(/^[0-9][0-9,-]{62}[0-9]$/) : p.options ? value(p) :
    fc.integer({ min: Math.max(p.min, p.max - Math.floor((p.max - p.min) / 3)), max: p.max }).map((n) => valueOf(p, n)));
  const long = fc.constantFrom(...site.studies).chain((study) => fc.record({
    study: fc.constant(study),
    kernels: fc.constant([0, 1].map(() => study.kernels.map(({ id }) => id).sort((a, b) => b.length - a.length)[0])),
    set: fc.tuple(...site.params.map(longest)).map((values) => Object.fromEntries(site.params.map(({ key }, i) => [key, values[i]]))),
    view: fc.constant("timeline"), step: fc.constant(study.story.length || undefined),
    forkPs: fc.constant(599_123_456_789_011), atPs: fc.constant(599_123_456_789_012), model: fc.constant(999), digest: fc.constant("0123456789abcdef"),
  }));
  await fc.assert(fc.asyncProperty(long, async (s) => {
    const link = await writeLink(s, site);
    assert.ok(siteAddress + link.length < 2000, `${link.length} characters: ${link}`);
    assert.deepEqual((await read(link)).set, differences(s));
  }), { numRuns: 50 });
});

test("a link is readable and says differences only", async () => {
  const [study] = site.studies.filter(({ id }) => id === "hackbench-epyc9654");
  const kernels = [0, 1].map((side) => defaultKernel(study, side));
  assert.equal(
    await writeLink({ study, kernels, set: { seed: "7", idle_delay: "0.5ms", "hackbench.groups": "32", c1: "mwait" }, view: "timeline", atPs: 1.25e9 }, site),
    "?study=hackbench-epyc9654&seed=7&idle_delay=500us&view=timeline&t=1.25ms",
  );
});

test("every parameter has a tag of its own", () => {
  assert.equal(new Set(site.params.map(({ key }) => tag(key))).size, site.params.length);
});

test("no parameter has the name of one of the address's own keys", () => {
  assert.deepEqual(site.params.filter(({ key }) => ownKeys.includes(key)), []);
});

test("bad links are named, the rest is honoured", async () => {
  const first = site.studies[0].id;
  const bomb = deflateRawSync(Buffer.alloc(64 << 20)).toString("base64url");
  for (const [address, problem, honoured] of [
    ["?study=nonsense&seed=7", /no study called nonsense/, { seed: "7" }],
    ["?nonsense=1&seed=7", /do not exist: nonsense/, { seed: "7" }],
    ["?seed=-1&idle_delay=500us", /seed=-1.*allowed are 0 to/, { idle_delay: "500us" }],
    ["?idle_delay=500", /idle_delay=500/, {}],
    ["?view=nonsense", /view=nonsense.*machine,/, {}],
    ["?a=nonsense", /a=nonsense/, {}],
    ["?t=soon", /t=soon/, {}], ["?t=-1ms", /t=-1ms/, {}], ["?t=99999999s", /t=99999999s/, {}],
    ["?fork=soon", /fork=soon/, {}], ["?fork=2ms&t=1ms", /t=1ms.*from that of the fork on/, {}],
    ["?v=latest", /v=latest/, {}],
    ["?t=1ms&d=xyz", /d=xyz/, {}], ["?d=0123456789abcdef", /d=0123456789abcdef/, {}],
    ["?seed=7#x=1.abc", /format/, { seed: "7" }],
    ["?seed=7#x=2.***", /damaged or cut short/, { seed: "7" }],
    ["?seed=7#x=2.abcdefgh", /damaged or cut short/, { seed: "7" }],
    ["?seed=7#x=", /format/, { seed: "7" }],
    [`?seed=7#x=2.${bomb.slice(0, 60_000)}`, /unpacks to more than|damaged/, { seed: "7" }],
    [`?seed=7#x=2.${"A".repeat(100_000)}`, /100000 characters/, { seed: "7" }],
    [`?seed=7#x=2.${await pack({ set: { seed: 7 } })}`, /format/, { seed: "7" }],
    [`?seed=7#x=2.${await pack(null)}`, undefined, { seed: "7" }],
    [`?seed=7#x=2.${await pack({ set: "____1 constructor %zz" })}`, /do not exist: ____, cons, %zz/, { seed: "7" }],
    [`?seed=7#x=2.${await pack({ set: `${tag("idle_delay")}zzzzzzzzzzz ${tag("polled_ipi")}2` })}`, /idle_delay=zzzzzzzzzzz[^]*polled_ipi=2/, { seed: "7" }],
    [`?seed=7#x=2.${await pack({ set: `${tag("ipistorm.cpulist")}%zz` })}`, /URI malformed/, { seed: "7" }],
    [`?${"x".repeat(100_000)}=1`, /do not exist: x{60}\./, {}],
  ]) {
    const link = await read(address);
    const said = link.problems.join("\n");
    if (problem) assert.match(said, problem, address.slice(0, 80));
    else assert.equal(said, "");
    assert.equal(link.study.id, first);
    assert.deepEqual(link.set, honoured, address.slice(0, 80));
    assert.equal(link.machine, undefined);
  }
});

test("a link cut short at any place is read", async () => {
  const whole = await writeLink({
    study: site.studies[0], kernels: [0, 1].map((side) => defaultKernel(site.studies[0], side)),
    set: { seed: "7" }, view: "timeline", atPs: 1.25e9, model: 1, digest: "0123456789abcdef", machine: "{}",
  }, site);
  for (let length = 0; length <= whole.length; length++) {
    const link = await read(whole.slice(0, length));
    assert.ok(link.study && Array.isArray(link.problems), whole.slice(0, length));
  }
});

test("a bomb is stopped while it unpacks", async () => {
  const bomb = deflateRawSync(Buffer.alloc(30 << 20)).toString("base64url");
  assert.ok(bomb.length < 64 << 10, "short enough to be looked at");
  await assert.rejects(unpack(bomb), /more than 1048576 bytes/);
});
