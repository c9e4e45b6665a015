// The page's address says what is shown:
//
//   ?study=hackbench-epyc9654&idle_delay=500us&seed=7&view=timeline&t=1.25ms&v=1&d=0123456789abcdef
//
// Parameters are keys of the parameter table and only those that differ from
// the study are written. Of the other keys, a and b are the kernels if they
// are not the study's first two, step is a step of the study's story, from 1,
// fork is the simulated instant at which both kernels went on from the first
// one's state, t is the simulated instant, v the model version of the author's page and d the digest of both runs at t. What is
// too long for a readable address, such as a machine of the reader's own, is
// packed into the fragment: #x=2.PACKED, where 2 is the format: {set, machine},
// set a word for each parameter, its tag and its value in digits to base 36.

import { pack, unpack } from "./pack.mjs";
import { canonical, formatSpan, numberOf, parseSpan, valueOf } from "./params.mjs";
import { text } from "./text.mjs";

// Keys that are not parameters.
export const ownKeys = ["study", "a", "b", "view", "step", "fork", "t", "v", "d"];

const maxSpanPs = 2 ** 53;
const format = "2"; // of the fragment
const tagLength = 4;
const maxReadable = 1000; // characters of query; beyond it parameters are packed

// Reads an address: {search, hash}. Never fails: what cannot be honoured is
// left out and named in problems, one sentence each. ignored lists further
// keys, which others read.
//
// link = {study, kernels: [a, b], set: {key: text}, view, step, forkPs, atPs, model,
// digest, machine, problems}; study is the site's entry, and view, step, forkPs,
// atPs, model, digest and machine (text of a machine preset) may be undefined.
export async function readLink({ search, hash }, site, ignored = []) {
  const problems = [];
  const query = new URLSearchParams(search);
  const packed = await readPacked(hash, site.params, problems);
  const study = find(site.studies, query.get("study"), problems) ?? site.studies[0];
  const link = {
    study,
    kernels: [kernel(study, 0, query.get("a"), problems), kernel(study, 1, query.get("b"), problems)],
    set: {},
    machine: packed.machine,
    ...readInstant(query, problems),
  };
  const view = query.get("view");
  if (site.views.includes(view)) link.view = view;
  else if (view !== null) problems.push(text.badValue("view", view.slice(0, 60), site.views.join(", ")));

  const step = query.get("step");
  if (/^[1-9]$/.test(step) && step <= study.story.length) link.step = Number(step);
  else if (step !== null) problems.push(text.badValue("step", step.slice(0, 60), text.steps(study.story.length)));

  const params = new Map(site.params.map((param) => [param.key, param]));
  const others = [...query].filter(([key]) => !ownKeys.includes(key) && !ignored.includes(key));
  const unknown = [];
  for (const [key, value] of [...Object.entries(packed.set), ...others]) {
    const param = params.get(key);
    const good = param && canonical(param, value);
    if (!param) unknown.push(key.slice(0, 60));
    else if (good === undefined) problems.push(text.badValue(key, value.slice(0, 60), param.range));
    else link.set[key] = good;
  }
  if (unknown.length > 0) problems.push(text.unknownKeys(unknown));
  for (const key of Object.keys(link.set)) {
    if (link.set[key] === studyValue(study, params.get(key))) delete link.set[key];
  }
  return { ...link, problems };
}

// Writes {study, kernels, set, view, step, forkPs, atPs, model, digest, machine} as
// an address's end. Values that are the study's own are left out.
export async function writeLink(state, site) {
  const { study, kernels, view, step, forkPs, atPs, model, digest, machine } = state;
  const params = new Map(site.params.map((param) => [param.key, param]));
  const set = {};
  for (const [key, value] of Object.entries(state.set)) {
    const good = canonical(params.get(key), value) ?? value;
    if (good !== studyValue(study, params.get(key))) set[key] = good;
  }
  const head = [["study", study.id]];
  kernels.forEach((id, i) => id !== defaultKernel(study, i) && head.push(["ab"[i], id]));
  const tail = Object.entries({
    view, step, fork: written(forkPs), t: written(atPs), v: model, d: digest,
  }).filter(([, value]) => value !== undefined);
  const readable = queryOf([...head, ...Object.entries(set), ...tail]);
  const fits = readable.length <= maxReadable;
  const words = () => Object.entries(set).map(([key, value]) => tag(key) + digits(params.get(key), value));
  const hidden = { ...(machine && { machine }), ...(!fits && { set: words().join(" ") }) };
  return (fits ? readable : queryOf([...head, ...tail])) + (Object.keys(hidden).length > 0 ? `#x=${format}.${await pack(hidden)}` : "");
}

