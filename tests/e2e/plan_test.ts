import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "./_rollcall.ts";

for (const command of [["plan"], ["collect", "--dry-run"]]) {
  Deno.test(`rollcall ${command.join(" ")} prints rows, routes, files and permissions, and touches nothing`, async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(3);
    const before = scratch.snapshot();
    const { code, out, err } = await rollcall(
      [...command, "-i", "tasks.jsonl", "-o", "out/r.jsonl", "-n", "2", "-c", "4", ...gym.flag],
      { cwd: scratch.path },
    );
    assert.equal(code, 0, err);
    assert.equal(err, "");
    assert.match(out, /3 rows/);
    assert.match(out, /6 rollouts/);
    assert.ok(out.includes(`${gym.url}/run`));
    for (
      const name of ["r.jsonl", "r_failures.jsonl", "r_materialized_inputs.jsonl", "r_aggregate_metrics.json"]
    ) {
      assert.ok(out.includes(scratch.at(`out/${name}`)), name);
    }
    assert.ok(out.includes(`connect to      127.0.0.1:${gym.port}\n`), out);
    assert.deepEqual(scratch.snapshot(), before);
    assert.deepEqual(gym.seen, []);
  });
}

Deno.test("rollcall plan --json prints the plan as one JSON object", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, out, err } = await rollcall(
    ["plan", "-i", "tasks.jsonl", "-o", "out/r.jsonl", "--json", "--head", `127.0.0.1:${gym.port}`],
    { cwd: scratch.path },
  );
  assert.equal(code, 0, err);
  const { rollouts, routes, permissions, files } = JSON.parse(out);
  assert.equal(rollouts, 3);
  assert.deepEqual(routes.map(({ url }: { url: string }) => url), [gym.url]);
  assert.deepEqual(permissions.net, [`127.0.0.1:${gym.port}`]);
  assert.ok(permissions.write.includes(files.rollouts));
  assert.deepEqual(Object.keys(scratch.snapshot()), ["tasks.jsonl"]);
});

Deno.test("rollcall plan finds what is wrong, as collect does", async () => {
  await using scratch = new Scratch();
  scratch.write("tasks.jsonl", "oops\n");
  const { code, out, err } = await rollcall(
    ["plan", "-i", "tasks.jsonl", "-o", "r.jsonl", "--server", "a=http://127.0.0.1:1"],
    { cwd: scratch.path },
  );
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /tasks\.jsonl:1/);
});
