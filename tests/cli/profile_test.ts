/** `rollcall profile`, on files. */
import assert from "node:assert/strict";
import { profileSchema } from "../../src/report/profile_schema.ts";
import { FakeWorld } from "../fakes/fake_world.ts";
import { lines, planned, result, type Row } from "./_runs.ts";

/** Task 0 always, 1 sometimes, 2 never, 3 without a reward; algebra and geometry. */
const REWARDS: (readonly unknown[])[] = [[1, 1], [1, 0], [0, 0], [null, undefined]];
const usage = (model: string) => ({ response: { model, usage: { input_tokens: 1000, output_tokens: 500 } } });

const FILES = {
  "r.jsonl": lines(
    REWARDS.flatMap((rewards, task) =>
      rewards.flatMap((reward, k) =>
        reward === undefined ? [] : [result(task, k, reward, usage(k ? "m" : "n"))]
      )
    ),
  ),
  "r_materialized_inputs.jsonl": lines(
    REWARDS.flatMap((_, task) =>
      [0, 1].map((k) =>
        planned(task, k, { id: `t${task}`, meta: { subject: task < 2 ? "algebra" : 'a "b", c' } })
      )
    ),
  ),
  "r_failures.jsonl": lines([{ ...planned(3, 1), ...usage("m"), _ng_failure_class: "x" }]),
  "prices.jsonc": '{"m": {"input": 1, "output": 2}} // USD',
};

async function profiled(args: readonly string[], files: Record<string, string> = FILES) {
  using fake = new FakeWorld({ args: ["profile", ...args], files });
  const code = await fake.run();
  const { stdout, stderr } = fake.terminal;
  return { code, stdout, stderr, words: stdout.replace(/\s+/g, " "), files: fake.list() };
}

async function json(args: readonly string[], files?: Record<string, string>) {
  const { code, stdout, stderr } = await profiled([...args, "--json"], files);
  assert.equal(code, 0, stderr);
  return profileSchema.parse(JSON.parse(stdout));
}

Deno.test("a profile says means, passes, tasks, tokens and cost", async () => {
  const { code, words } = await profiled(["r.jsonl", "--by", "meta.subject", "--prices", "prices.jsonc"]);
  assert.equal(code, 0);
  for (
    const text of [
      /^a: 4 tasks, 6 of 8 rollouts with a reward, 1 without a reward, 1 failed /,
      / reward 0\.5 ± 0\.2887 \(standard error\), 95 %: 0\.\d+ to 0\.\d+/,
      /Wilson's interval/,
      /rough: fewer than 50 tasks/,
      / rewards 0: 3, 1: 3 /,
      / k pass@k 95 % pass\^k 95 % tasks /,
      / 2 0\.6667 \S+ 0\.3333 \S+ 3 /,
      /solved always 1, sometimes 1, never 1; surely always 0, surely never 0/,
      /1 task without a reward: 3 \(t3\)/,
      /7000 in, 3500 out/,
      /failed attempts: 1000 in, 500 out, by 1 of 1/,
      / cost \$0\.00800, of it \$0\.00200 for failed attempts; \$0\.00133 a reward/,
      /without a price, not counted: n/,
      /meta\.subject tasks .* a "b", c 2 2 0 .* algebra 2 4 0\.75 /,
    ]
  ) assert.match(words, text);
});

