/** How fast a run goes, for others who ask: `rollcall status` reads it out of the lock's file. */
import { accountOf } from "../collect/accounting.ts";
import type { Tally } from "../collect/tally.ts";
import type { Pace } from "../ports/lock.ts";
import { secondsLeft } from "./progress.ts";
import { Rate } from "./rate.ts";

/** Follows one run. */
export class PaceMeter {
  readonly #rate = new Rate();

  /** The pace at `nowMs`, when the counts are these. */
  read(nowMs: number, tally: Tally): Pace {
    this.#rate.add(nowMs, accountOf(tally).landed);
    const rate = this.#rate.perSecond();
    return {
      per_minute: rate * 60,
      seconds_left: secondsLeft(tally, rate),
      stalled_s: tally.standstill?.seconds ?? null,
    };
  }
}
