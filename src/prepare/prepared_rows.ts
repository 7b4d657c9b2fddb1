/** What preparing yields, whether the rows come from the input or from the materialized inputs of an earlier run. */
import type { Route } from "../config/topology.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { ResumePlan } from "../plan/run_plan.ts";

/** The rows of a run that can begin. */
export interface PreparedRows {
  /** The rows of the materialized inputs. */
  readonly index: RowIndex;
  /** The servers that they go to. */
  readonly routes: readonly Route[];
  /** What the user should know. */
  readonly warnings: readonly string[];
  /** Rows of the input and different tasks among them; null on a resume, which does not prepare the input again. */
  readonly counts: { readonly rows: number; readonly tasks: number; readonly selected?: number } | null;
  /** How the earlier run is resumed; null for a fresh run. */
  readonly resume: ResumePlan | null;
}
