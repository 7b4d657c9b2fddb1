import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../src/config/config.ts";
import { allFlags, type TypedFlag } from "../../src/config/flags.ts";
import type { Configured } from "../../src/config/layers.ts";
import { configure } from "./_configure.ts";
import { keysOf } from "../../src/config/keys.ts";
import { UsageFault } from "../../src/kit/fault.ts";

const IO = ["input_jsonl_fpath=in.jsonl", "output_jsonl_fpath=out.jsonl"];

interface Said {
  files?: Record<string, unknown>;
  flags?: readonly (readonly [string, (string | true)?])[];
  words?: readonly string[];
  env?: Record<string, string>;
}

function typed([name, text = true]: readonly [string, (string | true)?]): TypedFlag {
  const found = allFlags().find(({ flag }) => flag.spelling.split(/, | /).includes(name));
  assert.ok(found, `there is no flag ${name}`);
  return { key: found.key, flag: found.flag, text };
}

function configured({ files = {}, flags = [], words = [], env = {} }: Said): Configured {
  return configure({
    files: Object.entries(files).map(([path, value]) => ({ path, value })),
    flags: flags.map(typed),
    words,
    env: (name) => env[name],
  });
}

/** The configuration when input and output are given as well. */
function config(said: Said): Config {
  return configured({ ...said, words: [...IO, ...(said.words ?? [])] }).config;
}

/** The problems, one a line, without the heading. */
function problems(said: Said): string[] {
  const { words = [] } = said;
  try {
    configured({ ...said, words: [...IO, ...words] });
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    const [heading, ...lines] = error.message.split("\n");
    assert.equal(heading, "Cannot use this configuration:");
    return lines.map((line) => line.replace(/^ {2}/, ""));
  }
  throw new Error("everything was taken");
}

Deno.test("configure() fills in the defaults of all keys", () => {
  const { config, notes } = configured({ words: IO });
  assert.deepEqual(Object.keys(config), keysOf("collect"));
  assert.deepEqual([config.num_repeats, config.head_server, config.retry_window_s], [1, null, 600]);
  assert.deepEqual(notes, []);
});

Deno.test("configure() lets files win over files before them, flags over files, words over flags", () => {
  const said = {
    files: { "a.yaml": { limit: 1, agent_name: "a", grace_s: 1 }, "b.yaml": { limit: 2, agent_name: "b" } },
    flags: [["--limit", "3"], ["-a", "c"], ["--limit", "4"]] as const,
    words: ["+limit=5", "limit=6"],
  };
  const { limit, agent_name, grace_s } = config(said);
  assert.deepEqual([limit, agent_name, grace_s], [6, "c", 1]);
  assert.equal(config({ ...said, words: [] }).limit, 4);
  assert.equal(config({ files: said.files }).limit, 2);
});

Deno.test("configure() merges the maps of all layers, and replaces everything else", () => {
  const { responses_create_params, agent_map, servers, num_repeats, fan_out } = config({
    files: {
      "a.yaml": {
        responses_create_params: { top_p: 0.9, temperature: 0, extra: { a: 1 } },
        agent_map: { x: "y" },
        servers: { a: "http://h:1" },
        num_repeats: { a: 2 },
        fan_out: { x: ["a", "b"] },
      },
      "b.yaml": { responses_create_params: { extra: { b: 2 } }, num_repeats: { _default: 1 } },
    },
    flags: [["--temperature", "0.5"], ["--server", "b=http://h:2"], ["--param", "extra={c: 3}"]],
    words: ["+agent_map._default=z", "+fan_out.x=[c]", "+responses_create_params.extra.a=null"],
  });
  assert.deepEqual(responses_create_params, {
    top_p: 0.9,
    temperature: 0.5,
    extra: { a: null, b: 2, c: 3 },
  });
  assert.deepEqual(agent_map, { x: "y", _default: "z" });
  assert.deepEqual(servers, { a: "http://h:1", b: "http://h:2" });
  assert.deepEqual(num_repeats, { a: 2, _default: 1 });
  assert.deepEqual(fan_out, { x: ["c"] });
});

