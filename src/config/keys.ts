/**
 * The one table of configuration keys: name, type, default, what it means, and the flags that set it. The schema,
 * the flags, `--help` and the checks of configuration files and `+key=value` words all derive from it.
 *
 * Names are Gym's, so that scripts, configurations and habits carry over; so are the flags where Gym has them.
 */
import { z } from "zod";
import { isExact } from "../kit/exact_number.ts";
import type { Config, ConfiguredCommand, KeyName } from "./config.ts";

/** How the text behind a flag becomes the value of its key. */
export type FlagKind =
  /** The text itself. */
  | "text"
  /** A number. */
  | "number"
  /** No text: the key becomes true. */
  | "on"
  /** No text: the key becomes false. */
  | "off"
  /** A number, or a map written as a word: `{_default: 4}`. */
  | "repeats"
  /** Texts separated by commas. */
  | "list"
  /** `KEY=VALUE`; may be given several times. */
  | "pair"
  /** `KEY=A,B`; may be given several times. */
  | "lists"
  /** `KEY=VALUE`, where VALUE is written as in a word (number, true, null, list, map, text). */
  | "param"
  /** `HOST:PORT`. */
  | "address";

/** A flag of the command line. */
export interface Flag {
  /** As commander spells it: `-i, --input <file>`. */
  readonly spelling: string;
  /** See {@link FlagKind}. */
  readonly kind: FlagKind;
  /** Where inside the key's value it goes, for keys that hold maps. */
  readonly at?: string;
  /** What it means, where that differs from the key's own meaning. */
  readonly says?: string;
}

/** A configuration key. */
export interface Key {
  /** Its type, with the default filled in. */
  readonly schema: z.ZodType;
  /** What it means, for `--help` and errors. */
  readonly says: string;
  /** Under which heading `--help` shows it. */
  readonly group: string;
  /** The flags that set it; none for keys that only files and words set. */
  readonly flags: readonly Flag[];
}

/** Numbers and switches as texts are taken too, as Gym takes them: shells, templates and `${oc.env:…}` make texts. */
const number = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => typeof value === "string" && NUMBER.test(value) ? Number(value.replaceAll("_", "")) : value,
    schema,
  );
const bool = () =>
  z.preprocess((value) => {
    if (typeof value !== "string" && typeof value !== "number") return value;
    return SWITCH.get(String(value).toLowerCase()) ?? value;
  }, z.boolean());
/** A list or map with nothing in it, as a file has it whose key is followed by nothing. */
const filled = <T extends z.ZodType>(schema: T, empty: z.input<T>) =>
  z.preprocess((value) => value ?? empty, schema).default(empty as never);

const NUMBER = /^\s*[-+]?(\d+(_\d+)*)?\.?\d+([eE][-+]?\d+)?\s*$/;
const SWITCH = new Map([
  ...["true", "yes", "on", "y", "t", "1"].map((text) => [text, true] as const),
  ...["false", "no", "off", "n", "f", "0"].map((text) => [text, false] as const),
]);

const text = () => z.string().min(1).nullable().default(null);
const seconds = () => number(z.number().nonnegative().nullable()).default(null);
const count = () => number(z.int().min(1).nullable()).default(null);
const off = () => bool().default(false);
const names = () => filled(z.array(z.string()), []);
const value: z.ZodType = z.lazy(() =>
  z.union([
    z.custom((one) => isExact(one)),
    z.null(),
    z.boolean(),
    z.number(),
    z.string(),
    z.array(value),
    z.record(z.string(), value),
  ])
);
const repeats = number(z.int().min(1).nullable());

function key(schema: z.ZodType, group: string, says: string, ...flags: Flag[]): Key {
  return { schema, group, says, flags };
}

function flag(spelling: string, kind: FlagKind = "text", more: Pick<Flag, "at" | "says"> = {}): Flag {
  return { spelling, kind, ...more };
}

const FILES = "Input and output",
  ROUTING = "Routing",
  ROWS = "What is sent",
  DISPATCH = "Dispatch",
  NETWORK = "Network",
  FAILURES = "Failures and resume",
  METRICS = "Metrics and health",
  SERVERS = "Servers",
  EXPORT = "Exporters",
  TERMINAL = "On the terminal";

