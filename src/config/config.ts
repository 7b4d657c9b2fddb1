/**
 * What a run is asked to do: every configuration key by its Gym name, complete, with defaults filled in.
 * The table that says how each is set, and what it means to a user, is `keys.ts`.
 */

/** A plain nested value, as configuration files and words hold it. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** Repeats per task: a number, or numbers by agent or routing key with `_default` for the rest; null counts as 1. */
export type Repeats = number | null | Readonly<Record<string, number | null>>;

/** How rows find their environment server; see the key of that name. */
export type RoutingMode = "agent" | "legacy" | "taskset";

/** Whether connections are kept between requests; see the key of that name. */
export type ConnectionReuse = "auto" | "never" | "always";

/** The keys that decide what the rows of the input become. */
export interface RowsConfig {
  /** Path of the tasks, `-` for standard input. */
  readonly input_jsonl_fpath: string;
  /** Route every row to this agent. */
  readonly agent_name: string | null;
  /** Other agents by the agent or task source a row has; `_default` for the rest. */
  readonly agent_map: Readonly<Record<string, string>> | null;
  /** Agents to run a matching row with, once each. */
  readonly fan_out: Readonly<Record<string, readonly string[]>> | null;
  /** The first so many rows; 0 or null is no limit. */
  readonly limit: number | null;
  /** See {@link Repeats}. */
  readonly num_repeats: Repeats;
  /** Put the rollout index into the request as `seed`. */
  readonly num_repeats_add_seed: boolean;
  /** Round by round instead of a task's repeats back to back. */
  readonly interleave_repeats: boolean;
  /** Laid over every row's own. */
  readonly responses_create_params: Readonly<Record<string, Value>>;
  /** Path of a YAML file with `user` and optionally `system`. */
  readonly prompt_config: string | null;
  /** A folder of skill folders. */
  readonly skills: { readonly path: string | null } | null;
  /** See {@link RoutingMode}. */
  readonly environment_routing_mode: RoutingMode;
  /** The server of all flat rows in mode `legacy`. */
  readonly environment_server_name: string | null;
  /** Environment servers by taskset. */
  readonly environment_server_routes: Readonly<Record<string, string>> | null;
  /** Waive the check that an agent's implementation suits a resources server. */
  readonly allow_unsupported_pairing: boolean;
}

/** The keys that decide how rollouts are sent and what becomes of the answers. */
export interface DispatchConfig {
  /** Requests in flight at most; null is no limit. */
  readonly num_samples_in_parallel: number | null;
  /** Rollouts admitted at most: waiting, in flight, or answered and not yet written. */
  readonly max_resident_rollout_tasks: number | null;
  /** Start nothing after so many seconds. */
  readonly dispatch_budget_s: number | null;
  /** Start nothing with fewer seconds than this left. */
  readonly drain_margin_s: number | null;
  /** On resume, longest known durations first. */
  readonly dispatch_longest_first: boolean;
  /** A failed request becomes a sidecar row instead of the end of the run. */
  readonly route_failures_to_sidecar: boolean;
  /** How long requests that could not be sent are repeated, in seconds. */
  readonly retry_window_s: number;
  /** Longest time one rollout may take, in seconds. */
  readonly rollout_timeout_s: number | null;
  /** Longest time without a byte once an answer has begun, in seconds. */
  readonly idle_timeout_s: number | null;
  /** Largest answer that is taken, in bytes. */
  readonly max_response_bytes: number | null;
  /** Answers read but not yet written may take so many bytes. */
  readonly max_buffered_bytes: number;
  /** How long rollouts in flight may go on after the run was told to stop, in seconds. */
  readonly grace_s: number;
  /** See {@link ConnectionReuse}. */
  readonly connection_reuse: ConnectionReuse;
  /** Proxy for all requests; the environment's is ignored. */
  readonly proxy: string | null;
  /** File with certificates of further authorities, PEM. */
  readonly ca: string | null;
}

