/** The rollouts as the table that Gym exports: one column, each rollout as JSON text in a row. */
import { edit, join } from "../json/edit.ts";
import { readObject } from "../json/object.ts";

/** What a rollout is exported without: it is large, and made again from the rollouts file. */
const LEFT_OUT = new Set(["ng_trajectory"]);

const text = new TextEncoder();

/**
 * The table of a rollouts file, as MLflow's tables are stored.
 *
 * @param lines the file's lines, each a JSON object; the buffer of one may be used again after the next is asked for
 */
export async function* rolloutTable(
  lines: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  yield text.encode('{"columns": ["Rollout"], "data": [');
  let count = 0;
  for await (const line of lines) {
    yield quoted(line, count++ === 0 ? '["' : ', ["');
  }
  yield text.encode("]}");
}

const SPACE = 0x20, QUOTE = 0x22, BACKSLASH = 0x5c;

/**
 * The line as a JSON string. It is JSON on one line itself: quotes and backslashes are all there is to escape, and what
 * else a string may not hold is white space between its values.
 */
function quoted(line: Uint8Array, opening: string): Uint8Array<ArrayBuffer> {
  const object = readObject(line);
  const kept = object.names().some((name) => LEFT_OUT.has(name))
    ? join(edit(object, { drop: LEFT_OUT }))
    : line;
  let escapes = 0;
  for (const byte of kept) if (byte === QUOTE || byte === BACKSLASH) escapes++;
  const out = new Uint8Array(opening.length + kept.length + escapes + 2);
  let at = text.encodeInto(opening, out).written;
  for (const byte of kept) {
    if (byte === QUOTE || byte === BACKSLASH) out[at++] = BACKSLASH;
    out[at++] = byte < SPACE ? SPACE : byte;
  }
  out[at++] = QUOTE;
  out[at] = 0x5d;
  return out;
}
