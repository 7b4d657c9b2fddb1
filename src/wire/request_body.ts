/** How a request's body is sent. */
import type { Body } from "../ports/http.ts";

/** A body up to this size is sent with a Content-Length, which even the simplest servers understand. */
const WITH_LENGTH = 1 << 22;

/**
 * A body generated as it is sent: in one piece if it is small, otherwise piece by piece.
 *
 * @throws whatever generating its beginning throws
 */
export async function withLength(body: Body): Promise<Body> {
  if (body instanceof Uint8Array) return body;
  const rest = body[Symbol.asyncIterator](), pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size <= WITH_LENGTH;) {
    const { value, done } = await rest.next();
    if (done) return joined(pieces, size);
    pieces.push(value);
    size += value.length;
  }
  return (async function* () {
    yield* pieces;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  })();
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
