/** Gym's configuration files in calls in Gym's spelling; what each call does was seen of Gym 0.7.0. */
import assert from "node:assert/strict";
import { FakeWorld, headAnswer } from "../fakes/fake_world.ts";

const HEAD = "http://127.0.0.1:11000/global_config_dict_yaml";
const SERVERS = { a: { responses_api_agents: { simple: { host: "127.0.0.1", port: 8001 } } } };
const ROW = '{"agent_ref":{"name":"a"},"responses_create_params":{"input":"x"}}\n';

const FILES = {
  "in.jsonl": ROW.repeat(5),
  "c.yaml": "num_repeats: 3\nlimit: 2\n",
  "c2.yaml": "num_repeats: 2\n",
  "outer.yaml": "config_paths: [c.yaml]\nlimit: 1\n",
  "circle.yaml": "config_paths: [circle2.yaml]\nlimit: 1\n",
  "circle2.yaml": "config_paths: [circle.yaml]\nnum_repeats: 2\nlimit: 3\n",
  "defaults.yaml": "defaults: [c]\nlimit: 4\n",
  "empty.yaml": "",
  "odd.yaml": "num_repeets: 3\n",
  "text.yaml": "num_repeats: '3'\nlimit: '2'\n",
  "references.yaml": "n: 3\nnum_repeats: ${n}\nlimit: ${oc.env:LIM,2}\n",
  "server.yaml": "quiz:\n  resources_servers:\n    quiz:\n      host: h\n      port: 1\nlimit: 2\n",
  "conf/only_here.yaml": "limit: 1\n",
  "benchmarks/b/config.yaml": "responses_create_params: {temperature: 0.5}\nlimit: 3\n",
  "open.yaml": "agent_name: ???\n",
  "bad.yaml": "limit: [1:\n",
};

async function ran(
  args: string,
  more: { files?: Record<string, string>; env?: Record<string, string> } = {},
) {
  using fake = new FakeWorld({
    args: `${args} -i in.jsonl -o out/r.jsonl --dry-run --json`.split(" "),
    files: { ...FILES, ...more.files },
    env: more.env ?? {},
    answers: { [HEAD]: headAnswer(SERVERS) },
  });
  const code = await fake.run();
  const { stdout, stderr } = fake.terminal;
  return { code, stderr, rollouts: code === 0 ? JSON.parse(stdout).rollouts as number : undefined };
}

for (
  const [args, rollouts] of [
    ["", 5],
    ["--config c.yaml", 6],
    ["+config_paths=[c.yaml]", 6],
    ["--config c.yaml --num-repeats 1", 2],
    ["--config c.yaml +num_repeats=1", 2],
    ["--config c.yaml ++num_repeats=1", 2],
    ["--config c.yaml --config c2.yaml", 4],
    ["--config c2.yaml --config c.yaml", 6],
    ["--config c.yaml +config_paths=[c2.yaml]", 4],
    ["--config c.yaml ++config_paths=[c2.yaml]", 10],
    ["--config c.yaml --config c.yaml", 6],
    ["--config outer.yaml", 3],
    ["--config circle.yaml", 2],
    ["--config defaults.yaml", 4],
    ["--config empty.yaml", 5],
    ["--config odd.yaml", 5],
    ["--config text.yaml", 6],
    ["--config references.yaml", 6],
    ["--config server.yaml", 2],
    ["--search-dir conf --config only_here.yaml", 1],
    ["--benchmark b", 3],
    ["--model x --model-url http://x --split train -v", 5],
  ] as const
) {
  Deno.test(`eval run --no-serve ${args} plans ${rollouts} rollouts, as Gym does`, async () => {
    const { code, stderr, rollouts: got } = await ran(`eval run --no-serve ${args}`.trim());
    assert.deepEqual([code, got], [0, rollouts], stderr);
  });
}

for (
  const [args, message] of [
    ["--config nothere.yaml", /^rollcall: Cannot find nothere\.yaml \(--config nothere\.yaml\)/],
    ["+config_paths=[nothere.yaml]", /Cannot find nothere\.yaml \(config_paths=\[nothere\.yaml\]\)/],
    ["+config_paths=c.yaml", /\+config_paths=…: config_paths must be a list of paths/],
    ["--benchmark aime2", /Cannot find benchmarks\/aime2\/config\.yaml \(--benchmark aime2\).*--search-dir/],
    ["--config bad.yaml", /Cannot read bad\.yaml:1:\d+ as YAML/],
    ["--config only_here.yaml", /Cannot find only_here\.yaml/],
    ["--config open.yaml", /agent_name \(open\.yaml\): is still \?\?\?: it needs a value/],
    ["--config conf", /Cannot use conf .*it is a folder/],
  ] as [string, RegExp][]
) {
  Deno.test(`eval run --no-serve ${args} is refused`, async () => {
    const { code, stderr } = await ran(`eval run --no-serve ${args}`);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}

Deno.test("env.yaml is read without being asked for, wins over files and loses to flags, as in Gym", async () => {
  const files = { "env.yaml": "limit: 1\npolicy_api_key: hush\n" };
  const planned = async (args: string) => (await ran(`eval run --no-serve${args}`, { files })).rollouts;
  assert.deepEqual([await planned(""), await planned(" --config c.yaml")], [1, 3]);
  assert.equal(await planned(" --config c.yaml --limit 3"), 9);
  // rollcall's own spelling does not look for it.
  assert.equal((await ran("collect", { files })).rollouts, 5);
});

Deno.test("what goes unused of Gym's files is named, without values", async () => {
  const files = { "c.yaml": "policy_api_key: hush\nnum_repeets: 3\nlimit: 1\n" };
  const { stderr, rollouts } = await ran("eval run --no-serve --config c.yaml --model hush", { files });
  assert.equal(rollouts, 1);
  assert.match(stderr, /Ignored, since they are for starting servers:\n {2}--model\n/);
  assert.match(stderr, /Ignored, since they belong to the servers:\n {2}policy_api_key \(c\.yaml\)\n/);
  assert.match(
    stderr,
    /there are no such keys:\n {2}num_repeets \(c\.yaml\) \(did you mean "num_repeats"\?\)\n/,
  );
  assert.doesNotMatch(stderr, /hush/);
});

Deno.test("a key that another one refers to is used, and not named among the ignored", async () => {
  const files = { "c.yaml": "n: 1\nm: {k: 2}\nz: 3\nlimit: ${n}\nnum_repeats: ${m.k}\n" };
  const { stderr, rollouts } = await ran("eval run --no-serve --config c.yaml", { files });
  assert.equal(rollouts, 2);
  assert.match(stderr, /there are no such keys:\n {2}z \(c\.yaml\)\n/);
});

Deno.test("collect takes the word config_paths as eval run does", async () => {
  assert.equal((await ran("collect +config_paths=[c.yaml]")).rollouts, 6);
});
