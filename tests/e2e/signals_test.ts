import assert from "node:assert/strict";
import { Gate, Gym, type Process, reward, Scratch, start } from "./_rollcall.ts";

/** A run of ten tasks, three at a time, whose server holds every answer until the gate opens. */
class Held implements AsyncDisposable {
  readonly gate = new Gate();
  readonly gym = new Gym(async () => {
    await this.gate.passed;
    return reward(1);
  });
  readonly scratch = new Scratch();
  readonly process: Process;

  constructor(args: readonly string[] = []) {
    this.scratch.tasks(10);
    this.process = start(
      ["collect", "-i", "tasks.jsonl", "-o", "out/r.jsonl", "-c", "3", "--json", ...this.gym.flag, ...args],
      { cwd: this.scratch.path },
    );
  }

  /** Resolves once three rollouts are in flight. */
  inFlight(): Promise<void> {
    return this.process.until(this.gym.hasSeen(3));
  }

  /** The counts of the summary, after its end. */
  async ends(): Promise<{ code: number; err: string; summary: Record<string, unknown> }> {
    const { code, out, err } = await this.process.ends();
    assert.equal(out.split("\n").length, 2, `one object on standard output, got ${out}`);
    return { code, err, summary: JSON.parse(out) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await this.gym[Symbol.asyncDispose]();
    await this.scratch[Symbol.asyncDispose]();
  }
}

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 75], ["SIGUSR1", 75]] as const) {
  Deno.test(`rollcall collect lets rollouts in flight end after ${signal}, starts nothing new, ends with ${code}`, async () => {
    await using run = new Held(["--grace", "3600"]);
    await run.inFlight();
    run.process.kill(signal);
    await run.process.says(new RegExp(`Stopping \\(${signal}\\)`));
    run.gate.open();
    const ended = await run.ends();
    assert.equal(ended.code, code, ended.err);
    const { ending, signal: told, done, left } = ended.summary;
    assert.deepEqual([ending, told, done, left], ["stopped", signal, 3, 7]);
    assert.equal(run.gym.seen.length, 3);
    assert.equal(run.scratch.rows("out/r.jsonl").length, 3);
    assert.deepEqual(run.scratch.rows("out/r_failures.jsonl"), []);
    assert.ok(!("out/r_aggregate_metrics.json" in run.scratch.snapshot()));
    assert.ok(!("out/r.lock" in run.scratch.snapshot()));
    assert.match(ended.err, /--resume/);
  });

  Deno.test(`rollcall collect abandons rollouts in flight at once on a second ${signal}`, async () => {
    await using run = new Held(["--grace", "3600"]);
    await run.inFlight();
    run.process.kill(signal);
    await run.process.says(/Stopping/);
    run.process.kill(signal);
    const ended = await run.ends();
    assert.equal(ended.code, code, ended.err);
    assert.deepEqual([ended.summary.done, ended.summary.left], [0, 10]);
    assert.deepEqual(run.scratch.rows("out/r.jsonl"), []);
    assert.deepEqual(run.scratch.rows("out/r_failures.jsonl"), []);
  });
}

Deno.test("rollcall collect abandons rollouts in flight when the grace is over", async () => {
  await using run = new Held(["--grace", "0.1"]);
  await run.inFlight();
  run.process.kill("SIGTERM");
  const { code, summary } = await run.ends();
  assert.equal(code, 75);
  assert.deepEqual([summary.ending, summary.done, summary.left], ["stopped", 0, 10]);
  assert.deepEqual(run.scratch.rows("out/r.jsonl"), []);
});

Deno.test("rollcall collect goes on when its terminal goes away", async () => {
  await using run = new Held();
  await run.inFlight();
  run.process.kill("SIGHUP");
  run.gate.open();
  const { code, summary, err } = await run.ends();
  assert.equal(code, 0, err);
  assert.equal(summary.done, 10);
});

Deno.test("rollcall collect is complete, with 0, when everything was in flight as the signal came", async () => {
  await using run = new Held(["--limit", "3"]);
  await run.inFlight();
  run.process.kill("SIGINT");
  await run.process.says(/Stopping/);
  run.gate.open();
  const { code, summary } = await run.ends();
  assert.equal(code, 0);
  assert.deepEqual([summary.ending, summary.done, summary.left], ["complete", 3, 0]);
  assert.ok("out/r_aggregate_metrics.json" in run.scratch.snapshot());
});

Deno.test("rollcall collect stops waiting for metrics when the grace is over, and can be resumed", async () => {
  await using scratch = new Scratch();
  scratch.tasks(1);
  await using gym = new Gym();
  const held = Promise.withResolvers<never>();
  gym.aggregate = () => held.promise;
  await using process = start(
    ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", ...gym.flag, "--grace", "0.05", "--json"],
    { cwd: scratch.path },
  );
  await process.until(gym.hasSeen(2));
  process.kill("SIGTERM");
  const { code, out, err } = await process.ends();
  assert.equal(code, 75, err);
  const { ending, done, left, metrics } = JSON.parse(out);
  assert.deepEqual([ending, done, left, metrics], ["stopped", 1, 0, null]);
  assert.equal(scratch.rows("r.jsonl").length, 1);
});

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 75]] as const) {
  Deno.test(`rollcall collect ends at once at ${signal} while it still reads its input, and touches nothing`, async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.write("out/r.jsonl", "earlier\n");
    scratch.write("out/r_materialized_inputs.jsonl", "earlier\n");
    const before = scratch.snapshot();
    using watcher = Deno.watchFs(scratch.at("out"));
    await using process = start(
      ["collect", "-i", "-", "-o", "out/r.jsonl", "--interleave-repeats", "-n", "2", ...gym.flag],
      { cwd: scratch.path, input: true },
    );
    for await (const { paths } of watcher) {
      if (paths.some((path) => /_materialized_inputs.*new/.test(path))) break;
    }
    process.kill(signal);
    const ended = await process.ends();
    assert.equal(ended.code, code, ended.err);
    assert.match(ended.err, new RegExp(`Stopped by ${signal} before anything was sent`));
    assert.deepEqual(scratch.snapshot(), before);
    await process.closeInput();
  });
}