Deno.test("configure() replaces a number by a map and a map by a number", () => {
  assert.deepEqual(
    config({ files: { a: { num_repeats: 4 } }, flags: [["-n", "{a: 2, _default: 1}"]] }).num_repeats,
    {
      a: 2,
      _default: 1,
    },
  );
  assert.equal(config({ files: { a: { num_repeats: { a: 2 } } }, words: ["+num_repeats=3"] }).num_repeats, 3);
  assert.equal(config({ words: ["+num_repeats=3", "+num_repeats=null"] }).num_repeats, null);
  assert.equal(config({ words: ["+num_repeats=3", "~num_repeats"] }).num_repeats, 1);
});

Deno.test("configure() keeps the spelling of numbers that are sent on, also when they are said twice", () => {
  const { responses_create_params } = config({
    flags: [["--temperature", "1.0"], ["--top-p", "1.0"]],
    words: ["+responses_create_params.temperature=2.0", "+responses_create_params={a: {b: 3.0}}"],
  });
  assert.equal(JSON.stringify(responses_create_params), '{"temperature":2.0,"top_p":1.0,"a":{"b":3.0}}');
});

Deno.test("configure() takes Gym's defaults and switches said out loud", () => {
  config({
    words: [
      "+agent_name=null",
      "+agent_map=null",
      "+fan_out=null",
      "+limit=null",
      "+num_samples_in_parallel=null",
      "+max_resident_rollout_tasks=null",
      "+dispatch_budget_s=null",
      "+drain_margin_s=null",
      "+prompt_config=null",
      "+skills=null",
      "+health_check_workers=null",
      "+health_check_ignored_checks=[]",
      "+count_failure_classes_as_zero=[]",
      "+environment_server_name=null",
      "+environment_server_routes={}",
      "+rollout_collection_driver=null",
      "+responses_create_params={}",
      "+disable_health_check=true",
      "+disable_aggregation=false",
      "+retain_results_in_memory=false",
      "+upload_rollouts=False",
      "+resume_from_cache=no",
      "+observability_enabled=0",
      "+model_call_capture_dir=null",
      "+wandb_project=null",
      "+mlflow_tracking_uri=null",
    ],
  });
});

Deno.test("configure() understands old names, with a note", () => {
  const { config, notes } = configured({ words: [...IO, "+upload_rollouts_to_wandb=false"] });
  assert.equal(config.upload_rollouts, false);
  assert.match(notes.join(), /upload_rollouts_to_wandb is the old name of upload_rollouts/);
});

Deno.test("configure() passes over what belongs to the servers, in one note that names it and shows no value", () => {
  const { notes } = configured({
    files: {
      "gym.yaml": {
        policy_model_name: "m",
        default_host: "h",
        my_agent: { responses_api_agents: { simple: { port: 1 } } },
        ray_head_node_address: "x",
      },
    },
    words: [
      ...IO,
      "+config_paths=[a.yaml,b.yaml]",
      "policy_api_key=sk-hush",
      "my_server.responses_api_models.x.port=1",
      "++other={resources_servers: {x: {}}}",
      "hydra.run.dir=x",
      "hydra/job_logging=none",
      "~uv_cache_dir",
      "+verbose=true",
    ],
  });
  assert.deepEqual(notes, [
    "Ignored, since they belong to the servers:\n" +
    [
      "policy_model_name (gym.yaml)",
      "default_host (gym.yaml)",
      "my_agent (gym.yaml)",
      "ray_head_node_address (gym.yaml)",
      "+config_paths=…",
      "policy_api_key=…",
      "my_server.responses_api_models.x.port=…",
      "++other=…",
      "hydra.run.dir=…",
      "hydra/job_logging=…",
      "~uv_cache_dir",
      "+verbose=…",
    ].map((line) => `  ${line}`).join("\n"),
  ]);
});

