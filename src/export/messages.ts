/** What the command line's side and an exporter in its Worker say to each other. Plain data, structured-clonable. */
import type { MlflowNames, MlflowStatus } from "./mlflow_run.ts";
import type { Step } from "./progress_step.ts";
import type { Exported } from "./values.ts";

/** What an exporter needs to know from the start; secrets go to it and nowhere else. */
export interface ExportPlan {
  /** The server's address, without a slash at its end. */
  readonly uri: string;
  /** Sent as a bearer token; null for none. */
  readonly token: string | null;
  readonly names: MlflowNames;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The configuration, secrets masked. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The rollouts file, if rollouts are to be exported. */
  readonly rollouts: string | null;
  /** The metrics file. */
  readonly metrics: string;
  /** The command that exports the run again, for messages. */
  readonly again: string;
}

/** To an exporter. */
export type ToExporter =
  | { readonly kind: "open"; readonly plan: ExportPlan }
  | { readonly kind: "step"; readonly at: number; readonly step: Step }
  /** The run is over; what its files hold is exported, as far as they were made by it. */
  | {
    readonly kind: "end";
    readonly at: number;
    readonly status: MlflowStatus;
    readonly coverage: Exported;
    readonly hasMetrics: boolean;
  };

/** From an exporter. */
export type FromExporter =
  | { readonly kind: "ready" }
  /** Something for the user. */
  | { readonly kind: "warning"; readonly text: string }
  /** Everything is exported, and people see it on this page; null when it is not, which a warning has said. */
  | { readonly kind: "ended"; readonly page: string | null };
