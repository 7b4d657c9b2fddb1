/** What the command line's side and the collector in its Worker say to each other. Plain data, structured-clonable. */
import type { CheckedAggregate } from "./aggregate.ts";
import type { Summary, Tally } from "./tally.ts";
import type { Notice } from "../events/run_event.ts";
import type { Step } from "../export/progress_step.ts";
import type { AggregatePlan } from "../plan/aggregate_plan.ts";
import type { Headers } from "../ports/http.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { IndexColumns } from "../plan/row_index.ts";

/** To the collector. */
export type ToCollector =
  /** Do this. The columns' buffers are transferred. */
  | {
    readonly kind: "run";
    readonly plan: RunPlan;
    readonly columns: IndexColumns;
    /** Sent with every request. Secrets: no plan holds them, since plans are printed. */
    readonly headers: Headers;
  }
  /** Score these shards. */
  | { readonly kind: "aggregate"; readonly plan: AggregatePlan; readonly headers: Headers }
  /** The folder's entries are on the disk: dispatch may begin. */
  | { readonly kind: "go" }
  /** Start nothing new (`drain`), or abandon what is in flight as well (`abort`). */
  | { readonly kind: "stop"; readonly level: "drain" | "abort"; readonly why: string };

/** From the collector. */
export type FromCollector =
  /** Its code is loaded. */
  | { readonly kind: "ready" }
  /**
   * All files are in place, nothing is sent yet: waits for `go`. `stale` names captures of rows that are about to run,
   * which the collector may not remove itself.
   */
  | { readonly kind: "opened"; readonly stale: readonly string[] }
  /** The counts now. */
  | { readonly kind: "tally"; readonly tally: Tally }
  /** Something that the user is shown at once. */
  | { readonly kind: "event"; readonly event: Notice }
  /** A step of progress, for exporters. */
  | { readonly kind: "step"; readonly step: Step }
  /** The run is over. */
  | { readonly kind: "finished"; readonly summary: Summary }
  /** The aggregation is over. */
  | { readonly kind: "aggregated"; readonly summary: CheckedAggregate }
  /** What was asked for cannot be done; nothing was touched. */
  | { readonly kind: "refused"; readonly message: string }
  /** The collector itself failed. */
  | { readonly kind: "crashed"; readonly message: string };