/** All keys of all commands, in the order in which `--help` shows them. */
export const KEYS: Readonly<Record<KeyName, Key>> = {
  input_jsonl_fpath: key(
    z.string().min(1),
    FILES,
    "tasks, one JSON object a line; - is standard input, .gz and .zst are unpacked",
    flag("-i, --input <file>"),
  ),
  output_jsonl_fpath: key(
    z.string().min(1),
    FILES,
    "rollouts; every other file of the run is named after it",
    flag("-o, --output <file>"),
  ),
  input_glob: key(
    z.string().min(1),
    FILES,
    "shards: rollouts files, by a pattern or several separated by commas; * and ? do not cross folders",
    flag("-i, --input-glob <pattern>"),
  ),
  merge_shards: key(
    bool().default(true),
    FILES,
    "whether the shards' rollouts are merged into the output, as is the default",
    flag("--merge-shards", "on", { says: "merge the shards' rollouts into the output, as is the default" }),
    flag("--no-merge-shards", "off", { says: "write the metrics only" }),
  ),
  limit: key(
    number(z.int().nonnegative().nullable()).default(null),
    FILES,
    "first N rows of the input; 0 is no limit",
    flag("--limit <n>", "number"),
  ),

  agent_name: key(text(), ROUTING, "route every row to this agent", flag("-a, --agent <name>")),
  agent_map: key(
    z.record(z.string(), z.string()).nullable().default(null),
    ROUTING,
    "another agent for rows of an agent or task source; _default for the rest",
    flag("--agent-map <k=v>", "pair"),
  ),
  fan_out: key(
    z.record(z.string(), z.array(z.string())).nullable().default(null),
    ROUTING,
    "run rows of an agent or task source once with each listed agent",
    flag("--fan-out <k=a,b>", "lists"),
  ),
  environment_routing_mode: key(
    z.enum(["agent", "legacy", "taskset"]).default("agent"),
    ROUTING,
    "how rows find their environment server: agent, legacy or taskset",
    flag("--environment-routing-mode <mode>"),
  ),
  environment_server_name: key(
    text(),
    ROUTING,
    "the environment server of all flat rows, in mode legacy",
    flag("--environment-server-name <name>"),
  ),
  environment_server_routes: key(
    z.record(z.string(), z.string()).nullable().default(null),
    ROUTING,
    "environment servers by taskset",
    flag("--environment-server-routes <k=v>", "pair"),
  ),
  allow_unsupported_pairing: key(
    off(),
    ROUTING,
    "run an agent that a resources server does not list",
    flag("--allow-unsupported-pairing", "on"),
  ),

  num_repeats: key(
    z.union([repeats, z.record(z.string(), repeats)]).default(1),
    ROWS,
    "rollouts per task; a map sets it by agent or task source, _default for the rest",
    flag("-n, --num-repeats <n>", "repeats"),
  ),
  num_repeats_add_seed: key(off(), ROWS, "send the rollout index as seed", flag("--add-seed", "on")),
  interleave_repeats: key(
    off(),
    ROWS,
    "start repeats round by round instead of back to back",
    flag("--interleave-repeats", "on"),
  ),
  responses_create_params: key(
    filled(z.record(z.string(), value), {}),
    ROWS,
    "laid over every row's responses_create_params",
    flag("--temperature <x>", "number", { at: "temperature", says: "sampling temperature" }),
    flag("--top-p <x>", "number", { at: "top_p", says: "nucleus sampling" }),
    flag("--max-output-tokens <n>", "number", {
      at: "max_output_tokens",
      says: "longest answer of the model",
    }),
    flag("--param <k=v>", "param", { says: "any other key of responses_create_params" }),
  ),
  prompt_config: key(
    text(),
    ROWS,
    "YAML file with a user and optionally a system template",
    flag("--prompt-config <file>"),
  ),
  skills: key(
    z.strictObject({ path: text() }).nullable().default(null),
    ROWS,
    "folder of skill folders",
    flag("--skills <folder>", "text", { at: "path" }),
  ),

  num_samples_in_parallel: key(
    count(),
    DISPATCH,
    "requests in flight at most (default: no limit)",
    flag("-c, --concurrency <n>", "number"),
  ),
  max_resident_rollout_tasks: key(
    count(),
    DISPATCH,
    "rollouts admitted at most: waiting, in flight or not yet written",
    flag("--max-resident-tasks <n>", "number"),
  ),
  dispatch_budget_s: key(
    seconds(),
    DISPATCH,
    "start nothing after so many seconds; needs --concurrency",
    flag("--dispatch-budget <s>", "number"),
  ),
  drain_margin_s: key(
    seconds(),
    DISPATCH,
    "start nothing with fewer seconds left than this (default: this run's own p75)",
    flag("--drain-margin <s>", "number"),
  ),
  teardown_s: key(
    number(z.number().nonnegative()).default(120),
    DISPATCH,
    "in a Slurm job without a budget of its own: start nothing this long before the job's end",
    flag("--teardown <s>", "number"),
  ),
  disable_slurm_budget: key(
    off(),
    DISPATCH,
    "in a Slurm job, do not take what is left of it as the budget",
    flag("--no-slurm-budget", "on"),
  ),
  dispatch_longest_first: key(
    off(),
    DISPATCH,
    "on resume, longest known durations first",
    flag("--longest-first", "on"),
  ),
  grace_s: key(
    number(z.number().nonnegative()).default(30),
    DISPATCH,
    "how long rollouts in flight may go on after Ctrl-C, SIGTERM or an error",
    flag("--grace <s>", "number"),
  ),
  drain_exit_code: key(
    number(z.int().min(0).max(255)).default(0),
    DISPATCH,
    "exit code when the budget left rows undone (75 tells job scripts to requeue)",
    flag("--drain-exit-code <n>", "number"),
  ),
  rollout_collection_driver: key(
    text(),
    DISPATCH,
    "a command that collects instead of the built-in pass",
    flag("--rollout-collection-driver <command>"),
  ),

  retry_window_s: key(
    number(z.number().nonnegative()).default(600),
    NETWORK,
    "repeat requests that could not be sent for so many seconds",
    flag("--retry-window <s>", "number"),
  ),
  rollout_timeout_s: key(
    number(z.number().positive().nullable()).default(null),
    NETWORK,
    "longest time for one rollout (default: none)",
    flag("--rollout-timeout <s>", "number"),
  ),
  idle_timeout_s: key(
    number(z.number().positive().nullable()).default(null),
    NETWORK,
    "longest silence inside an answer that has begun (default: none)",
    flag("--idle-timeout <s>", "number"),
  ),
  max_response_bytes: key(
    count(),
    NETWORK,
    "largest answer that is taken",
    flag("--max-response-bytes <n>", "number"),
  ),
  max_buffered_bytes: key(
    number(z.int().min(1)).default(2 ** 30),
    NETWORK,
    "bytes of answers read but not yet written, at most",
    flag("--max-buffered-bytes <n>", "number"),
  ),
  connection_reuse: key(
    z.enum(["auto", "never", "always"]).default("auto"),
    NETWORK,
    "keep connections between requests: auto (while a server shows that it keeps them too), never, always",
    flag("--connection-reuse <how>"),
  ),
  proxy: key(
    text(),
    NETWORK,
    "proxy for all requests; those of the environment are ignored",
    flag("--proxy <url>"),
  ),
  ca: key(text(), NETWORK, "PEM file of a certificate authority to trust as well", flag("--ca <file>")),

  resume_from_cache: key(
    off(),
    FAILURES,
    "continue an earlier run of the same output",
    flag("--resume", "on"),
  ),
  accept_drift: key(
    off(),
    FAILURES,
    "resume although input or configuration have changed",
    flag("--accept-drift", "on"),
  ),
  fresh: key(
    off(),
    FAILURES,
    "start afresh also in a requeued Slurm job, whose earlier rollouts are then replaced",
    flag("--fresh", "on"),
  ),
  retry_exhausted: key(
    off(),
    FAILURES,
    "on resume, run rollouts at the attempt limit once more",
    flag("--retry-exhausted", "on"),
  ),
  retry_terminal_timeouts: key(
    off(),
    FAILURES,
    "on resume, run terminal timeouts and repairable faults again",
    flag("--retry-terminal-timeouts", "on"),
  ),
  retry_invalid_judge_responses: key(
    off(),
    FAILURES,
    "on resume, run rollouts with an invalid judge response again",
    flag("--retry-invalid-judge-responses", "on"),
  ),
  route_failures_to_sidecar: key(
    off(),
    FAILURES,
    "a failed request becomes a row of the failures sidecar instead of the end of the run",
    flag("--route-failures-to-sidecar", "on"),
  ),
  require_complete: key(
    off(),
    FAILURES,
    "exit with an error if any rollout is missing",
    flag("--require-complete", "on"),
  ),
  retain_results_in_memory: key(
    bool().default(true),
    FAILURES,
    "accepted for Gym's sake: results never stay in memory, and the files are the same",
  ),

  count_failure_classes_as_zero: key(
    names(),
    METRICS,
    "failure classes that count as zeros",
    flag("--count-failure-classes-as-zero <a,b>", "list"),
  ),
  count_missing_rollouts_as_zero: key(
    off(),
    METRICS,
    "rollouts that left no row count as zeros",
    flag("--count-missing-rollouts-as-zero", "on"),
  ),
  disable_aggregation: key(
    off(),
    METRICS,
    "neither metrics nor health in this run",
    flag("--disable-aggregation", "on"),
  ),
  disable_health_check: key(off(), METRICS, "no health checks", flag("--no-health-check", "on")),
  health_check_workers: key(
    count(),
    METRICS,
    "Gym's processes for the health checks; one pass is fast enough here, so it changes nothing",
    flag("--health-check-workers <n>", "number"),
  ),
  health_check_ignored_checks: key(
    names(),
    METRICS,
    "health checks that are left out",
    flag("--health-check-ignore <a,b>", "list"),
  ),
  observability_enabled: key(
    off(),
    METRICS,
    "fold model call captures into the results",
    flag("--observability-enabled", "on"),
  ),
  model_call_capture_dir: key(
    text(),
    METRICS,
    "where the model servers write captures, an absolute path",
    flag("--model-call-capture-dir <folder>"),
  ),

  head_server: key(
    z.strictObject({
      host: z.string().min(1).default("127.0.0.1"),
      port: number(z.int().min(1).max(65535)).default(11000),
    })
      .nullable().default(null),
    SERVERS,
    "the head server (default 127.0.0.1:11000, or none where --server is given)",
    flag("--head <host:port>", "address"),
  ),
  servers: key(
    filled(z.record(z.string(), z.string()), {}),
    SERVERS,
    "a server's base URL, for use without a head server or instead of the one it gives",
    flag("--server <name=url>", "pair"),
  ),
  offline: key(
    off(),
    SERVERS,
    "ask no server: rollcall computes the metrics itself",
    flag("--offline", "on"),
  ),
  serve_command: key(text(), SERVERS, "command that starts the servers", flag("--serve-command <command>")),
  server_spinup_timeout_seconds: key(
    number(z.number().positive()).default(600),
    SERVERS,
    "how long started servers may take to be ready",
    flag("--server-spinup-timeout <s>", "number"),
  ),

  mlflow_tracking_uri: key(text(), EXPORT, "MLflow server", flag("--mlflow-tracking-uri <url>")),
  mlflow_experiment_name: key(text(), EXPORT, "MLflow experiment", flag("--mlflow-experiment-name <name>")),
  mlflow_run_name: key(text(), EXPORT, "MLflow run", flag("--mlflow-run-name <name>")),
  mlflow_tracking_token: key(text(), EXPORT, "MLflow token", flag("--mlflow-tracking-token <token>")),
  wandb_project: key(text(), EXPORT, "Weights & Biases project", flag("--wandb-project <name>")),
  wandb_name: key(text(), EXPORT, "Weights & Biases run", flag("--wandb-name <name>")),
  wandb_api_key: key(text(), EXPORT, "Weights & Biases key", flag("--wandb-api-key <key>")),
  upload_rollouts: key(
    bool().default(true),
    EXPORT,
    "whether exporters get the rollouts themselves",
    flag("--upload-rollouts", "on", { says: "give exporters the rollouts themselves, as is the default" }),
    flag("--no-upload-rollouts", "off", { says: "give exporters everything but the rollouts" }),
  ),

  quiet: key(off(), TERMINAL, "no progress; errors and the summary only", flag("-q, --quiet", "on")),
  json: key(
    off(),
    TERMINAL,
    "the summary as one JSON object on standard output",
    flag("--json", "on"),
  ),
  dry_run: key(
    off(),
    TERMINAL,
    "print what would be done and do nothing, as plan does",
    flag("--dry-run", "on"),
  ),
};