Deno.test("configure() resolves references to the environment and to whatever else was said", () => {
  const { output_jsonl_fpath, limit, agent_name, responses_create_params } = config({
    files: {
      "a.yaml": {
        limit: "${oc.env:LIMIT}",
        agent_name: "${my_agent.name}",
        my_agent: { responses_api_agents: {}, name: "a" },
      },
    },
    words: [
      "output_jsonl_fpath=runs/${policy_model_name}/${oc.env:JOB,local}-${limit}.jsonl",
      "policy_model_name=qwen",
      "+responses_create_params={metadata: {tags: ['${policy_model_name}', '${limit}']}}",
      "+responses_create_params.temperature=1.0",
    ],
    env: { LIMIT: "7", JOB: "42" },
  });
  assert.deepEqual([output_jsonl_fpath, limit, agent_name], ["runs/qwen/42-7.jsonl", 7, "a"]);
  assert.equal(
    JSON.stringify(responses_create_params),
    '{"metadata":{"tags":["qwen","7"]},"temperature":1.0}',
  );
  assert.deepEqual(problems({ words: ["+prompt_config=${oc.env:NO}", "+skills.path=${nothing}"] }), [
    "Cannot resolve prompt_config: the environment variable NO is not set",
    "Cannot resolve skills.path: there is no nothing in the configuration",
  ]);
});

Deno.test("configure() says that input and output are missing, and how to give them", () => {
  assert.throws(() => configured({}), {
    message: "Cannot use this configuration:\n" +
      "  input_jsonl_fpath: is missing, give it with --input <file>\n" +
      "  output_jsonl_fpath: is missing, give it with --output <file>",
  });
});