/**
 * Sends a signal, by its number, as soon as a process listens. That it does shows at SIGUSR1 (10), the last to get its
 * listener: the runtime itself catches some of the others before.
 */
const AT_ONCE = `
while true; do
  while read -r key value; do [ "$key" = SigCgt: ] && break; done < "/proc/$1/status" || exit 1
  (( (16#$value >> 9) & 1 )) && kill "-$2" "$1" && exit
done`;

async function killAtOnce({ child: { pid } }: Process, signal: number): Promise<void> {
  const { success } = await new Deno.Command("bash", { args: ["-c", AT_ONCE, "-", `${pid}`, `${signal}`] })
    .output();
  assert.ok(success, "it ended without listening");
}

for (
  const [signal, number, code] of [["SIGINT", 2, 130], ["SIGTERM", 15, 75], ["SIGUSR1", 10, 75]] as const
) {
  Deno.test({
    name: `rollcall collect that gets ${signal} while it is being loaded sends nothing and says so`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      await using gym = new Gym();
      const held = Promise.withResolvers<never>();
      gym.head = () => held.promise; // so that it gets no further if the signal comes late
      await using scratch = new Scratch();
      scratch.tasks(3);
      const before = scratch.snapshot();
      await using process = start(
        ["collect", "-i", "tasks.jsonl", "-o", "new/r.jsonl", "--head", `127.0.0.1:${gym.port}`],
        { cwd: scratch.path },
      );
      await killAtOnce(process, number);
      const ended = await process.ends();
      assert.deepEqual(
        [ended.code, ended.err],
        [code, `Stopped by ${signal} before anything was sent. Nothing was touched.\n`],
      );
      assert.deepEqual(gym.asked, []);
      assert.deepEqual(scratch.snapshot(), before);
    },
  });
}

Deno.test("rollcall collect ends at once at a signal while it waits for its head server", async () => {
  await using gym = new Gym();
  const held = Promise.withResolvers<never>();
  gym.head = () => held.promise;
  await using scratch = new Scratch();
  scratch.tasks(1);
  const before = scratch.snapshot();
  await using process = start(
    ["collect", "-i", "tasks.jsonl", "-o", "new/folder/r.jsonl", "--head", `127.0.0.1:${gym.port}`],
    { cwd: scratch.path },
  );
  await process.until(gym.hasSeen(1));
  process.kill("SIGTERM");
  assert.equal((await process.ends()).code, 75);
  assert.deepEqual(scratch.snapshot(), before, "not even the folder of the output stays");
});

Deno.test("rollcall collect that was killed leaves whole lines, and blocks nobody", async () => {
  const gate = new Gate();
  await using gym = new Gym(async ({ n }) => {
    if (n >= 4) await gate.passed;
    return reward(1);
  });
  await using scratch = new Scratch();
  scratch.tasks(10);
  const args = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", "-c", "2", ...gym.flag];
  await using first = start(args, { cwd: scratch.path });
  await first.until(gym.hasSeen(6)); // four are done, two are held
  first.kill("SIGKILL");
  await first.ends();
  const rows = scratch.rows("r.jsonl");
  assert.equal(new Set(rows.map((row) => row._ng_task_index)).size, rows.length);
  assert.ok(rows.length <= 4);
  gate.open();
  await using second = start(args, { cwd: scratch.path });
  const { code, err } = await second.ends();
  assert.equal(code, 0, err);
  assert.equal(scratch.rows("r.jsonl").length, 10);
  assert.equal(Deno.readTextFileSync(scratch.at("r.jsonl.old")).split("\n").length - 1, rows.length);
});

Deno.test("rollcall collect refuses an output that another one collects into, and leaves that one alone", async () => {
  await using run = new Held();
  await run.inFlight();
  const before = run.scratch.snapshot();
  await using second = start(
    ["collect", "-i", "tasks.jsonl", "-o", "out/r.jsonl", ...run.gym.flag],
    { cwd: run.scratch.path },
  );
  const { code, err } = await second.ends();
  assert.equal(code, 2, err);
  const { pid, host } = JSON.parse(before["out/r.lock"]!);
  assert.equal(pid, run.process.child.pid);
  assert.ok(err.includes(`process ${pid} on ${host}`), err);
  const lease = (files: Record<string, string>) => ({ ...files, "out/r.lock": "" }); // it beats meanwhile
  assert.deepEqual(lease(run.scratch.snapshot()), lease(before));
  assert.equal(run.gym.seen.length, 3);
  run.gate.open();
  assert.equal((await run.ends()).code, 0);
  assert.equal(run.scratch.rows("out/r.jsonl").length, 10);
});
