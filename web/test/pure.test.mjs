// The modules that touch neither the document nor the network.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "../js/clock.mjs";
import { bytes, digits, gain, instant, quantity, span, whole } from "../js/format.mjs";
import { maxStep, psPerSecond } from "../js/speed.mjs";

test("numbers are written as a reader wants them", () => {
  for (const [got, want] of [
    [span(0), "0 s"], [span(1), "1 ps"], [span(1.25e9), "1.25 ms"], [span(34e12), "34 s"], [span(999_999), "1,000 ns"],
    [instant(0), "0 ns"], [instant(1.234567e9), "1.234567 ms"], [instant(39_400_000), "39.400 us"], [whole(1234567), "1,234,567"],
    [digits(0.004213), "0.004213"], [digits(49.1234), "49.12"], [digits(0.00028538), "0.0002854"], [digits(NaN), "–"],
    [quantity(3_724_000, "1/s"), "3.724 M/s"], [quantity(12, ""), "12"], [quantity(0, "1/s"), "0/s"], [quantity(1020, "ns"), "1.02 k ns"],
    [bytes(2_900_000), "2.9 MB"], [bytes(512), "1 kB"],
    [gain(34, 49), "(  30.61%)"], [gain(49, 49), "(   0.00%)"], [gain(51, 49), "(  -4.08%)"],
  ]) {
    assert.equal(got, want);
  }
});

test("the speed slider rises from 1 ns to no limit", () => {
  assert.equal(psPerSecond(0), 1000);
  assert.equal(psPerSecond(maxStep), Infinity);
  for (let i = 1; i <= maxStep; i++) assert.ok(psPerSecond(i) > psPerSecond(i - 1));
});

test("the clock follows the speed", () => {
  const clock = new Clock(1e9); // 1 ms a second
  clock.start(0, 0);
  assert.equal(clock.target(16), 16e6);
  clock.reached(20, 16e6);
  assert.equal(clock.target(36), 32e6);
  assert.equal(clock.behind, false);
});

test("the clock slows down when the engines cannot keep up, and jumps no gap", () => {
  const clock = new Clock(1e9);
  clock.start(0, 0);
  clock.target(16);
  clock.reached(30, 4e6);
  assert.equal(clock.behind, true);
  assert.equal(clock.target(46), 20e6, "goes on from where the engines are");
  clock.reached(46, 20e6);
  assert.equal(clock.target(60_046), 120e6, "a minute in a hidden tab is not caught up");
});

test("without a speed limit the clock aims just beyond the slower engine", () => {
  const clock = new Clock(Infinity);
  clock.start(0, 0);
  const first = clock.target(0);
  clock.reached(30, first);
  const second = clock.target(30);
  assert.ok(second - first > first, "aims further while the engines reach the target");
  clock.reached(60, first + 1e6);
  assert.equal(clock.target(60) - (first + 1e6), 2e6, "and twice as far as they came when they do not");
});
