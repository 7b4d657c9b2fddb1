import assert from "node:assert/strict";
import type { Config, Value } from "../../src/config/config.ts";
import { type Asked, drift } from "../../src/plan/drift.ts";
import { type Manifest, manifestText, readManifest, withRun } from "../../src/plan/manifest.ts";
import { masked } from "../../src/config/masked.ts";

const run = { at: "2026-01-01T00:00:00Z", host: "h", pid: 1, version: "0", resumed: false };

function manifest(config: Record<string, Value> = {}): Manifest {
  return {
    manifest: 1,
    input: { path: "in.jsonl", sha256: "a".repeat(64) },
    prompt: null,
    skills: { path: "skills", sha256: "b".repeat(12) },
    counts: { rows: 1, tasks: 1, rollouts: 1 },
    hosts: ["h:1"],
    config: { num_repeats: 4, agent_map: { a: "b", _default: "c" }, limit: null, ...config },
    runs: [run],
  };
}

const asked = (changes: Partial<Asked> = {}): Asked => {
  const { config, input, prompt, skills } = manifest();
  return { config, input, prompt, skills, ...changes };
};

for (
  const [what, then, now, want] of [
    ["nothing", manifest(), asked(), []],
    [
      "the order of a map's keys",
      manifest(),
      asked({ config: { ...manifest().config, agent_map: { _default: "c", a: "b" } } }),
      [],
    ],
    [
      "concurrency, endpoints and keys",
      manifest({ num_samples_in_parallel: 1, servers: {}, wandb_api_key: "•••" }),
      asked(),
      [],
    ],
    ["the repeats", manifest(), asked({ config: { ...manifest().config, num_repeats: 8 } }), [
      /^num_repeats was 4 and is 8 now$/,
    ]],
    [
      "the place of the input",
      manifest(),
      asked({ input: { path: "elsewhere.jsonl", sha256: "a".repeat(64) } }),
      [],
    ],
    ["the content of the input", manifest(), asked({ input: { path: "in.jsonl", sha256: "c".repeat(64) } }), [
      /^the input in\.jsonl has other content: .*aaaaaaaaaaaa.*cccccccccccc/,
    ]],
    ["an input that is gone", manifest(), asked({ input: undefined }), [/the input cannot be read/]],
    ["a prompt that is new", manifest(), asked({ prompt: { path: "p.yaml", sha256: "d".repeat(64) } }), [
      /the prompt p\.yaml is new/,
    ]],
    ["skills that are not given", manifest(), asked({ skills: null }), [
      /the skills folder skills is no longer given/,
    ]],
    ["several things", manifest(), asked({ skills: undefined, config: { ...manifest().config, limit: 3 } }), [
      /limit was 0 and is 3 now/,
      /the skills folder cannot be read/,
    ]],
    [
      "a key that the manifest does not know yet",
      manifest(),
      asked({ config: { ...manifest().config, fan_out: { a: ["b"] } } }),
      [],
    ],
  ] as const
) {
  Deno.test(`drift() of ${what}`, () => {
    const differences = drift(then, now);
    assert.equal(differences.length, want.length, differences.join("\n"));
    for (const [k, pattern] of want.entries()) assert.match(differences[k]!, pattern);
  });
}

Deno.test("readManifest() reads what manifestText() writes, and the run that was added", () => {
  const more = withRun(manifest(), { ...run, resumed: true, accepted_drift: ["x"] });
  assert.deepEqual(readManifest(manifestText(more)), more);
  assert.equal(more.runs.length, 2);
});

for (
  const text of ["", "{", "null", "[]", "{}", '{"manifest":2,"config":{},"input":{"sha256":"x"},"runs":[]}']
) {
  Deno.test(`readManifest() does not understand ${JSON.stringify(text)}`, () => {
    assert.equal(readManifest(text), undefined);
  });
}

Deno.test("masked() hides secrets wherever a configuration has them, and nothing else", () => {
  const config = {
    wandb_api_key: "hunter2",
    mlflow_tracking_token: "hunter2",
    mlflow_tracking_uri: "https://user:hunter2@mlflow.example/x",
    proxy: "http://user:hunter2@proxy:3128",
    servers: { "key-agent": "http://user:hunter2@host:1", plain: "http://host:2" },
    agent_map: { monkey: "token_agent" },
    responses_create_params: {
      max_output_tokens: 512,
      metadata: { api_key: "hunter2", headers: { x: "hunter2", n: 5, list: ["hunter2"] } },
      instructions: "Keep the key: value form",
    },
    serve_command: "serve --api-key hunter2 --port 80 TOKEN=hunter2 --header 'Authorization: hunter2'",
    num_repeats: 4,
    limit: null,
    quiet: true,
  } as unknown as Config;
  const shown = masked(config), text = JSON.stringify(shown);
  assert.doesNotMatch(text, /hunter2/);
  assert.deepEqual(shown["agent_map"], { monkey: "token_agent" });
  assert.deepEqual(shown["servers"], { "key-agent": "http://•••@host:1", plain: "http://host:2" });
  const params = shown["responses_create_params"] as Record<string, Value>;
  assert.equal(params["max_output_tokens"], 512);
  assert.equal(params["instructions"], "Keep the key: value form");
  assert.deepEqual([shown["num_repeats"], shown["limit"], shown["quiet"]], [4, null, true]);
  assert.match(shown["serve_command"] as string, /^serve --api-key ••• --port 80 TOKEN=••• --header/);
});
