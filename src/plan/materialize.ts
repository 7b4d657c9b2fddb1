/** From the lines of the input to the materialized inputs and the index over them, in one pass. */
import { UsageFault } from "../kit/fault.ts";
import type { Sink } from "../kit/gathering.ts";
import { LineSplitter, type TextLine } from "../kit/lines.ts";
import { whole } from "../kit/phrases.ts";
import type { Preparation, Prepared } from "../rows/prepare.ts";
import { rowText } from "../rows/read.ts";
import { RowIndex } from "./row_index.ts";

/** The materialized inputs that were written. */
export interface Materialized {
  /** What preparing the rows reported. */
  readonly prepared: Prepared;
  /** Where each row is. */
  readonly index: RowIndex;
}

const NEWLINE = new Uint8Array([0x0a]);

/** Rollouts between two calls of `breathe`. */
const BREATH = 1 << 14;

/** The most rollouts of a run. Their index has 34 bytes for each, and a resume holds it in memory. */
const MOST = 100_000_000;

/** How the work is watched. */
export interface MaterializeOptions {
  /** Asked now and then; what it throws ends the work. */
  readonly stop?: () => void;
  /** Is given the bytes of the rows that are used, each with a line break; blank lines do not count. */
  readonly seen?: Sink;
  /** Called now and then, so that signals are heard in the middle of a chunk. */
  readonly breathe?: () => Promise<void>;
  /** The most rollouts. */
  readonly most?: number;
}

/**
 * Prepares every line and writes the rollouts to `sink`, one per line, in the order of the input.
 *
 * @throws {UsageFault} when a row or the configuration is wrong, or there are too many rollouts
 */
export async function materialize(
  chunks: AsyncIterable<Uint8Array>,
  preparation: Preparation,
  sink: Sink,
  { stop = () => {}, seen = () => {}, breathe = () => Promise.resolve(), most = MOST }: MaterializeOptions =
    {},
): Promise<Materialized> {
  const index = new RowIndex(), splitter = new LineSplitter();
  let offset = 0;
  const take = async (lines: Iterable<TextLine>) => {
    for (const { bytes, number } of lines) {
      if (preparation.full) return;
      const text = rowText(bytes);
      if (!text) continue;
      seen(text);
      seen(NEWLINE);
      for (const { pieces, task, rollout, route } of preparation.push({ bytes, line: number })) {
        let length = 0;
        for (const piece of pieces) {
          sink(piece);
          length += piece.length;
        }
        sink(NEWLINE);
        index.add({ offset, length, task, rollout, route });
        offset += length + 1;
        if (index.size > most) {
          throw new UsageFault(
            `Too many rollouts: a run can have at most ${
              whole(most)
            }. Use fewer repeats (--num-repeats), or split the input.`,
          );
        }
        if (index.size % BREATH !== 0) continue;
        await breathe();
        stop();
      }
    }
  };
  for await (const chunk of chunks) {
    stop();
    await take(splitter.push(chunk));
    if (preparation.full) break;
  }
  await take(splitter.end());
  return { prepared: preparation.finish(), index };
}

/**
 * Rewrites rows in another order and returns their index.
 *
 * @param order the rows that are written
 * @param readAt reads back what `materialize` wrote
 * @param breathe called now and then; what it throws ends the work
 */
export async function reorder(
  index: RowIndex,
  order: Iterable<number>,
  readAt: (into: Uint8Array, offset: number) => void,
  sink: Sink,
  breathe: () => Promise<void> = () => Promise.resolve(),
): Promise<RowIndex> {
  const { offset, length, task, rollout, route } = index.columns;
  const reordered = new RowIndex();
  let at = 0;
  for (const row of order) {
    const bytes = new Uint8Array(length[row]! + 1); // with its line break
    readAt(bytes, offset[row]!);
    sink(bytes);
    reordered.add({
      offset: at,
      length: length[row]!,
      task: task[row]!,
      rollout: rollout[row]!,
      route: route[row]!,
    });
    at += bytes.length;
    if (reordered.size % BREATH === 0) await breathe();
  }
  return reordered;
}
