import assert from "node:assert/strict";
import type { Config } from "../../src/config/config.ts";
import { keysOf } from "../../src/config/keys.ts";
import { configSchema, schemaOf } from "../../src/config/schema.ts";
import { notYet } from "../../src/config/unavailable.ts";

const DEFAULTS: Config = configSchema("collect").parse({ input_jsonl_fpath: "i", output_jsonl_fpath: "o" });

/** Values that switch something off, or say the default out loud. */
const HARMLESS: Partial<Record<keyof Config, unknown>> = {
  disable_health_check: true,
  disable_aggregation: true,
  retain_results_in_memory: false,
  upload_rollouts: false,
  health_check_workers: 2,
  health_check_ignored_checks: ["model_call_failed"],
  count_failure_classes_as_zero: [],
  server_spinup_timeout_seconds: 60,
  observability_enabled: false,
};

/** Values that ask for something. */
const ASKING: Partial<Record<keyof Config, unknown>> = {
  ...Object.fromEntries(
    keysOf("collect").filter((key) => DEFAULTS[key as keyof Config] === false).map((key) => [key, true]),
  ),
  rollout_collection_driver: "x",
  count_failure_classes_as_zero: ["x"],
  model_call_capture_dir: "/x",
  mlflow_tracking_uri: "http://h",
  mlflow_experiment_name: "x",
  mlflow_run_name: "x",
  mlflow_tracking_token: "x",
  wandb_project: "x",
  wandb_name: "x",
  wandb_api_key: "x",
  serve_command: "x",
};

Deno.test("notYet() has nothing against defaults and switches that are off", () => {
  assert.deepEqual(notYet(DEFAULTS), []);
  for (const [key, value] of Object.entries(HARMLESS)) {
    assert.deepEqual(notYet({ ...DEFAULTS, [key]: value }), [], key);
  }
});

Deno.test("notYet() names a key that asks for something missing, and no other", () => {
  for (const [key, value] of Object.entries(ASKING)) {
    assert.ok(schemaOf(key as keyof Config).safeParse(value).success, key);
    const names = notYet({ ...DEFAULTS, [key]: value });
    // Nothing once the feature is there.
    if (names.length) assert.deepEqual(names, [[key, `${key} is not available yet in this version`]]);
  }
});

Deno.test("notYet() names everything at once", () => {
  const all = { ...DEFAULTS, ...ASKING } as Config;
  const one = Object.entries(ASKING).flatMap(([key, value]) => notYet({ ...DEFAULTS, [key]: value }));
  assert.deepEqual(notYet(all).sort(), one.sort());
});