for (
  const [what, said, ...wanted] of [
    [
      "a misspelt word",
      { words: ["+num_repeat=4"] },
      '+num_repeat=…: there is no such key (did you mean "num_repeats"?)',
    ],
    [
      "a key that is called otherwise than its flag",
      { words: ["+concurrency=4", "+input=x", "+temperature=1", "+max_output_tokens=5", "+head=x"] },
      '+concurrency=…: there is no such key (did you mean "num_samples_in_parallel"?)',
      '+input=…: there is no such key (did you mean "input_jsonl_fpath"?)',
      '+temperature=…: there is no such key (did you mean "responses_create_params.temperature"?)',
      '+max_output_tokens=…: there is no such key (did you mean "responses_create_params.max_output_tokens"?)',
      '+head=…: there is no such key (did you mean "head_server"?)',
    ],
    [
      "names out of nowhere, also those of JavaScript",
      {
        words: ["+zzz=1", "~constructor", "++__proto__=1"],
        files: { "a.json": JSON.parse('{"__proto__": 1}') },
      },
      "__proto__ (a.json): there is no such key",
      "+zzz=…: there is no such key",
      "~constructor: there is no such key",
      "++__proto__=…: there is no such key",
    ],
    [
      "a misspelt key of a file",
      { files: { "a.yaml": { num_samples_in_paralel: 4 } } },
      'num_samples_in_paralel (a.yaml): there is no such key (did you mean "num_samples_in_parallel"?)',
    ],
    [
      "files that hold no map",
      { files: { "a.yaml": ["x"], "b.yaml": undefined, "c.yaml": "sk-text", "d.yaml": null } },
      "a.yaml: must hold a map of keys, but is a list",
      "b.yaml: must hold a map of keys, but is empty",
      'c.yaml: must hold a map of keys, but is "sk-text"',
      "d.yaml: must hold a map of keys, but is empty",
    ],
    [
      "values of a wrong type, each where it was said last",
      {
        files: {
          "a.yaml": { limit: "x", grace_s: null, quiet: "maybe", fan_out: { a: 5, b: [1] }, agent_name: 5 },
        },
        flags: [["-c", "1.5"], ["--limit", "-2"]],
        words: [
          "+max_resident_rollout_tasks=0",
          "+drain_exit_code=300",
          "+prompt_config=",
          "+retry_window_s=inf",
        ],
      },
      "--limit: must be at least 0, got -2",
      "agent_name (a.yaml): must be a string, got 5",
      'fan_out (a.yaml): "a" must be a list, got 5',
      'fan_out (a.yaml): "b.0" must be a string, got 1',
      '+prompt_config=…: must not be empty, got ""',
      "--concurrency: must be a whole number, got 1.5",
      "+max_resident_rollout_tasks=…: must be at least 1, got 0",
      "grace_s (a.yaml): must be a number, got null",
      "+drain_exit_code=…: must be at most 255, got 300",
      "+retry_window_s=…: must be a finite number, got Infinity",
      'quiet (a.yaml): must be true or false, got "maybe"',
    ],
    [
      "num_repeats in all its forms",
      { words: ["+num_repeats={a: 0, b: 1.5, c: x, d: null}"] },
      '+num_repeats=…: "a" must be at least 1, got 0',
      '+num_repeats=…: "b" must be a whole number, got 1.5',
      '+num_repeats=…: "c" must be a number, got "x"',
    ],
    [
      "num_repeats of no form",
      { words: ["+num_repeats=x"] },
      '+num_repeats=…: must be a number or a map, got "x"',
    ],
    [
      "num_repeats as list",
      { words: ["+num_repeats=[1]"] },
      "+num_repeats=…: must be a number or a map, got a list",
    ],
    ["num_repeats below 1", { flags: [["-n", "0"]] }, "--num-repeats: must be at least 1, got 0"],
    ["num_repeats of -1", { words: ["+num_repeats=-1"] }, "+num_repeats=…: must be at least 1, got -1"],
    [
      "num_repeats of 1.5",
      { words: ["+num_repeats=1.5"] },
      "+num_repeats=…: must be a whole number or a map, got 1.5",
    ],
    [
      "a map of which one member is wrong: the place that said that one",
      {
        files: { "a.yaml": { num_repeats: { a: 0, b: 1 }, head_server: { host: "" } } },
        flags: [["-n", "{b: 2}"]],
        words: ["+num_repeats.c=0", "+head_server.prt=1", "+head_server.port=70000"],
      },
      'num_repeats (a.yaml): "a" must be at least 1, got 0',
      "+num_repeats.c=…: must be at least 1, got 0",
      'head_server (a.yaml): "host" must not be empty, got ""',
      "+head_server.port=…: must be at most 65535, got 70000",
      '+head_server.prt=…: is unknown (did you mean "port"?); there is host and port',
    ],
    [
      "a mode that there is not",
      { flags: [["--environment-routing-mode", "agnet"]] },
      '--environment-routing-mode: must be agent, legacy or taskset, got "agnet" (did you mean "agent"?)',
    ],
    [
      "a budget without a limit of what is in flight",
      { flags: [["--dispatch-budget", "60"]] },
      "--dispatch-budget: needs num_samples_in_parallel (--concurrency) too: without it everything starts at once",
    ],
    [
      "addresses that are none, all of them",
      { flags: [["--server", "a=ftp://h"], ["--server", "b=http://u:hush@h"], ["--proxy", "h:1"]] },
      '--proxy: must be http://HOST:PORT or socks5://HOST:PORT, got "h:1"',
      'The address of server "a" must be http://HOST:PORT, got "ftp://h"',
      'The address of server "b" must be http://HOST:PORT, got "http://•••@h"',
    ],
    [
      "words with mistakes in them, beside everything else",
      { words: ["+limit=[1", "+limit=x", "+=3"] },
      'Cannot use this argument, see column 8: the "[" that opens here is not closed: add a "]"',
      "  +limit=[1",
      "         ^",
      "+=…: the key is missing: write key=value (column 2)",
      '+limit=…: must be a number, got "x"',
    ],
    [
      "features that are not there yet, beside everything else",
      { flags: [["--serve-command", "x"]], words: ["+limit=x"] },
      '+limit=…: must be a number, got "x"',
      "--serve-command: serve_command is not available yet in this version",
    ],
  ] as [string, Said, ...string[]][]
) {
  Deno.test(`configure() refuses ${what}`, () => assert.deepEqual(problems(said), wanted));
}

