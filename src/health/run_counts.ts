/** Counts over all rollouts of a run, added up rollout by rollout. */
import type { Counts, Examined } from "./examine.ts";

/** Tokens, by the results' own counts and as captured. */
export type Tokens = Counts["tokens"];

export class RunCounts {
  /** Rollouts with captured model calls. */
  captures = 0;
  /** Findings by check. */
  readonly findings: Map<string, number> = new Map<string, number>();
  /** Failed calls by HTTP status. */
  readonly byStatus: Map<string, number> = new Map<string, number>();
  /** Rollouts with failed calls. */
  affected = 0;
  /** Rollouts in which a model's last call failed. */
  endedOnError = 0;
  /** Calls that repeat an earlier one. */
  replayed = 0;
  /** Rollouts with such calls. */
  withReplays = 0;
  tokens: Tokens = { prompt: 0, completion: 0, capture_prompt: 0, capture_completion: 0 };

  /** Adds a rollout. */
  add({ findings, counts }: Examined): void {
    for (const { check } of findings) count(this.findings, check);
    if (!counts) return;
    if (counts.calls > 0) this.captures++;
    for (const status of counts.failed) count(this.byStatus, String(status ?? "unknown"));
    if (counts.failed.length > 0) this.affected++;
    if (counts.endedOnError) this.endedOnError++;
    this.replayed += counts.replayed;
    if (counts.replayed > 0) this.withReplays++;
    const { tokens } = this;
    this.tokens = {
      prompt: tokens.prompt + counts.tokens.prompt,
      completion: tokens.completion + counts.tokens.completion,
      capture_prompt: tokens.capture_prompt + counts.tokens.capture_prompt,
      capture_completion: tokens.capture_completion + counts.tokens.capture_completion,
    };
  }
}

/** Adds to a count. */
export function count(counts: Map<string, number>, what: string, n: number = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + n);
}
