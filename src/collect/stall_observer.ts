/** Tells when requests are in flight and nothing has moved for a long time. */
import type { Observer, RolloutId, RunEvent, Stalled } from "../events/run_event.ts";
import type { Clock } from "../ports/clock.ts";
import { StallWatch } from "../schedule/stall.ts";
import type { Standstill } from "./tally.ts";

/** How long nothing may move, and how many of the rollouts in flight are named then. */
const QUIET_MS = 600_000, OLDEST = 5;

/** Before anything has come back nothing is known of how long it may take: a standstill is this long, at least. */
const UNKNOWN_MS = 60_000;
/** Rollouts of a few milliseconds make no standstill of a moment's rest. */
const MOMENT_MS = 3000;

/** What it needs of the run. */
export interface StallTools {
  readonly clock: Clock;
  /** Which rollout a row is, and where it was sent. */
  readonly rollout: (row: number) => RolloutId & { readonly server: string };
  /** Requests in flight. */
  readonly inFlight: () => number;
  /** Takes the event, once a stall. */
  readonly stalled: (event: Stalled) => void;
}

/** Looks now and then, from the moment it is made until it is ended. */
export class StallObserver implements Observer {
  readonly #watch = new StallWatch(QUIET_MS);
  readonly #tools: StallTools;
  #cancel: () => void = () => {};

  constructor(tools: StallTools) {
    this.#tools = tools;
    this.#look();
  }

  on(event: RunEvent): void {
    if (event.kind === "started") this.#watch.starts(event.row, event.at, !event.repeated);
    else if (event.kind === "over") this.#watch.ends(event.row, event.at, event.how !== "unsent");
  }

  /** Whether nothing has moved for longer than the longest rollout so far (null: none has come back yet). */
  standstill(longestS: number | null): Standstill | null {
    const { clock, rollout } = this.#tools, quiet = this.#watch.quiet(clock.now());
    const limitMs = longestS === null ? UNKNOWN_MS : Math.max(MOMENT_MS, longestS * 1000);
    if (!quiet || quiet.forMs < limitMs) return null;
    if (quiet.oldest === undefined) return { seconds: quiet.forMs / 1000, oldest: null };
    const { task, rollout: number } = rollout(quiet.oldest);
    return { seconds: quiet.forMs / 1000, oldest: { task, rollout: number } };
  }

  /** Looks no more. */
  end(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, rollout, inFlight, stalled } = this.#tools, now = clock.now();
    const oldest = this.#watch.stalled(now, OLDEST);
    if (oldest) {
      stalled({
        kind: "stalled",
        quietMs: QUIET_MS,
        inFlight: inFlight(),
        oldest: oldest.map(({ row, forMs }) => ({ ...rollout(row), forMs })),
      });
    }
    this.#cancel = clock.after(this.#watch.looksAt(now) - now, () => this.#look());
  }
}
