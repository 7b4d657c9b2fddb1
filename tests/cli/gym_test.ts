import assert from "node:assert/strict";
import { type Call, rollcallArgs } from "../../src/cli/gym.ts";
import { UsageFault } from "../../src/kit/fault.ts";

function call(name: string, ...args: string[]): Call {
  return rollcallArgs(name, args);
}

function refused(name: string, ...args: string[]): string {
  try {
    call(name, ...args);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
  throw new Error("it was taken");
}

for (
  const [name, args, wanted] of [
    ["rollcall", "collect --config a.yaml -i x", "collect --config a.yaml -i x"],
    ["rollcall", "", ""],
    ["rollcall", "+a=b", "+a=b"],
    ["deno", "collect", "collect"],
    ["rollcall", "eval run --no-serve -i x -o y", "collect -i x -o y"],
    ["rollcall", "eval run -i x --no-serve +limit=3 --agent a", "collect -i x +limit=3 --agent a"],
    ["rollcall", "eval run --no-serve --config a --config=b -i x -m gpt -v", "collect -i x"],
    ["rollcall", "eval run --no-serve --model-url=http://h --split train -i x", "collect -i x"],
    ["rollcall", "eval run --no-serve -- --config x", "collect -- --config x"],
    ["rollcall", "eval run --no-serve --help", "collect --help"],
    ["rollcall", "eval run -h", "collect -h"],
    ["rollcall", "eval aggregate -i a* -o b --config c", "aggregate -i a* -o b"],
    ["rollcall", "eval health-check dir --ignore a,b", "health dir --ignore a,b"],
    ["rollcall", "help eval run", "collect --help"],
    ["rollcall", "help eval", "eval --help"],
    ["rollcall", "eval", "eval --help"],
    ["rollcall", "eval -h", "eval --help"],
    ["ng_collect_rollouts", "+input_jsonl_fpath=x ++limit=1", "collect +input_jsonl_fpath=x ++limit=1"],
    ["nemo_gym_collect_rollouts", "--input x --config a", "collect --input x"],
    ["ng_aggregate_rollouts", "+input_glob=x", "aggregate +input_glob=x"],
  ]
) {
  Deno.test(`rollcallArgs() of ${name} ${args} is rollcall ${wanted}`, () => {
    assert.equal(call(name!, ...args!.split(" ").filter(Boolean)).args.join(" "), wanted);
  });
}

Deno.test("rollcallArgs() names the flags that it ignores, each once and without its value", () => {
  const { notes } = call(
    "rollcall",
    "eval",
    "run",
    "--no-serve",
    "--config",
    "a",
    "--config",
    "b",
    "--model-api-key",
    "sk-hush",
    "--model=m",
    "-v",
  );
  assert.deepEqual(notes, ["Ignored, since they are for starting servers:\n  --model-api-key\n  --model"]);
  assert.deepEqual(call("rollcall", "eval", "run", "--no-serve", "-v").notes, []);
  assert.match(
    call("rollcall", "eval", "run", "--no-serve", "-m", "x").notes.join(),
    /for starting servers:\n {2}-m$/,
  );
});

Deno.test("rollcallArgs() hands over the folders of --search-dir", () => {
  const { searchDirs, notes } = call(
    "ng_collect_rollouts",
    "--search-dir",
    "a",
    "--search-dir=b",
    "+limit=1",
  );
  assert.deepEqual([searchDirs, notes], [["a", "b"], []]);
});

for (
  const [name, args, message] of [
    ["rollcall", "eval run -i x", /^Starting the servers is not available yet in this version: .*--no-serve/],
    ["ng_e2e_collect_rollouts", "+split=train", /^Starting the servers is not available yet/],
    ["rollcall", "eval run --no-serve --agent-type a", /^--agent-type .*does not go with --no-serve/],
    ["rollcall", "eval run --no-serve --config", /^--config needs a value\.$/],
    [
      "rollcall",
      "eval prepare",
      /^rollcall does not replace Gym's eval prepare: call gym eval prepare …\. .*eval run, eval aggregate, /,
    ],
    ["rollcall", "eval submit x", /^rollcall does not replace Gym's eval submit: call gym eval submit/],
    ["rollcall", "eval export", /call gym eval export/],
    ["rollcall", "eval reverify", /call gym eval reverify/],
    ["rollcall", "reverify --x", /^rollcall does not replace Gym's eval reverify: call gym eval reverify …/],
    ["rollcall", "env start", /^rollcall does not replace Gym's env: call gym env …/],
    ["rollcall", "dataset", /call gym dataset/],
    ["rollcall", "eval agregate", /\(did you mean "eval aggregate"\?\)/],
    ["rollcall", "eval --no-serve run", /^rollcall has no "eval --no-serve"/],
    ["rollcall", "eval toString", /^rollcall has no "eval toString"/],
    ["ng_status", "", /^This is rollcall, called as ng_status, .*ng_collect_rollouts/],
    ["ng_constructor", "", /called as ng_constructor/],
  ] as const
) {
  Deno.test(`rollcallArgs() refuses ${name} ${args}`, () => {
    assert.match(refused(name, ...args.split(" ").filter(Boolean)), message);
  });
}

Deno.test("rollcallArgs() hands over the files that flags name, in the order in which Gym merges them", () => {
  const flags =
    "--model-type vllm/fast --resources-server b --config x.yaml --benchmark=a --environment e/f --config=y.yaml";
  const { gymFiles, notes } = call("rollcall", "eval", "run", "--no-serve", ...flags.split(" "));
  assert.deepEqual(gymFiles!.map(({ path, component }) => component?.paths ?? [path]), [
    ["x.yaml"],
    ["y.yaml"],
    ["benchmarks/a/config.yaml"],
    ["environments/e/f/config.yaml", "environments/e/f.yaml"],
    ["resources_servers/b/configs/b.yaml"],
    ["responses_api_models/vllm/configs/fast.yaml"],
  ]);
  assert.deepEqual(notes, []);
  assert.equal(call("rollcall", "collect", "--config", "x.yaml").gymFiles, undefined);
});
