/** What users met whose metrics were wrong, or not there. */
import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "../_rollcall.ts";

const ARGS = ["collect", "-i", "tasks.jsonl", "-o", "runs/a.jsonl"];

Deno.test("metrics of healthy agents are written when another agent's server fails, and the way out is named", async () => {
  await using well = new Gym();
  await using ill = new Gym();
  ill.aggregate = () => ({ status: 413, body: "too large" });
  await using scratch = new Scratch();
  const text = Deno.readTextFileSync(scratch.at(scratch.tasks(2)));
  scratch.write("tasks.jsonl", text + text.replaceAll('"a"', '"b"'));
  const servers = [...well.flag, "--server", `b=${ill.url}`];
  const { code, out, err } = await rollcall([...ARGS, ...servers, "--json"], { cwd: scratch.path });
  assert.equal(code, 1, err);
  const written = JSON.parse(scratch.snapshot()["runs/a_aggregate_metrics.json"]!);
  assert.deepEqual(written.map((group: { agent_ref: { name: string } }) => group.agent_ref.name), ["a"]);
  assert.match(err, /413/);
  assert.match(err, /rollcall aggregate [^\n]*--offline|--offline/);
  assert.match(JSON.parse(out).error, /\bb\b/);
});

Deno.test("rows in the output that no plan owes are said and left out, unless they are asked for", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  const at = { cwd: scratch.path };
  scratch.tasks(2);
  assert.equal((await rollcall([...ARGS, ...gym.flag], at)).code, 0);
  const stranger =
    '{"_ng_task_index":99,"_ng_rollout_index":0,"agent_ref":{"name":"a"},"reward":100,"response":{}}\n';
  Deno.writeTextFileSync(scratch.at("runs/a.jsonl"), stranger, { append: true });
  const scored = async (...more: string[]) => {
    const args = ["aggregate", "--offline", "-i", "runs/a.jsonl", "-o", "all.jsonl", "--json", ...more];
    const { code, out, err } = await rollcall(args, at);
    assert.equal(code, 0, err);
    return { rows: JSON.parse(out).metrics[0].rows, err };
  };
  const left = await scored();
  assert.equal(left.rows, 2);
  assert.match(left.err, /--score-unplanned/);
  assert.equal((await scored("--score-unplanned")).rows, 3);
  const resumed = await rollcall([...ARGS, ...gym.flag, "--resume", "--json"], at);
  assert.equal(JSON.parse(resumed.out).metrics[0].rows, 2);
  assert.match(resumed.err, /1 row of .*a\.jsonl belongs to no row of/);
  // Gym's own output, or a shard alone: nobody knows what was owed.
  Deno.removeSync(scratch.at("runs/a_materialized_inputs.jsonl"));
  assert.equal((await scored()).rows, 3);
});

Deno.test("messages about rows of the input name the tasks' own ids, not only line numbers", async () => {
  await using scratch = new Scratch();
  const row = (id: string) => `{${id},"agent_ref":{"name":"nobody"},"responses_create_params":{}}\n`;
  const ids = [
    '"task_id":{"taskset":"algebra","task_id":"17"}',
    '"instance_id":"django-1","id":5',
    '"problem_id":-3',
  ];
  scratch.write("tasks.jsonl", ids.map(row).join(""));
  for (const [id, own] of [[ids[1], "django-1"], [ids[2], "-3"]] as const) {
    scratch.write("tasks.jsonl", row(id!));
    const { code, err } = await rollcall([...ARGS, "--server=a=http://127.0.0.1:1"], { cwd: scratch.path });
    assert.equal(code, 2);
    assert.ok(err.includes(own), err);
  }
});