/** Keys that only `aggregate` has, and those that it shares with `collect`. */
const ONLY_AGGREGATE: readonly KeyName[] = ["input_glob", "merge_shards", "offline"];
const SHARED: readonly KeyName[] = [
  "output_jsonl_fpath",
  "require_complete",
  "count_failure_classes_as_zero",
  "count_missing_rollouts_as_zero",
  "disable_health_check",
  "health_check_workers",
  "health_check_ignored_checks",
  "connection_reuse",
  "idle_timeout_s",
  "max_response_bytes",
  "proxy",
  "ca",
  "head_server",
  "servers",
  "quiet",
  "json",
];

/** The keys of a command, in the order of the table. */
export function keysOf(command: ConfiguredCommand): KeyName[] {
  const names = Object.keys(KEYS) as KeyName[];
  return command === "aggregate"
    ? names.filter((name) => ONLY_AGGREGATE.includes(name) || SHARED.includes(name))
    : names.filter((name) => !ONLY_AGGREGATE.includes(name));
}

/** Old names of keys; still understood, with a warning. */
export const RENAMED: Readonly<Record<string, keyof Config>> = {
  upload_rollouts_to_wandb: "upload_rollouts",
};

/** The schema of the whole configuration of `collect`. Unknown keys are refused before it is asked (see `layers.ts`). */
export const schema: z.ZodType<Config> = z.strictObject(
  Object.fromEntries(keysOf("collect").map((name) => [name, KEYS[name].schema])),
) as unknown as z.ZodType<Config>;
