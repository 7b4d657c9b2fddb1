/** What `rollcall doctor` says of one thing. */

/** `fail` where a run would fail, `warning` where it might, `skipped` where something else has to be fixed first. */
export type Verdict = "ok" | "warning" | "fail" | "skipped";

/** A line of the doctor's table. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  readonly verdict: Verdict;
  /** A sentence: what was found, and what to do. */
  readonly text: string;
}

/** A finding. */
export function finding(check: string, verdict: Verdict, text: string): Finding {
  return { check, verdict, text };
}
