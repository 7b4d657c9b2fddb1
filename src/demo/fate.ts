/**
 * What the demo's server does with a request. Chance enters once, as a seed; from then on the fate of an attempt is
 * a function of its task, rollout and attempt. So it does not depend on the order of requests, a repeated request gets
 * the same answer, and a test with a fixed seed sees the same run at any concurrency; another attempt at the same
 * rollout, or another demo, has a new fate.
 */
import type { Dice } from "../ports/clock.ts";

/** What becomes of one attempt. */
export interface Fate {
  /** Milliseconds until the answer. */
  readonly delayMs: number;
  /** An answer, the server breaks (status 500), or the attempt is declared a failure. */
  readonly kind: "answer" | "broken" | "sandbox_lost";
  /** Whether the agent gets the sum right. */
  readonly right: boolean;
  /** From 0 (included) to 1 (excluded): chance left over, for the words of the answer. */
  readonly spare: number;
}

/** Which attempt: the numbers that the collector stamped on the row. */
export interface Attempt {
  /** The row's `_ng_task_index`. */
  readonly task: number;
  /** The row's `_ng_rollout_index`. */
  readonly rollout: number;
  /** The row's `_ng_attempt_index`, 0 on the first try. */
  readonly attempt: number;
}

/**
 * About 2 in 100 attempts break the server and 1 in 100 is declared a failure. Delays run from 20 to 400 ms, most
 * below 150; 3 in 100 take up to four times as long. `skill` is the share of sums that are right.
 */
export function fateOf(seed: number, { task, rollout, attempt }: Attempt, skill: number): Fate {
  const dice = seeded(`${seed} ${task} ${rollout} ${attempt}`);
  const lot = dice();
  const slow = dice() < 0.03 ? 1 + 3 * dice() : 1;
  return {
    kind: lot < 0.02 ? "broken" : lot < 0.03 ? "sandbox_lost" : "answer",
    delayMs: Math.round((20 + 380 * dice() ** 2) * slow),
    right: dice() < skill,
    spare: dice(),
  };
}

/** Random numbers that are the same for the same text: FNV-1a for the seed, then mulberry32. */
export function seeded(text: string): Dice {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