/** Everything else. */
export interface Config extends RowsConfig, DispatchConfig {
  /** Path of the rollouts file; all other files are named after it. */
  readonly output_jsonl_fpath: string;
  /** Continue an earlier run of the same output. */
  readonly resume_from_cache: boolean;
  /** On resume, go on although the input or the configuration has changed. */
  readonly accept_drift: boolean;
  /** On resume, run terminal timeouts and repairable faults again. */
  readonly retry_terminal_timeouts: boolean;
  /** On resume, run rollouts at the attempt limit once more. */
  readonly retry_exhausted: boolean;
  /** Start afresh where a requeued Slurm job would destroy the rollouts of its earlier runs. */
  readonly fresh: boolean;
  /** On resume, run rollouts with an invalid judge response again. */
  readonly retry_invalid_judge_responses: boolean;
  /** Exit with an error if any rollout is missing. */
  readonly require_complete: boolean;
  /** Failure classes that count as zeros in the metrics. */
  readonly count_failure_classes_as_zero: readonly string[];
  /** Rollouts that left no row count as zeros in the metrics. */
  readonly count_missing_rollouts_as_zero: boolean;
  /** Neither metrics nor health in this run. */
  readonly disable_aggregation: boolean;
  /** No health checks. */
  readonly disable_health_check: boolean;
  /** Workers of the health checks in Gym; changes nothing here. */
  readonly health_check_workers: number | null;
  /** Health checks that are left out. */
  readonly health_check_ignored_checks: readonly string[];
  /** Accepted for Gym's sake; rollcall never keeps results in memory. */
  readonly retain_results_in_memory: boolean;
  /** A command that collects instead of the built-in pass. */
  readonly rollout_collection_driver: string | null;
  /** Fold model call captures into the results. */
  readonly observability_enabled: boolean;
  /** Where the model servers write their captures, an absolute path. */
  readonly model_call_capture_dir: string | null;
  /** MLflow server. */
  readonly mlflow_tracking_uri: string | null;
  /** MLflow experiment. */
  readonly mlflow_experiment_name: string | null;
  /** MLflow run. */
  readonly mlflow_run_name: string | null;
  /** MLflow token. */
  readonly mlflow_tracking_token: string | null;
  /** Weights & Biases project. */
  readonly wandb_project: string | null;
  /** Weights & Biases run. */
  readonly wandb_name: string | null;
  /** Weights & Biases key. */
  readonly wandb_api_key: string | null;
  /** Whether exporters get the rollouts themselves too. */
  readonly upload_rollouts: boolean;
  /** Command that starts the servers. */
  readonly serve_command: string | null;
  /** How long started servers may take to be ready, in seconds. */
  readonly server_spinup_timeout_seconds: number;
  /** Where the head server is; null when there is none. */
  readonly head_server: { readonly host: string; readonly port: number } | null;
  /** Servers named by hand: name to base URL. */
  readonly servers: Readonly<Record<string, string>>;
  /** In a Slurm job without a budget of its own, nothing starts so many seconds before the job's end. */
  readonly teardown_s: number;
  /** Do not take what is left of a Slurm job as the budget. */
  readonly disable_slurm_budget: boolean;
  /** Exit code when a budget left rows undone; 0 by default. */
  readonly drain_exit_code: number;
  /** Only the summary and errors. */
  readonly quiet: boolean;
  /** The summary as one JSON object on standard output. */
  readonly json: boolean;
  /** Print what would be done, do nothing. */
  readonly dry_run: boolean;
}

/** What `rollcall aggregate` is asked to do. */
export interface AggregateConfig extends
  Pick<
    Config,
    | "output_jsonl_fpath"
    | "require_complete"
    | "count_failure_classes_as_zero"
    | "count_missing_rollouts_as_zero"
    | "disable_health_check"
    | "health_check_workers"
    | "health_check_ignored_checks"
    | "connection_reuse"
    | "idle_timeout_s"
    | "max_response_bytes"
    | "proxy"
    | "ca"
    | "head_server"
    | "servers"
    | "quiet"
    | "json"
  > {
  /** Patterns of the shards' paths, separated by commas. */
  readonly input_glob: string;
  /** Whether the shards are merged into the output. */
  readonly merge_shards: boolean;
  /** Ask no server: rollcall computes the metrics. */
  readonly offline: boolean;
}

/** The configuration that each command takes. */
export interface Configs {
  /** Of `collect`, and of `plan`. */
  collect: Config;
  /** Of `aggregate`. */
  aggregate: AggregateConfig;
}

/** A command with a configuration. */
export type ConfiguredCommand = keyof Configs;

/** The name of a key, of whichever command. */
export type KeyName = keyof Config | keyof AggregateConfig;

/** The part of a configuration that the collector needs to know; nothing else of it, secrets above all, reaches it. */
export function dispatchOf(config: DispatchConfig): DispatchConfig {
  return Object.fromEntries(DISPATCH_KEYS.map((key) => [key, config[key]])) as unknown as DispatchConfig;
}

const DISPATCH_KEYS = Object.keys(
  {
    num_samples_in_parallel: 0,
    max_resident_rollout_tasks: 0,
    dispatch_budget_s: 0,
    drain_margin_s: 0,
    dispatch_longest_first: 0,
    route_failures_to_sidecar: 0,
    retry_window_s: 0,
    rollout_timeout_s: 0,
    idle_timeout_s: 0,
    max_response_bytes: 0,
    max_buffered_bytes: 0,
    grace_s: 0,
    connection_reuse: 0,
    proxy: 0,
    ca: 0,
  } satisfies Record<keyof DispatchConfig, 0>,
) as (keyof DispatchConfig)[];
