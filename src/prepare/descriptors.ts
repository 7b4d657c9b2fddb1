/** Whether this process may open as many connections as a run needs. */
import type { DispatchConfig } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import { plural, whole } from "../kit/phrases.ts";
import type { World } from "../ports/world.ts";

/** What a run opens besides its connections (its files, the Worker, name lookups), with some margin. */
const OTHERS = 32;

/** How many requests a run may have in flight. */
export interface InFlight {
  /** The maximum; null when nothing limits it. */
  readonly max: number | null;
  /** A line for the user, where the machine sets the limit. */
  readonly note?: string;
}

/**
 * Fits a run of `owed` rollouts to what this process may open. A concurrency that was asked for must fit; where none
 * was, it is as much as fits.
 *
 * @throws {UsageFault} with the number that is needed, when it does not fit
 */
export function fitInFlight(
  { num_samples_in_parallel, max_resident_rollout_tasks }: Pick<
    DispatchConfig,
    "num_samples_in_parallel" | "max_resident_rollout_tasks"
  >,
  owed: number,
  { countOpenable }: Pick<World, "countOpenable">,
): InFlight {
  // One that is found out takes what fits.
  const isAuto = num_samples_in_parallel === "auto", asked = isAuto ? null : num_samples_in_parallel;
  const wanted = Math.min(asked ?? Infinity, max_resident_rollout_tasks ?? Infinity, owed);
  const openable = countOpenable(wanted + OTHERS);
  if (openable >= wanted + OTHERS) return { max: asked };
  const fits = openable - OTHERS;
  if (fits < 1) {
    throw new UsageFault(
      `This process may open only ${
        plural(openable, "more file")
      }; a run needs ${OTHERS}, plus one per request in ` +
        `flight. Raise the limit (ulimit -n).`,
    );
  }
  if (isAuto) return { max: fits };
  if (asked === null) {
    return {
      max: fits,
      note:
        `At most ${
          whole(fits)
        } requests are in flight at once: no number was set (--concurrency), and this ` +
        `process may open no more files (ulimit -n).`,
    };
  }
  throw new UsageFault(
    `num_samples_in_parallel=${asked} (--concurrency) does not fit: ${
      plural(wanted, "request")
    } in flight need ` +
      `${whole(wanted + OTHERS)} more open files, and this process may open only ${whole(openable)} ` +
      `more.\nRaise the limit (ulimit -n), or use --concurrency ${fits}.`,
  );
}
