// Loads WebAssembly programs, with byte progress, and other packed files from
// any static host.
//
// The ".gz" file is fetched and unpacked here, so that a host that does not
// compress costs nothing. A host may also mark it as content-encoded, in which
// case the browser has unpacked it already: the first bytes tell. The MIME
// type is never relied on.

const gzipMagic = [0x1f, 0x8b];

// Compiles the program at url. size = {raw, gz} in bytes; onProgress(done,
// total) is called as bytes arrive.
export async function compile(url, size, onProgress) {
  const response = await fetchProgram(url);
  const { isGzip, stream } = await peek(response.body);
  const counted = stream.pipeThrough(counter(isGzip ? size.gz : size.raw, onProgress));
  const bytes = isGzip ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
}

// The unpacked bytes of the gzip file at url.
export async function unpack(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText} for ${response.url}`);
  const { isGzip, stream } = await peek(response.body);
  const bytes = isGzip ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
  return new Uint8Array(await new Response(bytes).arrayBuffer());
}

async function fetchProgram(url) {
  if (typeof DecompressionStream === "function") {
    const packed = await fetch(`${url}.gz`);
    if (packed.ok) return packed;
  }
  const plain = await fetch(url);
  if (!plain.ok) throw new Error(`${plain.status} ${plain.statusText} for ${plain.url}`);
  return plain;
}

// Whether a stream is gzip by its first bytes, and a stream with all of it.
async function peek(body) {
  const reader = body.getReader();
  const { value: first = new Uint8Array() } = await reader.read();
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { isGzip: gzipMagic.every((b, i) => first[i] === b), stream };
}

function counter(total, onProgress) {
  let done = 0;
  return new TransformStream({
    transform(chunk, controller) {
      done += chunk.byteLength;
      onProgress(Math.min(done, total), total);
      controller.enqueue(chunk);
    },
  });
}
