/** Captures as model servers write them, and what is folded out of them as plain values. */
import { join } from "../../../src/json/edit.ts";
import { NumberText, readTree, type Tree } from "../../../src/rows/tree.ts";
import type { CaptureRead } from "../../../src/trajectory/capture/capture_read.ts";
import { foldCapture } from "../../../src/trajectory/capture/fold.ts";
import { piecesOf } from "../../../src/trajectory/write_tree.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** An object, parsed. */
export type Values = Record<string, unknown>;

/** The tree of a value. */
export function tree(value: unknown): Map<string, Tree> {
  return readTree(encoder.encode(JSON.stringify(value))) as Map<string, Tree>;
}

/** A tree as JSON text. */
export function text(value: Tree): string {
  return decoder.decode(join(piecesOf(value)));
}

/** A tree with its numbers as they are written, so that 1 and 1.0 differ. */
export function plain(value: Tree): unknown {
  if (value instanceof NumberText) return `#${value.text}`;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]));
  return value;
}

/** A capture with these lines: objects, or text as it stands in the file. */
export function captured(lines: readonly unknown[], incomplete = false): CaptureRead {
  return {
    kind: "read",
    lines: lines.map((line) => encoder.encode(typeof line === "string" ? line : JSON.stringify(line))),
    incomplete,
  };
}

/** What folding makes of a capture, parsed; numbers lose their kind. */
export interface FoldedValues {
  readonly rollout_id: string;
  readonly metrics: Values;
  readonly calls: Values[];
  readonly gaps?: Values[];
}

/** Folds a capture into a result. */
export function folded(read: CaptureRead, result: Values = {}): {
  readonly capture: FoldedValues;
  readonly observations: { source: string; records: Values[]; gaps: Values[] } | undefined;
  readonly lacksCalls: boolean;
} {
  const { capture, observations, lacksCalls } = foldCapture(tree(result), read, "0-0");
  return {
    capture: JSON.parse(text(capture)),
    observations: observations && JSON.parse(text(observations)),
    lacksCalls,
  };
}
