/** Which exporters a run has: those whose keys are complete, in rollcall's configuration or the head's, as in Gym. */
import type { Config } from "../config/config.ts";
import type { Topology } from "../config/topology.ts";
import { list, UsageFault } from "../kit/fault.ts";

/** Where a run is exported to. */
export interface MlflowPlan {
  /** The server's address, without a slash at its end. */
  readonly uri: string;
  readonly experiment: string;
  readonly run: string;
  readonly token: string | null;
}

const KEYS = ["mlflow_tracking_uri", "mlflow_experiment_name", "mlflow_run_name"] as const;

/** What {@link mlflowOf} reads. */
export type MlflowConfig = Pick<Config, typeof KEYS[number] | "mlflow_tracking_token">;

/**
 * The MLflow run that the configuration asks for; null when its keys are not complete, with a note when some are there.
 *
 * @throws {UsageFault} when the address is none
 */
export function mlflowOf(
  config: MlflowConfig,
  topology: Pick<Topology, "setting">,
): { readonly mlflow: MlflowPlan | null; readonly note?: string } {
  const value = (key: keyof MlflowConfig) => {
    const given = config[key] ?? topology.setting(key);
    return typeof given === "string" && given !== "" ? given : null;
  };
  const [uri, experiment, run] = KEYS.map(value), missing = KEYS.filter((key) => value(key) === null);
  if (uri == null || experiment == null || run == null) {
    return missing.length === KEYS.length ? { mlflow: null } : {
      mlflow: null,
      note: `Nothing is exported to MLflow: ${missing.join(" and ")} ${
        missing.length > 1 ? "are" : "is"
      } not set.`,
    };
  }
  return { mlflow: { uri: addressOf(uri), experiment, run, token: value("mlflow_tracking_token") } };
}

function addressOf(uri: string): string {
  const url = URL.parse(uri);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new UsageFault(
      `mlflow_tracking_uri must be the address of an MLflow server:${
        list([
          "http://HOST:PORT or https://HOST, without user, password and query",
          "a token goes into mlflow_tracking_token",
        ])
      }`,
    );
  }
  return uri.replace(/\/+$/, "");
}
