// The dialog that makes the code of an embed, with a live preview.

import { copy } from "./copy.mjs";
import { instant } from "./format.mjs";
import { writeLink } from "./link.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);
const escape = (s) => s.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

// site is data/site.json; shown() is what the page shows, as writeLink takes it;
// standing() resolves to {atPs, digest} of a run that stands still, or to {}.
export function embedDialog(site, shown, standing) {
  const form = $("embed").querySelector("form");
  const home = new URL(".", location.href).href;

  let at = {}; // where the run stood when the dialog was opened

  async function refresh() {
    const state = { ...shown(), model: site.model_version, ...(form.instant.checked && at) };
    const pageLink = await writeLink(state, site);
    const link = await writeLink({ ...state, step: undefined }, site); // that is for the page
    const { ui, theme, unlock, width, height, kind } = Object.fromEntries(new FormData(form));
    const options = { ui, theme, unlock: unlock.replaceAll(" ", "") };
    const address = new URL(`embed.html${link}`, home);
    for (const [key, value] of Object.entries(options)) if (value) address.searchParams.set(key, value);
    const attributes = Object.entries(options).filter(([, value]) => value).map(([key, value]) => ` ${key}="${escape(value)}"`).join("");
    const title = state.study.title;
    const poster = `${home}posters/${state.study.id}-light.svg`;
    $("embed-code").value = {
      element: `<script src="${home}wakelab-embed.js" defer></script>\n<wakelab-embed link="${escape(link)}"${attributes} height="${height}"><a href="${escape(home + pageLink)}"><img src="${poster}" alt="${escape(title)}"></a></wakelab-embed>`,
      iframe: `<iframe src="${escape(address.href)}" width="${width}" height="${height}" loading="lazy" title="${escape(title)}"></iframe>`,
      markdown: `[![${title.replaceAll(/[[\]]/g, "")}](${poster})](${home}${pageLink})`,
    }[kind];
    const preview = $("embed-preview");
    preview.width = width;
    preview.height = height;
    if (preview.src !== address.href) preview.src = address.href;
  }

  $("open-embed").addEventListener("click", async () => {
    $("embed").showModal();
    at = await standing();
    form.instant.disabled = at.atPs === undefined;
    form.instant.checked &&= !form.instant.disabled;
    $("embed-instant").textContent = text.embedInstant(at.atPs === undefined ? undefined : instant(at.atPs));
    refresh();
  });
  $("embed").addEventListener("close", () => ($("embed-preview").src = "about:blank"));
  form.addEventListener("change", refresh);
  $("embed-copy").addEventListener("click", async () => {
    if (await copy($("embed-code").value, text.embedCode)) $("embed-copy").textContent = text.codeCopied;
  });
}
