/** Which recorded failures are final. */

/** Timeouts, and faults of the environment that can be repaired between two runs. */
const REPAIRABLE: ReadonlySet<string> = new Set([
  "timeout_exceeded",
  "reference_missing",
  "eval_missing",
  "transport_ineligible",
]);

/**
 * Whether a failure is final, so that its rollout is never tried again: it is when it is stamped so.
 *
 * With `retry_terminal_timeouts` the class decides first: timeouts and repairable faults never are, `skipped` always is.
 * Names and rule are Gym's.
 *
 * @param stamped whether `_ng_failure_terminal` is set
 */
export function isTerminal(
  failureClass: string | undefined,
  stamped: boolean,
  retryTerminalTimeouts: boolean,
): boolean {
  if (!retryTerminalTimeouts || failureClass === undefined) return stamped;
  if (REPAIRABLE.has(failureClass)) return false;
  return failureClass === "skipped" || stamped;
}
