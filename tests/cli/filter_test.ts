/** `rollcall filter`, on files. */
import assert from "node:assert/strict";
import { filterSchema } from "../../src/report/profile_schema.ts";
import { FakeWorld } from "../fakes/fake_world.ts";
import { lines, manifestOf, planned, result, type Row } from "./_runs.ts";

/** Lines with white space, numbers and escapes of their own, a blank one, and the first once more. */
const ROWS = [
  '{ "id": "t0", "level": 1.50, "subject": "al\\u0067ebra" }',
  '{"id":"t1","level":2,"subject":"geometry"}',
  '{"id":"t2","level":12345678901234567890,"subject":"algebra"}',
  '{"id":"t3"}',
];
const INPUT = `${ROWS[0]}\r\n${ROWS[1]}\n\n${ROWS[2]}\n${ROWS[0]}\n${ROWS[3]}`;
/** The rows that count, as the manifest's checksum has them. */
const COUNTED = `${[ROWS[0], ROWS[1], ROWS[2], ROWS[0], ROWS[3]].join("\n")}\n`;

const REWARDS: Record<number, readonly number[]> = { 0: [1, 1], 1: [1, 0], 2: [0, 0] };

function run(more: Record<string, string> = {}): Record<string, string> {
  const rows = Object.entries(REWARDS).flatMap(([task, rewards]) =>
    rewards.map((reward, k) => result(Number(task), k, reward, { turns: Number(task) }))
  );
  const inputs = ROWS.flatMap((row, task) =>
    [0, 1].map((k) => ({ ...JSON.parse(row) as Row, ...planned(task, k) }))
  );
  return {
    "tasks.jsonl": INPUT,
    "r.jsonl": lines(rows),
    "r_materialized_inputs.jsonl": lines(inputs),
    "r_manifest.json": manifestOf("tasks.jsonl", COUNTED),
    ...more,
  };
}

async function filtered(where: string, args: readonly string[] = [], files = run(), output = "out.jsonl") {
  using fake = new FakeWorld({
    args: ["filter", "r.jsonl", "--where", where, "-o", output, ...args],
    files,
  });
  const code = await fake.run();
  const { stdout, stderr } = fake.terminal, there = fake.list();
  return {
    code,
    stdout,
    stderr,
    there,
    text: there.includes("out.jsonl") ? fake.text("out.jsonl") : undefined,
  };
}

const [ZERO, ONE, TWO, THREE] = ROWS as [string, string, string, string];
/** The first line keeps its carriage return. */
const FIRST = `${ZERO}\r`;

for (
  const [where, kept] of [
    ["pass_rate > 0.1 and pass_rate < 0.9", [ONE]],
    ["pass_rate = 1", [FIRST, ZERO]],
    ["solved = 'never' or solved = 'always'", [FIRST, TWO, ZERO]],
    ["not pass_rate < 0.9", [FIRST, ZERO, THREE]],
    ["measured = 0", [THREE]],
    ["missing = 2", [THREE]],
    ["pass@2 = 1 and pass^2 = 0", [ONE]],
    ["mean/turns >= 1", [ONE, TWO]],
    ["input.subject = 'algebra'", [FIRST, TWO, ZERO]],
    ["input.level > 1.5", [ONE, TWO]],
    ["id = 't3' or task = 1", [ONE, THREE]],
    ["shrunk_rate > 0.3 and shrunk_rate < 0.7", [ONE]],
    ["pass_high < 0.8", [TWO]],
    ["1 = 2", []],
  ] as [string, string[]][]
) {
  Deno.test(`the lines of tasks with ${where} are kept, byte for byte`, async () => {
    const { code, text, stderr, there } = await filtered(where);
    assert.equal(code, 0, stderr);
    assert.equal(text, kept.map((line) => `${line}\n`).join(""));
    assert.match(stderr, new RegExp(`of 4 tasks kept: ${kept.length} of 5 lines, in out\\.jsonl\n$`));
    assert.deepEqual(there.filter((file) => /\.(new|index)$/.test(file)), []);
  });
}

Deno.test("--json says what was kept", async () => {
  const { stdout } = await filtered("pass_rate = 1", ["--json"]);
  const { output: _, input: __, ...counts } = filterSchema.parse(JSON.parse(stdout));
  assert.deepEqual(counts, { tasks: 4, kept_tasks: 1, lines: 5, kept_lines: 2 });
});

Deno.test("a limit of the run is one of the lines that are looked at", async () => {
  const limited = run({ "r_manifest.json": manifestOf("tasks.jsonl", `${ZERO}\n${ONE}\n`, { limit: 2 }) });
  const { code, text } = await filtered("task >= 0", [], limited);
  assert.equal(code, 0);
  assert.equal(text, `${FIRST}\n${ONE}\n`);
});

