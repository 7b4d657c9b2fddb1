import assert from "node:assert/strict";
import { unpackZstd } from "../../src/edge/zstd.ts";

/** A frame with a checksum, as `zstd --check` makes it of {@link TEXT}; and one without a checksum or size. */
const FRAME = Uint8Array.fromBase64("KLUv/QRYLQEA2GFiYywgYW5kIGEgbGluZSB0aGF0IGVuZHMuCgIAwCGqDgfnBv2AZ1M="),
  PLAIN = Uint8Array.fromBase64("KLUv/QBYLQEA2GFiYywgYW5kIGEgbGluZSB0aGF0IGVuZHMuCgIAwCGqDgfnBg==");
const TEXT = "abcabcabc, and a line that ends.\n".repeat(20);
/** A frame that carries something for others. */
const SKIPPED = new Uint8Array([0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]);

async function unpack(parts: readonly Uint8Array[], size = 1000): Promise<string> {
  const all = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  async function* raw() {
    for (let at = 0; at < all.length; at += size) yield await Promise.resolve(all.subarray(at, at + size));
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of unpackZstd(raw())) text += decoder.decode(chunk, { stream: true });
  return text;
}

Deno.test("unpackZstd() unpacks frames one after another, however the bytes come", async () => {
  for (const size of [1, 7, 1000]) {
    assert.equal(await unpack([FRAME, SKIPPED, PLAIN, FRAME], size), TEXT.repeat(3));
  }
  assert.equal(await unpack([]), "");
});

Deno.test("unpackZstd() never gives other content for a frame of which a bit was flipped, wherever in its blocks", async () => {
  const header = 7; // magic number, descriptor, two bytes of size
  for (let bit = header * 8; bit < FRAME.length * 8; bit++) {
    const flipped = FRAME.with(bit >> 3, FRAME[bit >> 3]! ^ (1 << (bit & 7)));
    const text = await unpack([flipped]).catch(() => undefined);
    assert.ok(text === undefined || text === TEXT, `bit ${bit}`);
  }
});

Deno.test("unpackZstd() refuses a frame that breaks off, wherever, and what is not zstd", async () => {
  for (let length = 1; length < FRAME.length; length++) {
    await assert.rejects(unpack([FRAME.subarray(0, length)]));
  }
  await assert.rejects(unpack([FRAME, new TextEncoder().encode("more")]), /it is not zstd/);
});