// A parameter's name in a packed set, which holds hundreds: the last digits,
// to base 36, of its key's FNV-1a hash.
export function tag(key) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).padStart(tagLength, "0").slice(-tagLength);
}

// A value in a packed set.
const digits = (param, value) => (param.kind === "text" ? encodeURIComponent(value) : numberOf(param, value).toString(36));
const undigits = (param, code) => (param.kind === "text" ? decodeURIComponent(code) : valueOf(param, parseInt(code, 36)));

// The default kernels are the study's first two.
export const defaultKernel = (study, side) => study.kernels[Math.min(side, study.kernels.length - 1)].id;

// A parameter's value in the study as it is; undefined if kernels set it to
// several values.
export function studyValue(study, { key, default: value }) {
  const own = new Set(study.kernels.map(({ values }) => values[key]).filter((v) => v !== undefined));
  if (own.size > 0) return own.size === 1 ? [...own][0] : undefined;
  return study.values[key] ?? value;
}

// As URLSearchParams would, but what may stand in a query stays readable.
const queryOf = (pairs) => `?${pairs.map(([key, value]) => `${escape(key)}=${escape(String(value))}`).join("&")}`;
const written = (ps) => (ps === undefined ? undefined : formatSpan(ps));
const escape = (s) => encodeURIComponent(s).replaceAll("%2C", ",").replaceAll("%3A", ":");

function find(studies, id, problems) {
  const study = studies.find((s) => s.id === id);
  if (id !== null && !study) problems.push(text.noStudy(id.slice(0, 60)));
  return study;
}

function kernel(study, side, id, problems) {
  if (study.kernels.some((k) => k.id === id)) return id;
  if (id !== null) problems.push(text.badValue("ab"[side], id.slice(0, 60), study.kernels.map((k) => k.id).join(", ")));
  return defaultKernel(study, side);
}

function readInstant(query, problems) {
  const instant = {};
  const [v, d] = ["v", "d"].map((key) => query.get(key));
  for (const [key, name] of [["fork", "forkPs"], ["t", "atPs"]]) {
    const value = query.get(key);
    if (value === null) continue;
    const ps = parseSpan(value);
    if (ps >= (instant.forkPs ?? 0) && ps < maxSpanPs) instant[name] = ps;
    else problems.push(text.badValue(key, value.slice(0, 60), ps < instant.forkPs ? text.afterFork : text.anInstant));
  }
  if (v !== null) {
    if (/^\d{1,9}$/.test(v)) instant.model = Number(v);
    else problems.push(text.badValue("v", v.slice(0, 60), text.aModelVersion));
  }
  if (d !== null) {
    if (/^[0-9a-f]{16}$/.test(d) && instant.atPs !== undefined) instant.digest = d;
    else problems.push(text.badValue("d", d.slice(0, 60), text.aDigest));
  }
  return instant;
}

async function readPacked(hash, params, problems) {
  const nothing = { set: {}, machine: undefined };
  const [, version, packed] = hash.match(/^#x=([^.]*)\.?(.*)$/) ?? [];
  if (version === undefined) return nothing;
  if (version !== format) {
    problems.push(text.badPacked(text.otherFormat));
    return nothing;
  }
  try {
    const { set = "", machine } = Object(await unpack(packed));
    if ([set, machine ?? ""].some((t) => typeof t !== "string")) throw new Error(text.otherFormat);
    const tagged = new Map(params.map((param) => [tag(param.key), param]));
    const values = set.split(" ").filter(Boolean).map((word) => {
      const [name, code] = [word.slice(0, tagLength), word.slice(tagLength)];
      const param = tagged.get(name);
      return param ? [param.key, undigits(param, code) ?? code] : [name, code];
    });
    return { set: Object.fromEntries(values), machine };
  } catch (error) {
    problems.push(text.badPacked(error.message));
    return nothing;
  }
}
