/** How long to wait for the metrics. */
import type { Observer } from "../events/run_event.ts";
import type { Clock } from "../ports/clock.ts";

/** How long metrics may take before the user is told about the wait. */
const TELL_AFTER_MS = 10_000;

/** What it goes by. */
export interface PatienceTools {
  readonly clock: Clock;
  readonly drain: AbortSignal;
  readonly abort: AbortSignal;
  readonly observer: Observer;
}

/**
 * A signal that fires when `abort` does, or when `drain` has and the grace is over. To be ended once nothing is waited
 * for any more.
 */
export function patience({ clock, drain, abort, observer }: PatienceTools, graceS: number) {
  const over = new AbortController();
  const lose = () => over.abort();
  let cancelGrace = () => {};
  const hurry = () => {
    observer.on({ kind: "stopping", why: String(drain.reason), waitsFor: "metrics", graceS });
    cancelGrace = clock.after(graceS * 1000, lose);
  };
  const cancelTelling = clock.after(TELL_AFTER_MS, () => observer.on({ kind: "metrics_awaited" }));
  if (abort.aborted) lose();
  else if (drain.aborted) hurry();
  abort.addEventListener("abort", lose);
  drain.addEventListener("abort", hurry);
  return {
    signal: over.signal,
    end() {
      cancelGrace();
      cancelTelling();
      abort.removeEventListener("abort", lose);
      drain.removeEventListener("abort", hurry);
    },
  };
}
