/** Which rollouts are not run again, and where all of them stand. */
import { type RowIndex, State } from "../plan/row_index.ts";
import type { FailuresPast } from "./earlier_run.ts";

/** Where the rollouts of a run stand, by its files. `rollouts = done + terminal + atCap + left`. */
export interface Standing {
  /** In the materialized inputs. */
  readonly rollouts: number;
  /** In the rollouts file. */
  readonly done: number;
  /** Without a result and permanently failed. */
  readonly terminal: number;
  /** Without a result and at the attempt limit. */
  readonly atCap: number;
  /** What a resume runs. */
  readonly left: number;
  /** Of these, those that have failed before. */
  readonly leftFailed: number;
  /** Recorded failed attempts, of all rollouts. */
  readonly attempts: number;
  /** Rollouts without a result by the class of their last failure. */
  readonly failed: Readonly<Record<string, number>>;
}

/**
 * Marks the rows of the index that are not done but will not run either: those that failed permanently, and those that
 * failed `cap` times.
 */
export function gate(index: RowIndex, terminal: Uint8Array, cap: number): void {
  const { state, attempts } = index.columns;
  for (let row = 0; row < index.size; row++) {
    if (state[row] === State.DONE) continue;
    if (terminal[row]) state[row] = State.TERMINAL;
    else if (attempts[row]! >= cap) state[row] = State.AT_CAP;
  }
}

/** Where the rows of a gated index stand. */
export function standing(index: RowIndex, past: FailuresPast): Standing {
  const { state, attempts } = index.columns;
  const counts = [0, 0, 0, 0];
  const failed = new Array<number>(past.classes.length).fill(0);
  let leftFailed = 0;
  for (let row = 0; row < index.size; row++) {
    const now = state[row]!;
    counts[now]!++;
    if (now === State.OWED && attempts[row]! > 0) leftFailed++;
    if (now !== State.DONE && past.lastClass[row]! > 0) failed[past.lastClass[row]! - 1]!++;
  }
  return {
    rollouts: index.size,
    done: counts[State.DONE]!,
    terminal: counts[State.TERMINAL]!,
    atCap: counts[State.AT_CAP]!,
    left: counts[State.OWED]!,
    leftFailed,
    attempts: past.attempts,
    failed: Object.fromEntries(past.classes.map((name, k) => [name, failed[k]!]).filter(([, n]) => n !== 0)),
  };
}
