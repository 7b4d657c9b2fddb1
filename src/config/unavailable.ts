/**
 * Keys that are known and checked, but whose feature is not there yet: asking for it is answered plainly instead
 * of with silence. A line goes when its feature comes.
 */
import type { Config } from "./config.ts";

/** The keys of `config` that ask for something missing, each with what to say. */
export function notYet(config: Config): [keyof Config, string][] {
  const asks: Partial<Record<keyof Config, boolean>> = {
    rollout_collection_driver: config.rollout_collection_driver !== null,
    observability_enabled: config.observability_enabled,
    model_call_capture_dir: config.model_call_capture_dir !== null,
    mlflow_tracking_uri: config.mlflow_tracking_uri !== null,
    mlflow_experiment_name: config.mlflow_experiment_name !== null,
    mlflow_run_name: config.mlflow_run_name !== null,
    mlflow_tracking_token: config.mlflow_tracking_token !== null,
    wandb_project: config.wandb_project !== null,
    wandb_name: config.wandb_name !== null,
    wandb_api_key: config.wandb_api_key !== null,
    serve_command: config.serve_command !== null,
  };
  return (Object.keys(asks) as (keyof Config)[]).filter((key) => asks[key]).map((key) => [
    key,
    `${key} is not available yet in this version`,
  ]);
}
