// Numbers as a reader wants them.

const timeUnits = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"], [1, "ps"]];

// A span of simulated picoseconds, to four digits: "1.25 ms".
export function span(ps) {
  if (ps === 0) return "0 s";
  const [size, unit] = timeUnits.find(([s]) => ps >= s) ?? [1, "ps"];
  return `${digits(ps / size)} ${unit}`;
}

// An instant to the nanosecond, for a clock: "1.234567 ms".
export function instant(ps) {
  const [size, unit] = timeUnits.slice(0, 4).find(([s]) => ps >= s) ?? [1e3, "ns"];
  return `${(ps / size).toFixed(Math.log10(size / 1e3))} ${unit}`;
}

// A number with four significant digits and no exponent.
export function digits(v) {
  if (!Number.isFinite(v)) return "–";
  if (v === 0) return "0";
  const places = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(v))));
  return v.toLocaleString("en", { maximumFractionDigits: Math.min(places, 12), useGrouping: true });
}

const scales = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

// A large count or rate with its unit: "3.72 M/s", "213.4", "1.02 k messages".
export function quantity(v, unit) {
  const [size, suffix] = scales.find(([s]) => Math.abs(v) >= s) ?? [1, ""];
  return `${digits(v / size)} ${suffix}${unit.startsWith("1/") ? unit.slice(1) : ` ${unit}`}`.replace(" /", "/").replace(/ +/g, " ").trim();
}

// A whole number in full: "1,234,567".
export const whole = (n) => n.toLocaleString("en");

// A number of bytes: "2.9 MB".
export function bytes(n) {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)} MB` : `${Math.ceil(n / 1e3)} kB`;
}

// A gain as mmtests prints it, "(  30.61%)": positive is better, whether less
// or, with higher, more is.
export function gain(value, base, higher = false) {
  return `(${((base - value) / base * (higher ? -100 : 100)).toFixed(2).padStart(7)}%)`;
}
