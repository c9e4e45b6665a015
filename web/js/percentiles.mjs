// The table that mmtests makes of many iterations, here seeds: percentiles,
// means and how much better each is than the first kernel's.

import { row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

// found is as engine.mjs's report has it; titles maps kernels to their titles.
export function percentiles({ operation, unit, names, rows }, titles) {
  const heads = [th(operation, "col"), ...names.map((name) => th(titles.get(name), "col", 2))];
  const cells = ({ value, percent, significant }) => {
    const [open, shut] = significant ? ["*", "*"] : ["(", ")"];
    return [td(value.toFixed(2), "number"), td(`${open}${percent.toFixed(2)}%${shut}`, "number")];
  };
  return table(text.percentilesOf(unit), [row(...heads)], rows.map(({ name, cells: of }) => row(th(name, "row"), ...of.flatMap(cells))));
}
