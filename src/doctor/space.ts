/** Whether the disk has room for a run. */
import { plural, size } from "../kit/phrases.ts";
import { type Finding, finding } from "./finding.ts";

/** Bytes of a rollout that nobody has seen yet: a short conversation with its token ids. */
const GUESS = 20_000;

/** What a run will write. */
export interface Need {
  /** Rollouts that are to be run. */
  readonly rollouts: number;
  /** Bytes of materialized inputs that are not written yet. */
  readonly inputs: number;
  /** Mean bytes of a rollout, as an earlier run of this output has them; undefined without one. */
  readonly perRollout: number | undefined;
}

/** @param free bytes, undefined where the system does not say */
export function judgeSpace(free: number | undefined, { rollouts, inputs, perRollout }: Need): Finding {
  const need = inputs + rollouts * (perRollout ?? GUESS);
  const how = perRollout === undefined
    ? `a guess: ${size(GUESS)} a rollout`
    : `${size(perRollout)} a rollout, as in the earlier run`;
  const about = `about ${size(need)} needed for ${plural(rollouts, "rollout")} (${how})`;
  if (free === undefined) {
    return finding("disk", "warning", `${about}; rollcall cannot tell how much is free`);
  }
  const text = `${size(free)} free, ${about}`;
  if (need <= free) return finding("disk", "ok", text);
  const isSure = perRollout !== undefined || inputs > free;
  return finding("disk", isSure ? "fail" : "warning", `${text}. Free space, or name another output.`);
}

/** Mean bytes of the lines in the first bytes of a file; undefined when not even one line ends in them. */
export function meanLine(bytes: Uint8Array): number | undefined {
  let lines = 0, end = 0;
  bytes.forEach((byte, at) => {
    if (byte === 0x0a) [lines, end] = [lines + 1, at + 1];
  });
  return lines === 0 ? undefined : end / lines;
}
