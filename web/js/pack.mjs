// Objects as short text for an address: JSON, deflated, base64url. What comes
// from an address is not to be trusted: reading is bounded in both sizes.

const maxTextLength = 64 << 10; // characters of packed text that are looked at
const maxBytes = 1 << 20; // of JSON, whatever the text unpacks to

export async function pack(value) {
  const json = new Blob([JSON.stringify(value)]);
  const packed = new Uint8Array(await new Response(json.stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// The value that pack has packed. Rejects with a sentence.
export async function unpack(text) {
  if (text.length > maxTextLength) throw new Error(`it has ${text.length} characters; at most ${maxTextLength} are read`);
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    throw new Error("it is damaged or cut short");
  }
  const json = await inflate(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    throw new Error("it is damaged or cut short");
  }
}

// Stops as soon as there is too much, so that a bomb costs no more than that.
async function inflate(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error("it is damaged or cut short");
    });
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new Error(`it unpacks to more than ${maxBytes} bytes`);
    }
    chunks.push(value);
  }
}
