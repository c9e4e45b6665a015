// One engine in its own Web Worker, as promises.
//
// Protocol. The page sends {id, type, ...}; the worker answers each message
// with exactly one {id, ...}. A run is bounded in wall time (ms), so that a
// pause needs no message: the page just sends no further run.
//
//   load   {module}               the compiled worker.wasm     -> {}
//   start  {study, kernel, set, machine, warm, state, observe}
//                                 a new run of a study's kernel with the
//                                 parameters in set ({key: text}) changed, on
//                                 the machine of a preset's text, if there is
//                                 one; it starts from a settled state of warm,
//                                 its own or its scene's (warm/NAME.gz), or
//                                 from the state of another kernel's run; with
//                                 observe: false it is faster and has only
//                                 results to show
//                                 -> {static, frame, status, notice}
//   run    {until, events, ms}    to simulated instant until (ps), at most
//                                 that many events and milliseconds
//                                 -> {frame, status}
//   next   {want, ms}             to the next event that fits: want = {event,
//                                 enters, cpu, to}, texts as in a story's steps
//                                 (presets.At in Go), "" for any
//                                 -> {frame, status, hit}, hit = {cpu, to} or null
//   seek   {ps}                   to the kept moment before ps, from which run
//                                 goes on                    -> {frame, status}
//   save   {}                     the state where it stands  -> {state}
//   part   {study, kernels, set, machine, state, ms}
//                                 where two kernels part that go on from a
//                                 state, or without one from the start
//                                 -> {parted, nowPs, firsts}, firsts
//                                 {line, atPs, cpu} or null a kernel
//   view   {}                     where it stands              -> {frame, status}
//   result {}                     what it has found so far     -> {result, details, tables}
//   digest {}                     of the state where it stands -> {digest}
//   importMachine {description, latencies, name}
//                                 lscpu output or hwloc XML, a latency table or
//                                 "", where they are from
//                                 -> {preset, title, cpus, notes, hwloc}
//   record {}                     records tracepoints from here on -> {}
//   trace  {format}               what was recorded, as ftrace, perfetto or
//                                 dat; lost records did not fit -> {file, lost}
//   periods {from}                what was counted in each period of the run
//                                 from the nth on -> {atPs, values}
//   report {study, runs}          runs of many seeds summed up
//                                 -> {summaries, mmtests, mmtestsText, precision}
//   csv    {study, machine, runs} results as a table, a row a run, with all
//                                 parameters                 -> {csv}
//   sweep  {study, kernels, texts, machine, first, seeds, results}
//                                 a sweep over KEY=VALUE,VALUE... texts: its
//                                 runs and what there is of them
//                                 -> {runs, keys, cells, csv}
//
// static, frame, details and state are ArrayBuffers made by engine/view's codec, transferred.
// tables is what details says, as an object: {slices, lines, locks, functions}
// with the keys of engine/view's types.
// status = {nowPs, events, done, progress}, progress from 0 to 1.
// result is a study.Result of Go: {seed, metric, settled, full, digest,
// counters, ...}: metric = {value, lo, hi} with a 95 % interval, or null while it
// cannot be told; counters = [{key, title, unit, value}], value null for none.
// runs of a report = [{kernel, results: [{seed, metric, settled}]}], the baseline first;
// summaries has a study.Summary of Go for each kernel; mmtests is a
// stats.MMTests, and mmtestsText its text, or null; precision the share of the widest interval, or null.
// atPs and values have an entry a period: its end, and the counters' values.
// runs of a csv = [{kernel, set, result}], the seed in set.
// runs of a sweep = [{kernel, set}]; results has one or null for each;
// cells = [{kernel, values, mean: {value, lo, hi}, seeds}].
// A failure is answered with {id, error: text}.

import { text } from "./text.mjs";

export class Engine {
  #worker;
  #waiting = new Map();
  #nextId = 1;

  constructor(module) {
    try {
      this.#worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    } catch (error) {
      throw new Error(text.noWorker(error.message));
    }
    this.#worker.onmessage = ({ data }) => this.#settle(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#failAll(new Error(text.noWorker(event.message ?? "")));
    };
    this.loaded = this.#ask("load", { module });
  }

  start(setup) {
    return this.#ask("start", setup);
  }

  run(until, events, ms) {
    return this.#ask("run", { until, events, ms });
  }

  next(want, ms) {
    return this.#ask("next", { want, ms });
  }

  seek(ps) {
    return this.#ask("seek", { ps });
  }

  save() {
    return this.#ask("save", {});
  }

  part(fork) {
    return this.#ask("part", fork);
  }

  view() {
    return this.#ask("view", {});
  }

  result() {
    return this.#ask("result", {});
  }

  digest() {
    return this.#ask("digest", {});
  }

  importMachine(description, latencies, name) {
    return this.#ask("importMachine", { description, latencies, name });
  }

  record() {
    return this.#ask("record", {});
  }

  trace(format) {
    return this.#ask("trace", { format });
  }

  periods(from) {
    return this.#ask("periods", { from });
  }

  report(study, runs) {
    return this.#ask("report", { study, runs });
  }

  csv(results) {
    return this.#ask("csv", results);
  }

  sweep(sweep, results = null) {
    return this.#ask("sweep", { ...sweep, results });
  }

  // Ends the worker and frees its memory.
  close() {
    this.#worker.terminate();
    this.#failAll(new Error("closed"));
  }

  #ask(type, fields) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, type, ...fields });
    });
  }

  #settle({ id, error, ...answer }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(answer);
    else waiting.reject(new Error(error));
  }

  #failAll(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