Deno.test("--json says the same, and lists each task", async () => {
  const { agents: [agent], groups, tasks } = await json(["r.jsonl", "--by", "meta.subject"]);
  assert.deepEqual(agent!.rollouts, {
    planned: 8,
    measured: 6,
    masked: 0,
    unscored: 1,
    failed: 1,
    missing: 0,
  });
  assert.deepEqual(agent!.passes.map(({ k, tasks, too_few }) => [k, tasks, too_few]), [[1, 3, 0], [2, 3, 0]]);
  assert.deepEqual(agent!.solved, { always: 1, sometimes: 1, never: 1, surely_always: 0, surely_never: 0 });
  assert.equal(agent!.cost_usd, null);
  assert.deepEqual(groups.map(({ by, tasks, reward }) => [by, tasks, (reward as Row).mean]), [
    ['a "b", c', 2, 0],
    ["algebra", 2, 0.75],
  ]);
  assert.deepEqual(tasks.map(({ id, pass_rate, solved }) => [id, pass_rate, solved]), [
    ["t0", 1, "always"],
    ["t1", 0.5, "sometimes"],
    ["t2", 0, "never"],
    ["t3", null, null],
  ]);
  const [, { pass_low, pass_high }] = tasks as [unknown, typeof tasks[number]];
  // scipy.stats.beta.ppf([0.025, 0.975], 1.5, 1.5)
  assert(Math.abs(pass_low! - 0.06083028) < 1e-6 && Math.abs(pass_high! - 0.93916972) < 1e-6, `${pass_low}`);
});

Deno.test("--csv has a line for each agent, group and task, with the same columns", async () => {
  const { stdout } = await profiled(["r.jsonl", "--csv", "--by", "meta.subject"]);
  const [heading, ...rows] = stdout.trimEnd().split("\n");
  assert.match(heading!, /^scope,agent,task,id,row,by,planned,.*,pass@1,.*,pass@2,/);
  assert.deepEqual(rows.map((row) => row.split(",")[0]), ["agent", "by", "by", ...Array(4).fill("task")]);
  const columns = new Set(
    [heading!, ...rows].map((row) => row.replace(/"[^,]*,[^,]*"/, "").split(",").length),
  );
  assert.equal(columns.size, 1);
  assert.match(rows[1]!, /^by,a,,,,"a ""b"", c",4,/);
});

Deno.test("--pass-at makes passes of graded rewards; without it they are said not to count", async () => {
  const graded = {
    "g.jsonl": lines([result(0, 0, 0.4), result(0, 1, 0.6), result(1, 0, 1), result(1, 1, 0)]),
  };
  const without = await profiled(["g.jsonl"], graded);
  assert.match(without.words, /1 task has rewards besides 0 and 1, and does not count here: --pass-at X/);
  const { agents } = await json(["g.jsonl", "--pass-at", "0.5"], graded);
  assert.deepEqual(agents[0]!.passes.map((pass) => pass["pass@k"].mean), [0.5, 1]);
  assert.equal(agents[0]!.graded_tasks, 0);
});

Deno.test("tasks with different numbers of rewards have another pooled mean, and it is said why", async () => {
  const rows = [result(0, 0, 1), result(1, 0, 0), result(1, 1, 0), result(1, 2, 0)];
  const { words } = await profiled(["u.jsonl"], { "u.jsonl": lines(rows) });
  assert.match(words, / reward 0\.5 /);
  assert.match(words, /mean\/reward over all rollouts is 0\.25: it differs since tasks have/);
  assert.match(words, / 3 0\.0000 0\.0000 1 1 have fewer rewards/);
  assert.match(words, /Without materialized inputs beside these rollouts/);
});

Deno.test("several files about one input add repeats; patterns leave out what lies beside rollouts", async () => {
  const inputs = lines([planned(0, 0)]);
  const files = {
    "s-1.jsonl": lines([result(0, 0, 1)]),
    "s-1_materialized_inputs.jsonl": inputs,
    "s-2.jsonl": lines([result(0, 0, 0)]),
    "s-2_materialized_inputs.jsonl": inputs,
    "s-1_reward_profiling.jsonl": "not a shard",
    "s-1_agent_metrics.json": "[]",
    "s-1_repeat_level_metrics.json": "[]",
  };
  const { files: read, tasks } = await json(["s-*"], files);
  assert.equal(read.length, 2);
  assert.deepEqual(tasks.map(({ measured, pass_rate }) => [measured, pass_rate]), [[2, 0.5]]);
});

