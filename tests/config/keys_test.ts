import assert from "node:assert/strict";
import fc from "fast-check";
import { allFlags, longName } from "../../src/config/flags.ts";
import type { KeyName } from "../../src/config/config.ts";
import { keyOf, KEYS, keysOf, RENAMED } from "../../src/config/keys.ts";
import { exactNumber } from "../../src/kit/exact_number.ts";
import { configSchema, schemaOf } from "../../src/config/schema.ts";

const REQUIRED = Symbol("required");

/** What a user of Gym knows of its keys: name, default, values it takes, values it refuses, flags. */
const GYM: [string, unknown, unknown[], unknown[], string][] = [
  ["input_jsonl_fpath", REQUIRED, ["in.jsonl", "-"], ["", 5, null], "--input -i"],
  ["output_jsonl_fpath", REQUIRED, ["out/r.jsonl"], ["", null, ["r"]], "--output -o"],
  ["agent_name", null, [null, "a"], ["", 5, {}], "--agent -a"],
  ["agent_map", null, [null, {}, { a: "b", _default: "c" }], [{ a: 5 }, [], "a"], "--agent-map"],
  ["fan_out", null, [null, { a: ["b", "c"] }], [{ a: "b" }, { a: [1] }, ["a"]], "--fan-out"],
  ["limit", null, [null, 0, 7, "7"], [-1, 1.5, "many", true], "--limit"],
  [
    "num_repeats",
    1,
    [null, 1, 4, "3", { a: 2, _default: 1 }, { a: null }, {}],
    [0, -1, 1.5, "", "x", [2], { a: 0 }, { a: 1.5 }, { a: [] }, true],
    "--num-repeats -n",
  ],
  ["num_repeats_add_seed", false, [true, false], [null, 2, "maybe"], "--add-seed"],
  ["interleave_repeats", false, [true, false], [null], "--interleave-repeats"],
  ["num_samples_in_parallel", null, [null, 1, 10_000], [0, -1, 1.5, Infinity], "--concurrency -c"],
  ["max_resident_rollout_tasks", null, [null, 1], [0, 0.5], "--max-resident-tasks"],
  ["dispatch_budget_s", null, [null, 0, 1.5], [-1, NaN, Infinity], "--dispatch-budget"],
  ["drain_margin_s", null, [null, 0, 0.5], [-0.1], "--drain-margin"],
  ["dispatch_longest_first", false, [true], ["maybe"], "--longest-first"],
  [
    "responses_create_params",
    {},
    [{}, { temperature: 0.5, tools: [{ a: null }], seed: "x" }],
    [[], 5, { a: NaN }],
    "--temperature --top-p --max-output-tokens --param",
  ],
  ["prompt_config", null, [null, "p.yaml"], [""], "--prompt-config"],
  ["skills", null, [null, { path: null }, { path: "s" }], ["s", { pth: "s" }, { path: 5 }], "--skills"],
  ["resume_from_cache", false, [true], [null], "--resume"],
  ["retry_terminal_timeouts", false, [true], [null], "--retry-terminal-timeouts"],
  ["retry_invalid_judge_responses", false, [true], [null], "--retry-invalid-judge-responses"],
  ["route_failures_to_sidecar", false, [true], [null], "--route-failures-to-sidecar"],
  ["require_complete", false, [true], [null], "--require-complete"],
  ["count_failure_classes_as_zero", [], [[], ["a", "b"]], ["a", [1], {}], "--count-failure-classes-as-zero"],
  ["count_missing_rollouts_as_zero", false, [true], [null], "--count-missing-rollouts-as-zero"],
  ["score_unplanned", false, [true], [null], "--score-unplanned"],
  ["disable_aggregation", false, [true], [null], "--disable-aggregation"],
  ["disable_health_check", false, [true], [null], "--no-health-check"],
  ["health_check_workers", null, [null, 1], [0, 1.5], "--health-check-workers"],
  ["health_check_ignored_checks", [], [["a"]], [{}, [1]], "--health-check-ignore"],
  ["retain_results_in_memory", true, [true, false], [null], ""],
  [
    "environment_routing_mode",
    "agent",
    ["agent", "legacy", "taskset"],
    ["agents", null],
    "--environment-routing-mode",
  ],
  ["environment_server_name", null, [null, "e"], [""], "--environment-server-name"],
  ["environment_server_routes", null, [null, {}, { t: "e" }], [{ t: 1 }], "--environment-server-routes"],
  ["rollout_collection_driver", null, [null, "cmd"], [""], "--rollout-collection-driver"],
  ["observability_enabled", false, [true], [null], "--observability-enabled"],
  ["model_call_capture_dir", null, [null, "/d"], [""], "--model-call-capture-dir"],
  ["allow_unsupported_pairing", false, [true], [null], "--allow-unsupported-pairing"],
  ["mlflow_tracking_uri", null, [null, "http://h"], [5], "--mlflow-tracking-uri"],
  ["mlflow_experiment_name", null, [null, "e"], [5], "--mlflow-experiment-name"],
  ["mlflow_run_name", null, [null, "r"], [5], "--mlflow-run-name"],
  ["mlflow_tracking_token", null, [null, "t"], [5], "--mlflow-tracking-token"],
  ["wandb_project", null, [null, "p"], [5], "--wandb-project"],
  ["wandb_name", null, [null, "n"], [5], "--wandb-name"],
  ["wandb_api_key", null, [null, "k"], [5], "--wandb-api-key"],
  ["upload_rollouts", true, [true, false], [null], "--upload-rollouts --no-upload-rollouts"],
  ["on_finish", null, [null, "mail -s done me"], [5], "--on-finish"],
  ["server_spinup_timeout_seconds", 600, [1, 0.5], [0, -1, null], "--server-spinup-timeout"],
  [
    "head_server",
    null,
    [null, { host: "h", port: 1 }, { port: "65535" }],
    [{ port: 0 }, { port: 65_536 }, { host: "" }, { prt: 1 }, "h:1"],
    "--head",
  ],
];

