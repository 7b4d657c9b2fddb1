/** Exit codes, in one place; `--help` shows them. */
import type { Summary } from "../collect/tally.ts";

/** What each code means, for `--help` and the README. */
export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, "done; also when the budget left rollouts undone (see --drain-exit-code)"],
  [1, "the run failed, or is incomplete under --require-complete"],
  [2, "wrong usage, configuration or input: nothing sent, nothing touched"],
  [75, "stopped by SIGTERM or SIGUSR1 with work left, which --resume will do"],
  [130, "stopped by Ctrl-C with work left, which --resume will do"],
];

/** Wrong usage, configuration or input. */
export const USAGE = 2;

/** The code of a run that was stopped by a signal with work left. */
export function stoppedBy(signal: string | null): number {
  return signal === "SIGINT" ? 130 : 75;
}

/** The code of a run that came to its end one way or another. */
export function exitCode(summary: Summary, drainExitCode: number): number {
  switch (summary.ending) {
    case "complete":
      return 0;
    case "drained":
    case "token_budget":
      return drainExitCode;
    case "failed":
    case "too_many_failures":
      return 1;
    case "stopped":
      return stoppedBy(summary.signal);
  }
}
