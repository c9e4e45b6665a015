// A chart as a file: SVG, PNG or CSV. Pictures carry the title, the legend and
// a link to what they show.

const margin = { left: 80, right: 16, top: 56, bottom: 60 };
const font = "12px system-ui, sans-serif";

// The chart as the text of an SVG file. drawing is a Plot's.
export function svg(drawing, title, link) {
  const { chart, colours, dashes, ticks, at, box } = drawing;
  const width = box.width + margin.left + margin.right;
  const height = box.height + margin.top + margin.bottom;
  const x = (v) => (margin.left + at(v, "x")).toFixed(1);
  const y = (v) => (margin.top + at(v, "y")).toFixed(1);
  const bottom = margin.top + box.height;
  const right = margin.left + box.width;
  const said = (text, attributes) => `<text ${attributes}>${escape(text)}</text>`;
  const inside = (v, low, high) => v >= low - 0.5 && v <= high + 0.5;
  const parts = [
    said(title, `x="${margin.left}" y="20" font-weight="600"`),
    ...chart.lines.map((line, i) => said(line.title, `x="${margin.left + i * box.width / 2}" y="40" fill="${colours.lines[i]}"`)),
    ...ticks[0].filter(({ value }) => value != null && inside(at(value, "x"), 0, box.width)).flatMap(({ value, label }) => [
      `<path d="M${x(value)} ${margin.top}V${bottom}" stroke="#8886" stroke-width=".5"/>`, said(label, `x="${x(value)}" y="${bottom + 16}" text-anchor="middle"`)]),
    ...ticks[1].filter(({ value }) => value != null && inside(at(value, "y"), 0, box.height)).flatMap(({ value, label }) => [
      `<path d="M${margin.left} ${y(value)}H${right}" stroke="#8886" stroke-width=".5"/>`, said(label, `x="${margin.left - 6}" y="${y(value)}" dy="4" text-anchor="end"`)]),
    said(chart.xLabel, `x="${margin.left + box.width / 2}" y="${bottom + 32}" text-anchor="middle"`),
    said(chart.yLabel, `transform="translate(14 ${margin.top + box.height / 2}) rotate(-90)" text-anchor="middle"`),
    ...chart.lines.map(({ values }, i) => `<path d="${path(chart, values, x, y)}" fill="none" stroke="${colours.lines[i]}" stroke-width="1.5" stroke-dasharray="${dashes[i].join(" ")}"/>`),
    ...chart.lines.flatMap(({ lo, hi }, i) => (lo ? chart.x.map((v, n) => (lo[n] == null ? "" : `<path d="M${x(v)} ${y(lo[n])}V${y(hi[n])}" stroke="${colours.lines[i]}"/>`)) : [])),
    said(link, `x="${margin.left}" y="${height - 8}" font-size="10"`),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="${colours.background}"/><g fill="${colours.ink}">${parts.join("\n")}</g></svg>\n`;
}

// The chart as a PNG file's Blob.
export function png({ chart, colours, canvas }, title, link) {
  const ratio = devicePixelRatio;
  const head = 44;
  const foot = 22;
  const out = document.createElement("canvas");
  out.width = canvas.width;
  out.height = canvas.height + (head + foot) * ratio;
  const ctx = out.getContext("2d");
  ctx.fillStyle = colours.background;
  ctx.fillRect(0, 0, out.width, out.height);
  ctx.drawImage(canvas, 0, head * ratio);
  ctx.scale(ratio, ratio);
  ctx.fillStyle = colours.ink;
  ctx.font = `600 ${font}`;
  ctx.fillText(title, 12, 18);
  ctx.font = font;
  ctx.fillText(link, 12, out.height / ratio - 8);
  chart.lines.forEach((line, i) => {
    ctx.fillStyle = colours.lines[i];
    ctx.fillText(line.title, 12 + i * canvas.width / ratio / 2, 36);
  });
  return new Promise((resolve) => out.toBlob(resolve, "image/png"));
}

// Rows of values as the text of a CSV file; null is an empty field.
export const csv = (rows) => rows.map((row) => row.map((v) => (/[",\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v ?? "")).join(",")).join("\n") + "\n";

// A line with gaps where there is no value.
function path({ x: xs, log }, values, x, y) {
  let pen = false;
  return xs.map((v, n) => {
    const there = values[n] != null && !(log && values[n] <= 0);
    const step = there ? `${pen ? "L" : "M"}${x(v)} ${y(values[n])}` : "";
    pen = there;
    return step;
  }).join("");
}

const escape = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