/** Keys of rollcall's own. */
const OWN: [string, unknown, unknown[], unknown[], string][] = [
  ["retry_window_s", 600, [0, 3.5], [-1, null], "--retry-window"],
  ["rollout_timeout_s", null, [null, 0.5], [0, -1], "--rollout-timeout"],
  ["idle_timeout_s", null, [null, 1], [0], "--idle-timeout"],
  ["max_response_bytes", 2 ** 30, [null, 1], [0, 1.5], "--max-response-bytes"],
  ["max_buffered_bytes", 2 ** 30, [1], [0, null], "--max-buffered-bytes"],
  ["grace_s", 30, [0, 2.5], [-1], "--grace"],
  ["drain_exit_code", 0, [0, 75, 255], [256, -1, 1.5], "--drain-exit-code"],
  ["connection_reuse", "auto", ["auto", "never", "always"], ["sometimes"], "--connection-reuse"],
  ["proxy", null, [null, "http://p:1"], [""], "--proxy"],
  ["ca", null, [null, "ca.pem"], [""], "--ca"],
  ["accept_drift", false, [true], [null], "--accept-drift"],
  ["serve_command", null, [null, "c"], [""], "--serve-command"],
  ["servers", {}, [{}, { a: "http://h:1" }], [{ a: 1 }, []], "--server"],
  ["quiet", false, [true], [null], "--quiet -q"],
  ["json", false, [true], [null], "--json"],
  ["dry_run", false, [true], [null], "--dry-run"],
];

for (const [key, byDefault, good, bad, flags] of [...GYM, ...OWN]) {
  Deno.test(`KEYS: ${key} has its default, takes what it should, has its flags`, () => {
    const { flags: has, about, group } = keyOf(key as KeyName);
    const schema = schemaOf(key as KeyName);
    const unset = schema.safeParse(undefined);
    if (byDefault === REQUIRED) assert.equal(unset.success, false);
    else assert.deepEqual(unset.data, byDefault);
    for (const value of good) assert.ok(schema.safeParse(value).success, `refuses ${JSON.stringify(value)}`);
    for (const value of bad) assert.ok(!schema.safeParse(value).success, `takes ${JSON.stringify(value)}`);
    const spelled = has.flatMap(({ spelling }) => spelling.match(/(?<=^|, )--?[a-z0-9-]+/g) ?? []);
    assert.deepEqual(spelled.sort(), flags.split(" ").filter(Boolean).sort());
    assert.match(about, /^[a-zA-Z&]/);
    assert.notEqual(group, "");
  });
}

