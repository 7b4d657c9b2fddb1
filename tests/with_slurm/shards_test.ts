/** `rollcall submit slurm` on a real Slurm, whose configuration SLURM_CONF names; a stage of .ci/run of its own. */
import assert from "node:assert/strict";
import { COMMAND, environment, Gym, reward, rollcall, Scratch } from "../e2e/_rollcall.ts";

const SLURM_CONF = Deno.env.get("SLURM_CONF") ?? "";
/** Debian's libfaketime; the stage installs it. */
const FAKETIME = Deno.env.get("ROLLCALL_TEST_FAKETIME") ?? "";

/** Long enough for two minutes of Slurm's smallest time limit, and a busy machine. */
const TOO_LONG_MS = 300_000;

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + TOO_LONG_MS; Date.now() < end;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail(`${what}: not within ${TOO_LONG_MS / 1000} s`);
}

async function squeue(jobs: string): Promise<string> {
  const { stdout } = await new Deno.Command("squeue", {
    args: ["--noheader", `--jobs=${jobs}`, "--format=%i %T %r"],
    env: environment({ SLURM_CONF }),
    clearEnv: true,
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("eight shards on Slurm, one killed at its limit, one by SIGKILL, one an hour ahead, are one run in the end", async () => {
  assert.notEqual(SLURM_CONF, "");
  assert.notEqual(FAKETIME, "");
  /** Identities of shards 3 and 5 that were asked for and not answered: until one of them comes again. */
  const hung = { 3: new Set<string>(), 5: new Set<string>() }, isReleased = { 3: false, 5: false };
  let killed: Promise<void> | undefined;
  await using scratch = new Scratch();
  const kill = async () => {
    const lock = scratch.at("runs/a-shard-0005-of-0008.lock");
    const { pid } = await until("the lock of shard 5", () => JSON.parse(Deno.readTextFileSync(lock)));
    Deno.kill(pid, "SIGKILL");
  };
  await using gym = new Gym(async ({ n, row }) => {
    const shard = n % 8;
    if ((shard === 3 || shard === 5) && !isReleased[shard]) {
      const identity = `${n}-${row._ng_rollout_index}`;
      if (hung[shard].has(identity)) isReleased[shard] = true;
      else {
        hung[shard].add(identity);
        if (shard === 5) killed ??= kill();
        await new Promise(() => {});
      }
    }
    return reward(n % 3);
  });
  scratch.tasks(40);
  scratch.write(
    "rollcall.sh",
    `#!/bin/bash
if [ "\${SLURM_ARRAY_TASK_ID:-}" = 6 ]; then
  export LD_PRELOAD=${FAKETIME} FAKETIME=+1h DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1
fi
exec ${COMMAND.map((word) => `'${word}'`).join(" ")} "$@"
`,
  );
  Deno.chmodSync(scratch.at("rollcall.sh"), 0o755);
  const options = { cwd: scratch.path, env: { SLURM_CONF } };
  const collect = ["collect", "-i", "tasks.jsonl", "-n", "2", "-c", "4", "--grace", "1", "--no-slurm-budget"];
  const submit = [
    "submit",
    "slurm",
    "--shards",
    "8",
    "--time",
    "1:00",
    "--program",
    scratch.at("rollcall.sh"),
  ];
  const { code, out, err } = await rollcall(
    [...submit, "--", ...collect, ...gym.flag, "--quiet", "-o", "runs/a.jsonl"],
    options,
  );
  assert.equal(code, 0, err);
  const [, array, behind] = /job array (\d+) \(8 shards\), and job (\d+)/.exec(out) ?? assert.fail(out);
  await until("the jobs to end", async () => {
    const left = await squeue(`${array},${behind}`);
    return left.split("\n").every((line) =>
        line === "" || / (COMPLETED|FAILED|TIMEOUT|CANCELLED) /.test(line)
      )
      ? true
      : undefined;
  });
  await killed;
  assert.deepEqual(isReleased, { 3: true, 5: true }, "shards 3 and 5 were started again");

  const logs = Object.fromEntries(
    Object.entries(scratch.snapshot()).filter(([name]) => name.endsWith(".log")),
  );
  const rows = scratch.rows("runs/a.jsonl");
  const identities = rows.map((row) => `${row._ng_task_index}-${row._ng_rollout_index}`);
  const all = Array.from({ length: 40 }, (_, n) => [`${n}-0`, `${n}-1`]).flat();
  assert.deepEqual(identities, all, JSON.stringify(logs));
  const manifest = (shard: number) =>
    JSON.parse(Deno.readTextFileSync(scratch.at(`runs/a-shard-000${shard}-of-0008_manifest.json`)));
  for (const shard of [3, 5]) {
    const { runs } = manifest(shard);
    assert.ok(runs.length >= 2 && runs.at(-1).resumed, `shard ${shard} was resumed: ${JSON.stringify(runs)}`);
    assert.ok(runs.every((run: { readonly job: string }) => run.job === `${array}_${shard}`));
  }
  const ahead = Date.parse(manifest(6).runs[0].at) - Date.parse(manifest(0).runs[0].at);
  assert.ok(ahead > 45 * 60_000, `the clock of shard 6 was ahead by ${ahead} ms`);

  const whole = await rollcall([...collect, ...gym.flag, "-o", "whole.jsonl", "--quiet"], options);
  assert.equal(whole.code, 0, whole.err);
  const one = await rollcall(["aggregate", "-i", "whole.jsonl", "-o", "one.jsonl", ...gym.flag], options);
  assert.equal(one.code, 0, one.err);
  for (const name of [".jsonl", "_aggregate_metrics.json"]) {
    assert.equal(
      Deno.readTextFileSync(scratch.at(`runs/a${name}`)),
      Deno.readTextFileSync(scratch.at(`one${name}`)),
    );
  }
});
