/**
 * The run plan: everything that the collector needs to know, as plain data. `rollcall plan` prints it, the Worker
 * receives it, tests compare it. The rows are in the row index that goes with it.
 */
import type { DispatchConfig } from "../config/config.ts";
import type { Route } from "../config/topology.ts";
import type { RunPaths } from "./paths.ts";
import type { Counting, HealthPlan } from "./score_plan.ts";
import type { Permissions } from "../ports/sandbox.ts";
import type { Scorers } from "./scorers.ts";

/** How a resume treats what it finds. */
export interface ResumePlan {
  /** Whether timeouts and repairable faults are retried although recorded as terminal. */
  readonly retryTerminalTimeouts: boolean;
  /** Whether rollouts at the attempt limit are run once more. */
  readonly retryExhausted: boolean;
  /** Failure classes: a rollout whose last failure is of one of them is run again, whatever its attempts. */
  readonly retryFailures: readonly string[];
  /** Whether rollouts with an invalid judge response are run again. */
  readonly retryInvalidJudge: boolean;
  /** Folders that rows with an invalid judge response name, and that hold deliverables. */
  readonly deliverables: readonly string[];
  /** Whether new inputs and a new manifest, under their temporary names, extend the run. */
  readonly extends?: true;
}

export interface RunPlan {
  /** Names of all files. */
  readonly paths: RunPaths;
  /** How an earlier run is resumed; null for a fresh run, which sets an earlier one aside. */
  readonly resume: ResumePlan | null;
  /** Input rows read; null on a resume, which reads the materialized inputs. */
  readonly rows: number | null;
  /** Distinct tasks among them; null on a resume. */
  readonly tasks: number | null;
  /** Of these, those that are run; absent where all of them are, and on a resume. */
  readonly selected?: number;
  /** Rollouts in the materialized inputs. */
  readonly rollouts: number;
  /** Where rows go; the index refers to them by their position in this list. */
  readonly routes: readonly Route[];
  /** Rollouts by route, in the same order. */
  readonly perRoute: readonly number[];
  readonly permissions: Permissions;
  /** The folder of the model servers' captures, canonical; null with observability off. */
  readonly captures: string | null;
  /** How rollouts are sent. */
  readonly dispatch: DispatchConfig;
  /** Additional certificate authorities, in PEM. */
  readonly authorities: readonly string[];
  /** The attempt limit: a rollout with this many recorded failures is not retried. */
  readonly attempts: number;
  /** Whether the servers are asked for metrics at the end. */
  readonly aggregate: boolean;
  /** Which of the routes scores which rollouts. */
  readonly scorers: Scorers;
  /** What the metrics count without a result. */
  readonly counting: Counting;
  /** Whether a missing rollout makes the run fail. */
  readonly requireComplete: boolean;
  /** Whether an exporter gets the steps of the run's progress. */
  readonly exports: boolean;
  /** How the rollouts are checked after the metrics; null for no checks. */
  readonly health: HealthPlan | null;
}
