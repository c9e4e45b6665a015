// What the model leaves out or gets wrong, as a list on the page: the numbered
// entries of DEVIATIONS.md.

import { element } from "./tables.mjs";
import { text } from "./text.mjs";

// Makes the list in section; the function it returns puts a study's entries
// first. gaps = [{number, group, title, text}].
export function gaps(section, all) {
  const own = element("div", "", "gaps");
  const groups = [...new Set(all.map(({ group }) => group))].map((group) => {
    const details = document.createElement("details");
    details.append(element("summary", group));
    return [group, details];
  });
  section.append(own, ...groups.map(([, details]) => details));
  return (study) => {
    const mine = all.filter(({ number }) => study.gaps.includes(number));
    own.replaceChildren(element("h3", text.gapsOfStudy), ...mine.map(entry));
    own.hidden = mine.length === 0;
    for (const [group, details] of groups) {
      const rest = all.filter((gap) => gap.group === group && !mine.includes(gap));
      details.hidden = rest.length === 0;
      details.replaceChildren(details.querySelector("summary"), ...rest.map(entry));
    }
  };
}

function entry({ number, title, text: words }) {
  const p = element("p", "", "gap");
  p.id = `gap-${number}`;
  p.append(element("span", number, "faint"), " ", element("b", title), ` ${words}`);
  return p;
}
