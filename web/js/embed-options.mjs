// What the address of embed.html says beside the link: how the embed looks and
// what a reader may change.

import { text } from "./text.mjs";

export const optionKeys = ["ui", "unlock", "theme", "lang", "autoplay", "origin"];

const choices = {
  ui: ["min", "none", "full"], // the first is the default
  theme: ["auto", "light", "dark"],
  lang: ["en"],
  autoplay: ["off", "on"],
};

// Reads {ui, theme, lang, autoplay: boolean, unlock: [param], origin, problems}.
// origin, if given, is the only one whose messages are heard.
export function readOptions(search, params) {
  const query = new URLSearchParams(search);
  const options = { unlock: [], origin: undefined, problems: [] };
  for (const [key, allowed] of Object.entries(choices)) {
    const value = query.get(key);
    options[key] = allowed.includes(value) ? value : allowed[0];
    if (value !== null && !allowed.includes(value)) options.problems.push(text.badValue(key, value.slice(0, 60), allowed.join(", ")));
  }
  options.autoplay = options.autoplay === "on";

  const unlock = (query.get("unlock") ?? "").split(",").filter(Boolean);
  options.unlock = params.filter(({ key }) => unlock.includes(key));
  const unknown = unlock.filter((key) => !params.some((p) => p.key === key));
  if (unknown.length > 0) options.problems.push(text.unknownKeys(unknown.map((key) => key.slice(0, 60))));

  const origin = query.get("origin");
  if (origin !== null) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) options.origin = origin;
    else {
      options.origin = ""; // nobody's: a mistake must not open what was to be narrowed
      options.problems.push(text.badValue("origin", origin.slice(0, 60), text.anOrigin));
    }
  }
  return options;
}