Deno.test("KEYS takes switches as Gym does, and numbers that came as strings", () => {
  for (const on of ["true", "True", "YES", "on", "1", 1, "y", "t"]) {
    assert.equal(schemaOf("quiet").parse(on), true);
  }
  for (const off of ["false", "no", "Off", "0", 0, "n", "f"]) {
    assert.equal(schemaOf("quiet").parse(off), false);
  }
  for (const neither of ["", "2", 2, "yess", [true], {}]) {
    assert.equal(schemaOf("quiet").safeParse(neither).success, false);
  }
  for (const [text, number] of [["3", 3], [" 4 ", 4], ["1e3", 1000], ["1_000", 1000], ["+5", 5]] as const) {
    assert.equal(schemaOf("limit").parse(text), number);
  }
  assert.equal(schemaOf("dispatch_budget_s").parse(".5"), 0.5);
  for (const text of ["", " ", "3a", "0x10", "Infinity", "--3"]) {
    assert.equal(schemaOf("limit").safeParse(text).success, false, text);
  }
});

Deno.test("KEYS takes a list or map key with nothing behind it, as YAML has it", () => {
  assert.deepEqual(schemaOf("servers").parse(null), {});
  assert.deepEqual(schemaOf("responses_create_params").parse(null), {});
  assert.deepEqual(schemaOf("health_check_ignored_checks").parse(null), []);
});

Deno.test("KEYS has no two flags of one name", () => {
  const spellings = allFlags().flatMap(({ flag }) => flag.spelling.match(/(?<=^|, )--?[a-z0-9-]+/g) ?? []);
  assert.deepEqual(spellings.filter((one, at) => spellings.indexOf(one) !== at), []);
  for (const { flag } of allFlags()) assert.match(longName(flag), /^--[a-z0-9-]+$/);
});

Deno.test("KEYS keeps the keys of one heading together", () => {
  const groups = Object.values(KEYS).map(({ group }) => group);
  const starts = groups.filter((group, at) => group !== groups[at - 1]);
  assert.deepEqual(starts, [...new Set(starts)]);
});

Deno.test("RENAMED leads to keys there are", () => {
  assert.equal(RENAMED.get("upload_rollouts_to_wandb"), "upload_rollouts");
  for (const name of RENAMED.keys()) assert.ok(!Object.hasOwn(KEYS, name));
});

Deno.test("what is plain is what its schema takes as it is, whatever the key", () => {
  const usual = fc.constantFrom<unknown>(
    ...[null, 0, 1, -1, 0.5, 65536, 2 ** 53, NaN, Infinity, "", "1", "on", true, exactNumber("1.0", 1)],
    ...[{}, [], { host: "h", port: 1 }, { host: "", port: 1 }, { host: "h", port: 1, more: 1 }, {
      host: "h",
    }],
    ...[{ a: "b" }, { a: ["b"] }, { _default: 2 }, { path: "p" }, JSON.parse('{"__proto__":"x"}'), ["a"]],
    ...Object.values(KEYS).flatMap(({ type }) => [...type.choices ?? [], type.default]),
  );
  const names = fc.constantFrom(...Object.keys(KEYS) as KeyName[]);
  const values = fc.oneof(usual, fc.anything({ withNullPrototype: true, withDate: true, withMap: true }));
  let plain = 0;
  fc.assert(
    fc.property(names, values, (name, value) => {
      if (!keyOf(name).type.isPlain(value)) return;
      plain++;
      const parsed = schemaOf(name).safeParse(value);
      assert.ok(parsed.success);
      assert.deepEqual(parsed.data, value);
    }),
    { numRuns: 3000 },
  );
  assert.ok(plain > 100);
});

Deno.test("configSchema() refuses unknown keys and fills in everything else", () => {
  const schema = configSchema("collect");
  const config = schema.parse({ input_jsonl_fpath: "i", output_jsonl_fpath: "o" });
  assert.deepEqual(Object.keys(config).sort(), keysOf("collect").sort());
  assert.equal(
    schema.safeParse({ input_jsonl_fpath: "i", output_jsonl_fpath: "o", num_repeat: 4 }).success,
    false,
  );
});
