// The speed slider: steps of 1, 2, 5 from 1 ns to 10 ms of simulated time a
// second, then no limit.

const steps = [];
for (let decade = 1e3; decade <= 1e9; decade *= 10) steps.push(decade, 2 * decade, 5 * decade);
steps.push(1e10, Infinity);

export const maxStep = steps.length - 1;

// The step a page starts with: 100 us a second.
export const defaultStep = steps.indexOf(1e8);

// Simulated picoseconds a second at a slider step.
export const psPerSecond = (step) => steps[Math.min(Math.max(Math.round(step), 0), maxStep)];

// The slider step of a speed, or the next faster one.
export const stepOf = (speed) => steps.findIndex((step) => step >= speed);
