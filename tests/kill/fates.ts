/**
 * What the server does about each attempt at a rollout. It does the same whenever it is asked again for the same
 * attempt, so that what the files must hold in the end is known, whenever the collector died in between.
 */

/** Random numbers from 0 to 1 that a seed decides. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How a rollout goes: what its attempts come to, in order, the last for all that follow. */
export type Step =
  /** A result; its judge may have given no valid verdict, so that it is to be run again. */
  | { readonly kind: "result"; readonly invalid: boolean }
  /** Status 500. */
  | { readonly kind: "error" }
  /** The connection is closed instead of an answer. */
  | { readonly kind: "break" }
  /** A result that declares itself failed, perhaps permanently. */
  | { readonly kind: "declared"; readonly terminal: boolean };

/** A rollout and what is to come of it. */
export interface Fate {
  readonly task: number;
  readonly rollout: number;
  readonly steps: readonly Step[];
  /** Bytes of its result, about. */
  readonly size: number;
}

const RESULT: Step = { kind: "result", invalid: false };
const INVALID: Step = { kind: "result", invalid: true };
const ERROR: Step = { kind: "error" };
const BREAK: Step = { kind: "break" };
const DECLARED: Step = { kind: "declared", terminal: false };
const TERMINAL: Step = { kind: "declared", terminal: true };

/** How often each course is taken, out of 100. */
const COURSES: readonly (readonly [number, readonly Step[]])[] = [
  [58, [RESULT]],
  [8, [ERROR, RESULT]],
  [4, [ERROR, ERROR, RESULT]],
  [4, [ERROR]],
  [5, [BREAK, RESULT]],
  [2, [BREAK, ERROR, RESULT]],
  [1, [BREAK]],
  [4, [DECLARED, RESULT]],
  [4, [TERMINAL]],
  [3, [ERROR, TERMINAL]],
  [7, [INVALID, RESULT]],
];

/** The fates of a run's rollouts. */
export function fatesOf(seed: number, tasks: number, repeats: number): Fate[] {
  const roll = dice(seed);
  const fates: Fate[] = [];
  for (let task = 0; task < tasks; task++) {
    for (let rollout = 0; rollout < repeats; rollout++) {
      let left = roll() * 100;
      const [, steps] = COURSES.find(([weight]) => (left -= weight) < 0) ?? COURSES[0]!;
      fates.push({ task, rollout, steps, size: sizeOf(roll()) });
    }
  }
  return fates;
}

/** What an attempt comes to. */
export function stepOf({ steps }: Fate, attempt: number): Step {
  return steps[Math.min(attempt, steps.length - 1)]!;
}

/** How many failed attempts a rollout leaves, and whether a result, when everything is run that may be. */
export function endOf(
  fate: Fate,
  cap: number,
): { readonly failures: readonly Step[]; readonly result: boolean } {
  const failures: Step[] = [];
  while (failures.length < cap) {
    const step = stepOf(fate, failures.length);
    if (step.kind === "result" && !step.invalid) return { failures, result: true };
    failures.push(step);
    if (step.kind === "declared" && step.terminal) break;
  }
  return { failures, result: false };
}

/** The body of an answer. Every fate and attempt has its own, with all kinds of numbers and texts in it. */
export function bodyOf({ task, rollout, size }: Fate, attempt: number, step: Step): string {
  const roll = dice(task * 7919 + rollout * 104_729 + attempt);
  switch (step.kind) {
    case "error":
      return `it broke: ${task}-${rollout}, attempt ${attempt}, é☃`;
    case "declared":
      return `{"_ng_failure_class":"odd_${task % 3}","said":"${task}-${rollout} ${attempt}"` +
        `${step.terminal ? ',"_ng_failure_terminal":true' : ""},"reward":0.0}`;
    case "result": {
      let text = "";
      while (text.length < size) {
        text += WORDS[Math.floor(roll() * WORDS.length)]!.repeat(size > 100_000 ? 500 : 1);
      }
      return `{"reward":${
        roll() < 0.5 ? "1.0" : "1e-07"
      },"big":12345678901234567890,"said":"${task}-${rollout} ` +
        `${attempt}"${
          step.invalid ? ',"invalid_judge_response":true' : ""
        },"response":{"output":[{"text":"${text}"}]}}`;
    }
    case "break":
      return "";
  }
}

const WORDS = ["word ", "é☃ ", '\\"quoted\\" ', "\\n", "{[ ", "日本 ", "\\u0001", "0.1 ", "\u2028"];

/** Mostly small, some of 1 MB, and a few so long that a kill often finds them half written. */
function sizeOf(chance: number): number {
  if (chance < 0.03) return 8_000_000;
  if (chance < 0.15) return 1_000_000;
  return Math.floor(chance * 3000);
}