Deno.test("graded rewards are told of where the condition is about passes", async () => {
  const graded = run({ "r.jsonl": lines([result(0, 0, 0.4), result(0, 1, 0.6), result(1, 0, 1)]) });
  const { text, stderr } = await filtered("pass_rate > 0", [], graded);
  assert.equal(text, `${ONE}\n`);
  assert.match(stderr, /1 task has rewards besides 0 and 1/);
  assert.equal(
    (await filtered("pass_rate > 0", ["--pass-at", "0.5"], graded)).text,
    `${FIRST}\n${ONE}\n${ZERO}\n`,
  );
  assert.doesNotMatch((await filtered("mean > 0", [], graded)).stderr, /besides/);
});

Deno.test("a task is kept if the condition holds for one of its agents", async () => {
  const two = run({
    "r.jsonl": lines([result(1, 0, 0), result(1, 1, 1, { agent_ref: { name: "b" } })]),
    "r_materialized_inputs.jsonl": lines([planned(1, 0), planned(1, 1, { agent_ref: { name: "b" } })]),
  });
  assert.equal((await filtered("agent = 'b' and pass_rate = 1", [], two)).text, `${ONE}\n`);
  assert.equal((await filtered("agent = 'a' and pass_rate = 1", [], two)).text, "");
});

for (
  const [name, given, files, why] of [
    ["the input has changed", {}, { "tasks.jsonl": `${INPUT} ` }, /not what the run read/],
    ["the input has rows that are none", {}, { "tasks.jsonl": "{\n[]\n" }, /not what the run read/],
    [
      "the input was standard input",
      {},
      { "r_manifest.json": manifestOf("-", COUNTED) },
      /from standard input/,
    ],
    [
      "the input is gone",
      {},
      { "r_manifest.json": manifestOf("gone.jsonl", COUNTED) },
      /gone\.jsonl .* is not there/,
    ],
    ["there is no manifest", {}, { "r_manifest.json": "{}" }, /Without a manifest that names the input/],
    ["the output is there", {}, { "out.jsonl": "mine\n" }, /is there already: .*--force/],
    ["the output is the input", { output: "tasks.jsonl" }, {}, /is the input itself/],
    ["the output is one of the run's files", { output: "r_failures.jsonl" }, {}, /is a file of the run/],
    ["the output is a folder", { output: "." }, {}, /is a folder/],
    ["the condition is none", { where: "pass_rate >" }, {}, /at character 12/],
    ["the cost is asked for without prices", { where: "cost > 1" }, {}, /needs --prices/],
  ] as [string, { where?: string; output?: string }, Record<string, string>, RegExp][]
) {
  Deno.test(`nothing is written when ${name}`, async () => {
    const { where = "task >= 0", output = "out.jsonl" } = given, before = run(files);
    const { code, stderr, text, there } = await filtered(where, [], before, output);
    assert.equal(code, 2);
    assert.match(stderr, why);
    assert.equal(text, before["out.jsonl"]);
    assert.deepEqual(there, Object.keys(before).sort());
  });
}

Deno.test("an input that was moved is found beside the rollouts, or named; its checksum decides", async () => {
  const moved = (more: Record<string, string>) =>
    run({ "r_manifest.json": manifestOf("elsewhere/tasks.jsonl", COUNTED), ...more });
  assert.equal((await filtered("task = 1", [], moved({}))).text, `${ONE}\n`);
  const files = moved({ "tasks.jsonl": "", "other.jsonl": INPUT });
  assert.equal((await filtered("task = 1", ["--input", "other.jsonl"], files)).text, `${ONE}\n`);
  assert.equal((await filtered("task = 1", ["-i", "nope.jsonl"], files)).code, 2);
});

Deno.test("--force replaces the output", async () => {
  const { code, text } = await filtered("task = 1", ["--force"], run({ "out.jsonl": "old\n" }));
  assert.equal(code, 0);
  assert.equal(text, `${ONE}\n`);
});

Deno.test("runs of different inputs are refused; runs of one add repeats", async () => {
  const other = (input: string) =>
    run({
      "s.jsonl": lines([result(1, 0, 1), result(1, 1, 1)]),
      "s_materialized_inputs.jsonl": run()["r_materialized_inputs.jsonl"]!,
      "s_manifest.json": manifestOf("tasks.jsonl", input),
    });
  const same = await filtered("pass_rate = 0.75", ["s.jsonl"], other(COUNTED));
  assert.equal(same.text, `${ONE}\n`, same.stderr);
  const different = await filtered("pass_rate = 0.75", ["s.jsonl"], other("x"));
  assert.equal(different.code, 2);
  assert.match(different.stderr, /different inputs/);
});
