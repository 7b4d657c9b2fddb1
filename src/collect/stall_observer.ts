/** Tells when requests are in flight and nothing has moved for a long time. */
import type { Observer, RolloutId, RunEvent, Stalled } from "../events/run_event.ts";
import type { Clock } from "../ports/clock.ts";
import { StallWatch } from "../schedule/stall.ts";

/** How long nothing may move, and how many of the rollouts in flight are named then. */
const QUIET_MS = 600_000, OLDEST = 5;

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
    if (event.kind === "started") this.#watch.starts(event.row, event.at);
    else if (event.kind === "over") this.#watch.ends(event.row, event.at);
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
