import assert from "node:assert/strict";
import type { Value } from "../../src/config/config.ts";
import { allFlags, type KeyFlag, longName, setFlag, usage } from "../../src/config/flags.ts";
import { keyOf, keysOf } from "../../src/config/keys.ts";
import { UsageFault } from "../../src/kit/fault.ts";

function flagOf(name: string): KeyFlag {
  const found = allFlags().find(({ flag }) => flag.spelling.split(/, | /).includes(name));
  assert.ok(found, `there is no flag ${name}`);
  return found;
}

/** What a flag makes of a layer of configuration, as JSON so that 1.0 shows. */
function layerOf(name: string, text: string | true, layer: Record<string, Value> = {}): string {
  const { key, flag } = flagOf(name);
  setFlag(layer, { key, flag, text });
  return JSON.stringify(layer);
}

function faultOf(name: string, text: string): string {
  try {
    layerOf(name, text);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
  throw new Error(`${name} ${text} was taken`);
}

for (
  const [name, text, layer] of [
    ["--input", "-", `{"input_jsonl_fpath":"-"}`],
    ["-o", "a b.jsonl", `{"output_jsonl_fpath":"a b.jsonl"}`],
    ["--limit", "5", `{"limit":5}`],
    ["--limit", "1_000", `{"limit":1000}`],
    ["--limit", "-1", `{"limit":-1}`],
    ["--dispatch-budget", "1.5", `{"dispatch_budget_s":1.5}`],
    ["-n", "4", `{"num_repeats":4}`],
    ["-n", "null", `{"num_repeats":null}`],
    ["-n", "{a: 2, _default: 1}", `{"num_repeats":{"a":2,"_default":1}}`],
    ["--resume", true, `{"resume_from_cache":true}`],
    ["--no-health-check", true, `{"disable_health_check":true}`],
    ["--upload-rollouts", true, `{"upload_rollouts":true}`],
    ["--no-upload-rollouts", true, `{"upload_rollouts":false}`],
    ["--agent-map", "a=b", `{"agent_map":{"a":"b"}}`],
    ["--agent-map", "a=b=c", `{"agent_map":{"a":"b=c"}}`],
    ["--agent-map", "__proto__=b", `{"agent_map":{"__proto__":"b"}}`],
    ["--fan-out", "a=b, c,,d", `{"fan_out":{"a":["b","c","d"]}}`],
    ["--fan-out", "a=", `{"fan_out":{"a":[]}}`],
    ["--health-check-ignore", "a, b,", `{"health_check_ignored_checks":["a","b"]}`],
    ["--temperature", "0.5", `{"responses_create_params":{"temperature":0.5}}`],
    ["--temperature", "1.0", `{"responses_create_params":{"temperature":1.0}}`],
    ["--max-output-tokens", "10", `{"responses_create_params":{"max_output_tokens":10}}`],
    ["--param", "stop=[a, 'b c']", `{"responses_create_params":{"stop":["a","b c"]}}`],
    ["--param", "seed=null", `{"responses_create_params":{"seed":null}}`],
    ["--param", "top_p=1.0", `{"responses_create_params":{"top_p":1.0}}`],
    ["--skills", "dir", `{"skills":{"path":"dir"}}`],
    ["--head", "gpu7:11001", `{"head_server":{"host":"gpu7","port":11001}}`],
    ["--head", "gpu7", `{"head_server":{"host":"gpu7"}}`],
    ["--head", "http://gpu7:1/", `{"head_server":{"host":"gpu7","port":1}}`],
    ["--head", "[::1]:11000", `{"head_server":{"host":"[::1]","port":11000}}`],
    ["--server", "a=http://h:1/p?x=y", `{"servers":{"a":"http://h:1/p?x=y"}}`],
  ] as const
) {
  Deno.test(`setFlag() ${name} ${text} is ${layer}`, () => assert.equal(layerOf(name, text), layer));
}

Deno.test("setFlag() adds to a map that is there, the later value winning", () => {
  const layer = {};
  layerOf("--agent-map", "a=b", layer);
  layerOf("--agent-map", "c=d", layer);
  assert.equal(layerOf("--agent-map", "a=e", layer), `{"agent_map":{"a":"e","c":"d"}}`);
});

for (
  const [name, text, message] of [
    ["--limit", "abc", `--limit: needs a number, got "abc"`],
    ["--limit", "", `--limit: needs a number, got ""`],
    ["--temperature", "hot", `--temperature: needs a number, got "hot"`],
    [
      "-n",
      "{a: 1",
      `--num-repeats: needs a number, or a map as in {some_agent: 2, _default: 1}, got "{a: 1"`,
    ],
    ["--agent-map", "a", `--agent-map: needs KEY=VALUE, got "a"`],
    ["--server", "my_agent", `--server: needs NAME=URL, got "my_agent"`],
    ["--agent-map", "=b", `--agent-map: needs KEY=VALUE, got "=…"`],
    ["--head", "11000", `--head: needs HOST:PORT, got "11000"`],
    ["--head", "https://h:1", `--head: needs HOST:PORT, got "https://h:1"`],
    ["--head", "h:1:2", `--head: needs HOST:PORT, got "h:1:2"`],
    ["--head", "", `--head: needs HOST:PORT, got ""`],
  ] as const
) {
  Deno.test(`setFlag() ${name} ${text} is refused`, () => assert.equal(faultOf(name, text), message));
}

Deno.test("setFlag() never repeats what may be a secret", () => {
  for (
    const [name, text] of [
      ["--param", "extra_headers={Authorization: Bearer hush"],
      ["--param", "x={api_key: hush"],
      ["--param", "api_key:hush"],
      ["--head", "user:hush@h:1"],
      ["--head", "http://user:hush@h:1"],
      ["--server", "http://user:hush@h:1"],
    ] as const
  ) {
    assert.doesNotMatch(faultOf(name, text), /hush/);
  }
});

Deno.test("allFlags() gives every key a flag of its own name, hidden where it has another", () => {
  for (
    const [name, key, hidden] of [
      ["--num-samples-in-parallel", "num_samples_in_parallel", true],
      ["--input-jsonl-fpath", "input_jsonl_fpath", true],
      ["--resume-from-cache", "resume_from_cache", true],
      ["--disable-health-check", "disable_health_check", true],
      ["--retry-window-s", "retry_window_s", true],
      ["--server-spinup-timeout-seconds", "server_spinup_timeout_seconds", true],
      ["--limit", "limit", false],
    ] as const
  ) {
    const found = flagOf(name);
    assert.deepEqual([found.key, found.hidden], [key, hidden]);
  }
  assert.equal(layerOf("--num-samples-in-parallel", "4"), `{"num_samples_in_parallel":4}`);
});

Deno.test("allFlags() shows every flag that does something once, with what it means and its default", () => {
  const shown = allFlags().filter(({ hidden }) => !hidden);
  const working = keysOf("collect").map(keyOf).filter(({ state }) => state === undefined);
  assert.deepEqual(shown.map(({ flag }) => flag), working.flatMap(({ flags }) => flags));
  const about = (name: string) => flagOf(name).about;
  assert.match(about("--grace"), / \(default: 30\)$/);
  assert.match(about("--concurrency"), / \(default: no limit\)$/);
  assert.match(about("--fan-out"), / \(default: none\)$/);
  assert.doesNotMatch(about("--resume"), /default/);
  for (const { about, flag } of shown) assert.notEqual(about, "", longName(flag));
});

Deno.test("allFlags() has every flag of `gym eval run --no-serve` that is the collector's", () => {
  for (
    const name of [
      "--agent",
      "-a",
      "--input",
      "-i",
      "--output",
      "-o",
      "--limit",
      "--num-repeats",
      "--interleave-repeats",
      "--prompt-config",
      "--concurrency",
      "--temperature",
      "--top-p",
      "--max-output-tokens",
      "--disable-aggregation",
      "--no-health-check",
      "--health-check-workers",
      "--health-check-ignore",
      "--resume",
      "--allow-unsupported-pairing",
    ]
  ) flagOf(name);
});

Deno.test("longName() and usage() are as --help shows a flag", () => {
  const { flag } = flagOf("-i");
  assert.equal(longName(flag), "--input");
  assert.equal(usage(flag), "--input <file>");
  assert.equal(usage(flagOf("--resume").flag), "--resume");
});
