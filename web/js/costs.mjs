// What each slice of a wakeup or call is made of: the costs that are paid in
// it, with their sources, and the switches that change it.

import { element, row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

// Fills details with the slices of site.json; valueOf(param) is a parameter's
// value now, kernels the two that are compared, [{title, values}].
export function showCosts(details, { anatomy, params }, valueOf, kernels) {
  const param = new Map(params.map((p) => [p.key, p]));
  const rows = anatomy.map(({ path, name, fn, costs, features, patch }) => {
    const head = th(text.sliceOf[path](name), "row");
    head.append(element("small", fn, "name"));
    return row(head, list(costs.map((key) => cost(param.get(key), valueOf))), list([
      ...(patch ? [element("li", patch)] : []), ...features.map((key) => feature(param.get(key), valueOf, kernels)),
    ]));
  });
  const scroll = element("div", "", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", details.querySelector("summary").textContent);
  scroll.append(table(text.costsOf, [row(th(text.slice, "col"), th(text.costs, "col"), th(text.switches, "col"))], rows));
  details.replaceChildren(details.querySelector("summary"), scroll);
}

function list(items) {
  const cell = td("");
  const ul = element("ul", "", "plain");
  ul.append(...items);
  cell.append(ul);
  return cell;
}

function cost(param, valueOf) {
  const item = element("li", `${param.title}: ${valueOf(param)}`);
  item.append(" ", element("small", text.origin({ ...param, range: "", unit: "" })));
  return item;
}

// A switch with its value in each kernel, where they differ.
function feature(param, valueOf, kernels) {
  const values = kernels.map(({ values }) => values[param.key] ?? valueOf(param));
  const item = element("li", values[0] === values[1] ? `${param.title}: ${values[0]}` : `${param.title}: A ${values[0]}, B ${values[1]}`);
  item.className = values[0] === values[1] ? "" : "differs";
  item.append(" ", element("small", param.source));
  return item;
}
