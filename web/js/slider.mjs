// Which values a slider has: even steps for small ranges, even factors for
// wide ones.

import { formatSpan, parseSpan } from "./params.mjs";

const maxEven = 200; // more steps than this do not fit a slider
const factors = 120;
const even = { int: 1, permille: 10, duration: 1000 }; // step; also the smallest value above 0 of a wide range

// The slider of a parameter: {steps, value(position), position(text)}, values
// as text; undefined for kinds without a range.
export function slider(param) {
  const step = even[param.kind];
  if (!step) return undefined;
  const [write, read] = param.kind === "duration" ? [formatSpan, parseSpan] : [String, Number];
  const values = (param.max - param.min) / step <= maxEven ? evenSteps(param, step) : evenFactors(param, step);
  return {
    steps: values.length - 1,
    value: (position) => write(values[position]),
    position: (text) => nearest(values, read(text)),
  };
}

const evenSteps = ({ min, max }, step) => Array.from({ length: (max - min) / step + 1 }, (_, i) => min + i * step);

function evenFactors({ min, max }, smallest) {
  const low = Math.max(min, smallest);
  const between = Array.from({ length: factors }, (_, i) => twoDigits(low * (max / low) ** (i / factors)));
  return [...new Set([min, ...between.filter((v) => v > min && v < max), max])];
}

const twoDigits = (v) => Number(Math.round(v).toPrecision(2));

function nearest(values, v) {
  const above = values.findIndex((value) => value >= v);
  if (above <= 0) return Math.max(above, 0);
  return v - values[above - 1] < values[above] - v ? above - 1 : above;
}
