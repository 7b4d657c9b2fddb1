/** The stage that sends: the driver, and those who watch it. */
import { Drive, type DriveTools } from "../dispatch/drive.ts";
import { IndexedRows } from "../dispatch/row_source.ts";
import { RowReader } from "../dispatch/row_reader.ts";
import type { RunError } from "../events/run_error.ts";
import { all, type LimitReached, type Observer } from "../events/run_event.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { type RowIndex, State } from "../plan/row_index.ts";
import type { Clock } from "../ports/clock.ts";
import type { ReadFile } from "../ports/files.ts";
import type { Column } from "../statistics/column.ts";
import { beginningOf, Counters } from "./counters.ts";
import { LimitObserver } from "./limit_observer.ts";
import type { Live } from "./live_means.ts";
import { StepsObserver } from "./steps_observer.ts";
import type { Step } from "../export/progress_step.ts";
import { StallObserver } from "./stall_observer.ts";
import type { Tally } from "./tally.ts";

/** Unset by the user, the margin is this quantile of the durations so far, once there are so many. */
const MARGIN_QUANTILE = 0.75, MARGIN_FROM = 5;

/** What it works with. */
export interface DispatchTools
  extends Pick<DriveTools, "lines" | "wire" | "clock" | "dice" | "drain" | "abort" | "captures"> {
  /** The materialized inputs. */
  readonly inputs: ReadFile;
  /** Hears everything. */
  readonly observer: Observer;
  /** The means of the results. */
  readonly live: Live;
  /** Takes the steps of progress, for exporters. */
  readonly step?: (step: Step) => void;
}

/** Sends the rows of a run. One per run. */
export class Dispatch {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #counters: Counters;
  readonly #live: Live;
  readonly #drive: Drive;
  readonly #stall: StallObserver;
  readonly #limits: LimitObserver | undefined;
  readonly #order: Iterable<number>;

  /**
   * Sends nothing before {@link run}.
   *
   * @param order the rows to run, in the order in which they start
   */
  constructor(plan: RunPlan, index: RowIndex, order: Iterable<number>, tools: DispatchTools) {
    const { routes, dispatch, paths } = plan;
    this.#clock = tools.clock;
    this.#startedAt = tools.clock.now();
    this.#counters = new Counters(beginningOf(index));
    this.#live = tools.live;
    this.#live.owes(owedBy(plan, index));
    const rows = new IndexedRows(index, new RowReader(tools.inputs, paths.inputs));
    this.#stall = new StallObserver({
      clock: tools.clock,
      rollout: (row) => ({ ...rows.idRead(row), server: routes[rows.route(row)]!.server }),
      inFlight: () => this.#drive.state().inFlight,
      stalled: (event) => tools.observer.on(event),
    });
    const rules = {
      attempts: plan.attempts,
      routeFailures: dispatch.route_failures_to_sidecar,
      outageRetry: dispatch.route_failures_to_sidecar && dispatch.outage_retry,
      retryTerminalTimeouts: plan.resume?.retryTerminalTimeouts ?? false,
    };
    this.#order = order;
    this.#limits = limitsOf(dispatch, (limit) => this.#drive.exhaust(limit));
    this.#drive = new Drive({ dispatch, routes, rules }, {
      ...tools,
      rows,
      observer: all([
        this.#counters,
        this.#live,
        this.#stall,
        ...this.#steps(plan, tools),
        tools.observer,
        ...(this.#limits ? [this.#limits] : []),
      ]),
      marginMs: marginOf(dispatch.drain_margin_s, this.#counters.durations),
    });
  }

  #steps({ exports }: RunPlan, { clock, step }: DispatchTools): Observer[] {
    if (!exports || !step) return [];
    const { owed } = this.#counters;
    return [new StepsObserver({ owed, clock, means: (elapsedS) => this.#live.means(elapsedS), step })];
  }

  /** Runs until nothing is in flight and nothing will start. Returns the first error that ended the run, or null. */
  async run(): Promise<RunError | null> {
    const run = this.#drive.run();
    this.#drive.offer(this.#order);
    this.#drive.close();
    const error = await run;
    this.#stall.end();
    return error;
  }

  /** The counts now. */
  tally(): Tally {
    const now = this.#clock.now(), elapsedS = (now - this.#startedAt) / 1000;
    const { outages, costs, widths, ...state } = this.#drive.state();
    const paused = outages.map(({ server, reason, since }) => ({
      server,
      reason,
      seconds: (now - since) / 1000,
    }));
    const turnedAway = costs.map(({ server, turnedAway, ranAgain, ms }) => ({
      server,
      rows: turnedAway,
      ranAgain,
      seconds: ms / 1000,
    }));
    const limit = this.#limits?.reached, tokens = this.#limits?.tokens;
    return this.#counters.tally({
      ...state,
      stopping: state.stopping ?? (limit ? STOPPED_BY[limit.what] : null),
      ...(widths.length > 0 ? { widths: widths.map(({ url: _, ...told }) => told) } : {}),
      ...(limit ? { limit } : {}),
      ...(tokens ? { tokens } : {}),
      paused,
      outages: turnedAway,
      standstill: this.#stall.standstill(this.#counters.tookAtMost),
      elapsedS,
      live: this.#live.means(elapsedS),
    });
  }
}

const STOPPED_BY: Readonly<Record<LimitReached["what"], string>> = {
  failures: "too many failures",
  failure_rate: "too many failures",
  tokens: "the token budget",
};

/** Watches the limits that a run has; undefined where it has none. */
function limitsOf(
  { max_failures, max_failure_rate, token_budget }: RunPlan["dispatch"],
  tell: (limit: LimitReached) => void,
): LimitObserver | undefined {
  if (max_failures === null && max_failure_rate === null && token_budget === null) return undefined;
  return new LimitObserver(
    { failures: max_failures, failureRate: max_failure_rate, tokens: token_budget },
    tell,
  );
}

/** How many rollouts each server has to run. */
function owedBy({ routes }: RunPlan, { columns: { state, route }, size }: RowIndex): number[] {
  const owed = routes.map(() => 0);
  for (let row = 0; row < size; row++) if (state[row] === State.OWED) owed[route[row]!]!++;
  return owed;
}

/** The time that must be left for a start: as the user says, or as long as most rollouts took so far. */
function marginOf(given: number | null, durations: Column): (remainingMs: number) => number {
  if (given !== null) return () => given * 1000;
  return (remainingMs) => {
    // No quantile is above the longest, and asking for one before each start of a long run would cost much.
    if (durations.count < MARGIN_FROM || remainingMs >= durations.max * 1000) return 0;
    return durations.quantile(MARGIN_QUANTILE)! * 1000;
  };
}
