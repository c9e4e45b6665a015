// What the page's address asks for: ?study=...&seed=7&idle_delay=500us. Keys
// come from the parameter table; only differences from the study are written.

// Splits the address's query into {study, seed, overrides: {key: text},
// unknown: [key]}; params is the table.
export function readLink(query, params) {
  const known = new Set(params.map(({ key }) => key));
  const link = { study: undefined, seed: undefined, overrides: {}, unknown: [] };
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === "study" || key === "seed") link[key] = value;
    else if (known.has(key)) link.overrides[key] = value;
    else link.unknown.push(key);
  }
  return link;
}
