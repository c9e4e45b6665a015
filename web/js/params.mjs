// Values of parameters as a reader writes them: "500us", "on", "64". The table
// is the one in data/site.json; the engine has the last word, and both are
// held to the same examples (test/values.json).

const unitsPs = { s: 1e12, ms: 1e9, us: 1e6, ns: 1e3, ps: 1 };
const bools = new Map([["on", ["on", "1", "true", "yes"]], ["off", ["off", "0", "false", "no"]]]
  .flatMap(([value, spellings]) => spellings.map((spelling) => [spelling, value])));

// Reads a span of simulated time in ps; NaN if it is none.
export function parseSpan(text) {
  if (text === "0") return 0;
  const [, sign, whole, frac = "", unit] = text.match(/^(-?)(\d*)(?:\.(\d*))?\s*(s|ms|us|µs|ns|ps)$/) ?? [];
  if (unit === undefined || whole + frac === "") return NaN;
  const ps = unitsPs[unit.replace("µ", "u")];
  const span = Number(whole) * ps + Math.round(Number(`0.${frac}0`) * ps);
  return sign ? 0 - span : span;
}

// Writes a span exactly, in the largest unit that it reaches: "1.25ms".
export function formatSpan(ps) {
  if (ps === 0) return "0";
  if (ps < 0) return `-${formatSpan(-ps)}`;
  const [unit, size] = Object.entries(unitsPs).find(([, size]) => ps >= size);
  const digits = String(size).length - 1;
  const frac = String(ps % size).padStart(digits, "0").replace(/0+$/, "");
  return `${Math.floor(ps / size)}${frac && digits ? `.${frac}` : ""}${unit}`;
}

// The value as the engine writes it, or undefined if the parameter does not
// allow it.
export function canonical(param, text) {
  const value = text.trim();
  switch (param.kind) {
    case "text":
      return new TextEncoder().encode(value).length <= param.max ? value : undefined;
    case "bool":
      return bools.get(value.toLowerCase());
    case "enum":
      return param.options.find((option) => option.toLowerCase() === value.toLowerCase());
    case "duration":
      return within(param, parseSpan(value), formatSpan);
    default:
      return /^[+-]?\d+$/.test(value) ? within(param, Number(value), String) : undefined;
  }
}

const within = ({ min, max }, v, format) => (v >= min && v <= max ? format(v) : undefined);

// The number that stands for a canonical value of any kind but text: ps, 0 or
// 1, the place among the options.
export function numberOf(param, value) {
  switch (param.kind) {
    case "bool": return value === "on" ? 1 : 0;
    case "enum": return param.options.indexOf(value);
    case "duration": return parseSpan(value);
    default: return Number(value);
  }
}

// The value that a number stands for; undefined if the parameter does not
// allow it.
export function valueOf(param, number) {
  switch (param.kind) {
    case "bool": return ["off", "on"][number];
    case "enum": return param.options[number];
    case "duration": return within(param, number, formatSpan);
    default: return within(param, number, String);
  }
}