for (
  const [args, why] of [
    [[], /Name a rollouts file/],
    [["nope.jsonl"], /There is no rollouts file nope\.jsonl/],
    [["r_failures.jsonl"], /not a rollouts file, by its name/],
    [["."], /\. is a folder/],
    [["r.jsonl", "--json", "--csv"], /choose one/],
    [["r.jsonl", "--pass-at", "x"], /--pass-at: needs a number/],
    [["r.jsonl", "--prices", "none.json"], /none\.json/],
    [["r.jsonl", "--prices", "bad.json"], /"m": needs input and output/],
    [["--inputs", "r_materialized_inputs.jsonl"], /belong together/],
    [["broken.jsonl"], /broken\.jsonl:1/],
    [["+nope=1"], /profile takes the overrides/],
  ] as const
) {
  Deno.test(`profile ${args.join(" ")} ends with 2 and says why`, async () => {
    const files = { ...FILES, "bad.json": '{"m": {"input": -1}}', "broken.jsonl": "{\n" };
    const { code, stderr, stdout } = await profiled(args, files);
    assert.equal(code, 2);
    assert.match(stderr, why);
    assert.equal(stdout, "");
  });
}

Deno.test("--by a field with very many values is refused", async () => {
  const inputs = Array.from({ length: 1001 }, (_, task) => planned(task, 0, { id: task }));
  const files = { "m.jsonl": "", "m_materialized_inputs.jsonl": lines(inputs) };
  const { code, stderr } = await profiled(["m.jsonl", "--by", "id"], files);
  assert.equal(code, 2);
  assert.match(stderr, /more than 1000 different values/);
});

const GYM_FILES = ["g_agent_metrics.json", "g_repeat_level_metrics.json", "g_reward_profiling.jsonl"];

for (
  const [name, args] of [
    ["rollcall", ["eval", "profile", "--inputs", "in.jsonl", "--rollouts", "g.jsonl"]],
    ["rollcall", ["profile", "--inputs", "in.jsonl", "--rollouts", "g.jsonl", "--json"]],
    ["ng_reward_profile", ["+materialized_inputs_jsonl_fpath=in.jsonl", "+rollouts_jsonl_fpath=g.jsonl"]],
    [
      "rollcall",
      ["eval", "profile", "--inputs", "in.jsonl", "--rollouts", "g.jsonl", "++allow_partial_rollouts=True"],
    ],
  ] as [string, string[]][]
) {
  Deno.test(`${name} ${args.join(" ")} writes Gym's files`, async () => {
    const isPartial = args.at(-1)!.includes("partial");
    using fake = new FakeWorld({
      name,
      args,
      files: {
        "in.jsonl": lines([planned(0, 0), planned(0, 1), ...(isPartial ? [planned(1, 0)] : [])]),
        "g.jsonl": lines([result(0, 0, 1), result(0, 1, 0)]),
      },
    });
    assert.equal(await fake.run(), 0, fake.terminal.stderr);
    assert.match(fake.terminal.stdout, /Gym's files of 2 of [23] rollouts/);
    for (const file of GYM_FILES) assert(fake.list().includes(file), file);
    const [task] = fake.text("g_reward_profiling.jsonl").trim().split("\n").map((line) =>
      JSON.parse(line) as Row
    );
    assert.equal(task!["mean/reward"], 0.5);
    assert.equal(fake.list().some((file) => /\.(new|index)$/.test(file)), false);
  });
}

Deno.test("Gym's eval profile refuses a run that lacks rollouts, as Gym does", async () => {
  using fake = new FakeWorld({
    args: ["eval", "profile", "--inputs", "in.jsonl", "--rollouts", "g.jsonl"],
    files: { "in.jsonl": lines([planned(0, 0), planned(0, 1)]), "g.jsonl": lines([result(0, 0, 1)]) },
  });
  assert.equal(await fake.run(), 2);
  assert.match(fake.terminal.stderr, /allow_partial_rollouts/);
  assert.equal(fake.list().includes("g_agent_metrics.json"), false);
});
