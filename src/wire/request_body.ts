/** How a request's body is put on its way. */
import type { Body } from "../ports/http.ts";

/** A body up to this size is sent with its length in front, which also the simplest servers read. */
const WITH_LENGTH = 1 << 22;

/**
 * A body that is made as it is needed: as one piece when it is small, else piece by piece.
 *
 * @throws whatever the making of its beginning throws
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
