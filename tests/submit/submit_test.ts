/** Job scripts: what they hold, and that shells read them back. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { commandLines, shellWord } from "../../src/submit/shell.ts";
import { afterArray, collectJob, limitSeconds, submission } from "../../src/submit/slurm_jobs.ts";

const RUN = {
  program: "rollcall",
  shards: 64,
  atOnce: 16,
  name: "rollcall-a",
  collect: ["collect", "-i", "t.jsonl", "-o", "runs/a.jsonl"],
  aggregate: ["aggregate", "--input-glob", "runs/a-shard-*-of-0064.jsonl", "--output", "runs/a.jsonl"],
  graceS: 30,
};
const SLURM = { time: "4:00:00", log: "runs/a-slurm", sbatch: ["partition=cpu", "comment=two words"] };

async function bash(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const { code, stdout } = await new Deno.Command("bash", { args: [...args], stderr: "inherit" }).output();
  return { code, out: new TextDecoder().decode(stdout) };
}

Deno.test("a shell reads every word back as it was", async () => {
  const words = fc.array(fc.string({ unit: "binary" }).filter((word) => !/[\0\p{Cs}]/u.test(word)), {
    minLength: 1,
  });
  const samples = [...fc.sample(words, { numRuns: 40, seed: 1 }), [
    "it's",
    "$HOME",
    "a\nb",
    "",
    "`x`",
    "\\",
    "é ~",
  ]];
  const script = samples.map((sample) => `printf '%s\\0' ${sample.map(shellWord).join(" ")}\n`).join("") +
    samples.map((sample) =>
      `printf '%s\\0' ${commandLines(["x".repeat(120), ...sample]).replace(/^x+/, "")}\n`
    ).join("");
  const { out } = await bash("-c", script);
  const read = out.split("\0").slice(0, -1);
  assert.deepEqual(read, [...samples.flat(), ...samples.flat()]);
});

Deno.test("the job script holds the array, the signal before the limit, and is one that bash understands", async () => {
  const job = collectJob(RUN, SLURM);
  for (
    const line of [
      "#SBATCH --array=0-63%16",
      "#SBATCH --time=4:00:00",
      "#SBATCH --signal=B:TERM@45",
      "#SBATCH --requeue",
      "#SBATCH --partition=cpu",
      '#SBATCH --comment="two words"',
      "rollcall collect -i t.jsonl -o runs/a.jsonl --shard auto --resume --drain-exit-code 75 &",
    ]
  ) assert.ok(job.split("\n").includes(line), line);
  assert.equal(afterArray("17"), "--dependency=afterany:17");
  for (const script of [job, submission(RUN, SLURM, "runs")]) {
    assert.equal((await bash("-n", "-c", script)).code, 0);
  }
});

/** Runs the job with `collect` and `scontrol` replaced, and returns the exit code and what was said. */
async function ran(collect: string, vars = "") {
  const job = collectJob({ ...RUN, program: "fake" }, SLURM);
  return await bash("-c", `fake() { ${collect}; }\nscontrol() { echo "scontrol $*"; }\n${vars}\n${job}`);
}

Deno.test("a job is requeued while work is left, and after a kill, but not for ever; its code is the collector's", async () => {
  const array = "SLURM_ARRAY_JOB_ID=7; SLURM_ARRAY_TASK_ID=3", requeued = "scontrol requeue 7_3\n";
  assert.deepEqual(await ran("exit 0", array), { code: 0, out: "" });
  assert.deepEqual(await ran("exit 1", array), { code: 1, out: "" });
  assert.deepEqual(await ran("exit 2", array), { code: 2, out: "" });
  assert.deepEqual(await ran("exit 75", `${array}; SLURM_RESTART_COUNT=99`), { code: 75, out: requeued });
  assert.deepEqual(await ran("exit 137", array), { code: 137, out: requeued });
  assert.deepEqual(await ran("exit 137", `${array}; SLURM_RESTART_COUNT=5`), { code: 137, out: "" });
});

Deno.test("SIGTERM reaches the collector, whose code counts, however late it comes and however often it is sent", async () => {
  const collect = `trap 'echo got; exit 75' TERM; kill -TERM $$; kill -TERM $$; while :; do sleep 0.05; done`;
  const { code, out } = await ran(collect, "SLURM_ARRAY_JOB_ID=7; SLURM_ARRAY_TASK_ID=3");
  assert.equal(code, 75);
  assert.match(out, /^got\nscontrol requeue 7_3\n$/);
});

Deno.test("time limits are read as Slurm reads them", () => {
  const limits: Record<string, number | undefined> = {
    "90": 5400,
    "4:00": 240,
    "4:00:00": 14_400,
    "1-12": 129_600,
    "1-12:30": 131_400,
    "1-0:0:5": 86_405,
    "4h": undefined,
    "": undefined,
    "1:2:3:4": undefined,
  };
  for (const [text, seconds] of Object.entries(limits)) assert.equal(limitSeconds(text), seconds, text);
});
