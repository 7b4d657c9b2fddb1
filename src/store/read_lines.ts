/** Walks the lines of a file from its start, in memory that does not grow with it. */
import { LineSplitter, type TextLine } from "../kit/lines.ts";
import type { ReadFile } from "../ports/files.ts";

const CHUNK = 1 << 18;

/** The lines of an open file. See {@link TextLine} for how long each may be held. */
export function* readLines(file: ReadFile): Generator<TextLine> {
  const splitter = new LineSplitter(), chunk = new Uint8Array(CHUNK);
  let offset = 0;
  for (let n = file.readAt(chunk, 0); n > 0; n = file.readAt(chunk, offset)) {
    yield* splitter.push(chunk.subarray(0, n));
    offset += n;
  }
  yield* splitter.end();
}