Deno.test("configure() lists the first twenty problems and how many more there are", () => {
  const lines = problems({ words: Array.from({ length: 25 }, (_, k) => `+zzz${k}=1`) });
  assert.equal(lines.length, 21);
  assert.equal(lines.at(-1), "… and 5 more");
});

const HUSH = "hush-9f2";
/** Ways to get a secret wrong. */
const SECRETS: Said[] = [
  { words: [`+wandb_api_key=[${HUSH}]`, `mlflow_tracking_token={a: ${HUSH}}`] },
  { words: [`+wandb_api_key='${HUSH}`, `+wandb_api_key={a: ${HUSH}`, `+wandb_api_key=${HUSH}(x)`] },
  { words: [`+wandb_api_kee=${HUSH}`, `+mlflow_token=${HUSH}`, `+zzz=${HUSH}`, `+zzz={a: ${HUSH}}`] },
  { words: [`+wandb_api_key.deeper=${HUSH}`, `~wandb_api_key=${HUSH}`, `policy_api_key=${HUSH}`] },
  { words: [`+limit={api_key: ${HUSH}}`, `+servers={a: {token: ${HUSH}}}`, `+agent_map={x: [${HUSH}]}`] },
  { words: [`+proxy='http://user:${HUSH}@h`, `+servers={a: http://user:${HUSH}@h`] },
  { words: [`+proxy=ftp://user:${HUSH}@h`, `+servers.a=http://user:${HUSH}@h`] },
  { words: [`+mlflow_tracking_uri=[http://user:${HUSH}@h]`, `+limit=http://user:${HUSH}@h`] },
  { files: { "a.yaml": { wandb_api_key: [HUSH], mlflow_tracking_token: { a: HUSH }, wandb_api_kee: HUSH } } },
  { files: { "a.yaml": { policy_api_key: HUSH, limit: { a: HUSH }, fan_out: { a: { password: HUSH } } } } },
  { files: { "a.yaml": { servers: { a: { api_key: HUSH } }, agent_map: { authorization: [HUSH] } } } },
  { flags: [["--wandb-api-key", HUSH], ["--mlflow-tracking-token", HUSH], ["--limit", "x"]] },
  { flags: [["--param", `api_key={${HUSH}`], ["--param", `x={token: ${HUSH}`], ["--param", `key:${HUSH}`]] },
  { words: [`+responses_create_params={extra_headers: {Authorization: ${HUSH}}, a: nan}`] },
  { words: ["+limit=${policy_api_key}", `policy_api_key={a: ${HUSH}}`] },
];
for (const [k, said] of SECRETS.entries()) {
  Deno.test(`configure() never repeats a secret: ${k + 1}`, () => {
    try {
      const { notes } = configured({ ...said, words: [...IO, ...(said.words ?? [])] });
      assert.doesNotMatch(notes.join("\n"), new RegExp(HUSH));
    } catch (error) {
      assert.ok(error instanceof UsageFault, String(error));
      assert.doesNotMatch(error.message, new RegExp(HUSH));
    }
  });
}

Deno.test("configure() never repeats a secret that any key may hold, nor the value of a key that there is not", () => {
  const keys = fc.constantFrom(
    "wandb_api_key",
    "mlflow_tracking_token",
    "my_password",
    "x.secret.y",
    "nonsense",
  );
  const shapes = fc.constantFrom(
    "V",
    "[V]",
    "{a: V}",
    "'V",
    '"V',
    "[V",
    "{a: V",
    "V)",
    "V'",
    "{V",
    "a,V",
    "f(V)",
  );
  const marks = fc.constantFrom("", "+", "++", "~");
  fc.assert(fc.property(fc.array(fc.tuple(marks, keys, shapes), { minLength: 1, maxLength: 4 }), (said) => {
    const words = said.map(([mark, key, shape]) => `${mark}${key}=${shape.replace("V", HUSH)}`);
    try {
      configured({ words: [...IO, ...words] });
    } catch (error) {
      assert.ok(error instanceof UsageFault, String(error));
      assert.doesNotMatch(error.message, new RegExp(HUSH));
    }
  }));
});
