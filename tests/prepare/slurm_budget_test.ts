import assert from "node:assert/strict";
import { join } from "node:path";
import { type SlurmBudget, slurmBudget, slurmJob } from "../../src/prepare/slurm_budget.ts";
import { ManualClock } from "../fakes/manual_clock.ts";
import { Agent } from "../dispatch_network/_agent.ts";
import { collect, type Ended, type RunOptions } from "../dispatch_network/_rollcall.ts";

type Variables = Readonly<Record<string, string>>;

const env = (variables: Variables) => (name: string) => variables[name];

const NOW = 1_800_000_000;

for (
  const [variables, want] of [
    [{}, undefined],
    [{ SLURM_JOB_ID: "" }, undefined],
    [{ SLURM_JOB_ID: "7" }, { id: "7", end: undefined }],
    [{ SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: "1800000000" }, { id: "7", end: NOW }],
    [{ SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: "0" }, { id: "7", end: undefined }],
    [{ SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: "2027-01-15T08:00:00" }, { id: "7", end: undefined }],
    // An array's tasks have ids of their own, but for the last, which has that of the whole array.
    [{ SLURM_JOB_ID: "8", SLURM_ARRAY_JOB_ID: "7", SLURM_ARRAY_TASK_ID: "0" }, { id: "7_0", end: undefined }],
    [{ SLURM_JOB_ID: "7", SLURM_ARRAY_JOB_ID: "7", SLURM_ARRAY_TASK_ID: "9" }, { id: "7_9", end: undefined }],
    [{ SLURM_JOB_ID: "7", SLURM_ARRAY_TASK_ID: "9" }, { id: "7", end: undefined }],
    [{ SLURM_ARRAY_JOB_ID: "7", SLURM_ARRAY_TASK_ID: "9" }, undefined],
    [{ SLURM_JOB_ID: "$(reboot)" }, undefined],
  ] as [Variables, unknown][]
) {
  Deno.test(`slurmJob() of ${JSON.stringify(variables)} is ${JSON.stringify(want)}`, () => {
    assert.deepEqual(slurmJob(env(variables)), want);
  });
}

/** What is decided in a job, `NOW` being the time. */
async function budget(
  { variables = { SLURM_JOB_ID: "7" }, says = "", ...config }: {
    variables?: Variables;
    says?: string | Error;
    dispatch_budget_s?: number;
    num_samples_in_parallel?: number | null;
    teardown_s?: number;
    disable_slurm_budget?: boolean;
  },
): Promise<{ result: SlurmBudget | undefined; asked: string[] }> {
  const asked: string[] = [];
  const result = await slurmBudget({
    dispatch_budget_s: null,
    num_samples_in_parallel: 4,
    teardown_s: 120,
    disable_slurm_budget: false,
    ...config,
  }, {
    env: env(variables),
    clock: new ManualClock(new Date(NOW * 1000)),
    squeue: (job) => {
      asked.push(job);
      return says instanceof Error ? Promise.reject(says) : Promise.resolve(says);
    },
  });
  return { result, asked };
}

const ENDING = { SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: String(NOW + 7200) };

Deno.test("slurmBudget() takes what is left of the job, less the teardown, and says so in one line", async () => {
  const { result, asked } = await budget({ variables: ENDING });
  assert.equal(result?.seconds, 7080);
  assert.equal(
    result?.note,
    "Slurm job 7 ends in 2h00m: nothing starts after 1h58m (--teardown 120; --no-slurm-budget switches this off).",
  );
  assert.deepEqual(asked, []);
});

Deno.test("slurmBudget() asks squeue for this one task of an array where the environment does not say the end", async () => {
  const variables = { SLURM_JOB_ID: "7", SLURM_ARRAY_JOB_ID: "7", SLURM_ARRAY_TASK_ID: "3" };
  const { result, asked } = await budget({ variables, says: `${NOW + 1000}\n`, teardown_s: 0 });
  assert.equal(result?.seconds, 1000);
  assert.deepEqual(asked, ["7_3"]);
});

for (const left of [120, 60, 0, -5]) {
  Deno.test(`slurmBudget() starts nothing when the job ends in ${left} s`, async () => {
    const { result } = await budget({
      variables: { SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: String(NOW + left) },
    });
    assert.equal(result?.seconds, 0);
    assert.match(result!.note, /too late to start anything/);
  });
}

Deno.test("slurmBudget() leaves a budget that was given, and can be switched off", async () => {
  assert.equal((await budget({ variables: ENDING, dispatch_budget_s: 5 })).result, undefined);
  assert.equal((await budget({ variables: ENDING, disable_slurm_budget: true })).result, undefined);
  assert.equal((await budget({ variables: {} })).result, undefined);
});

Deno.test("slurmBudget() makes none without num_samples_in_parallel, and says why", async () => {
  const { result, asked } = await budget({ num_samples_in_parallel: null });
  assert.equal(result?.seconds, null);
  assert.match(result!.note, /num_samples_in_parallel/);
  assert.deepEqual(asked, []);
});

for (
  const [says, why] of [
    [new Error("there is no squeue on the PATH"), /no squeue on the PATH/],
    ["", /squeue does not know the job/],
    ["N/A\n", /squeue printed "N\/A"/],
    ["2027-01-15T08:00:00", /squeue printed "2027/],
  ] as const
) {
  Deno.test(`slurmBudget() makes none when squeue printed ${JSON.stringify(String(says))}`, async () => {
    const { result } = await budget({ says });
    assert.equal(result?.seconds, null);
    assert.match(result!.note, why);
    assert.match(result!.note, /--dispatch-budget/);
  });
}

/** Runs the program with a `squeue` on its PATH that is a shell script. */
async function withSqueue(script: string, options: RunOptions): Promise<Ended> {
  const folder = Deno.makeTempDirSync();
  Deno.writeTextFileSync(join(folder, "squeue"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  try {
    return await collect({ ...options, env: { ...options.env, PATH: `${folder}:${Deno.env.get("PATH")}` } });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("rollcall in a Slurm job asks squeue and keeps to what is left", async () => {
  await using agent = new Agent();
  // It answers only what rollcall should ask: this task's end, in seconds.
  const script = '[ "$*" = "--noheader --format=%e --jobs=7_3" ] && [ "$SLURM_TIME_FORMAT" = %s ] &&' +
    '[ "$SLURM_CONF" = here ] && [ -z "$HOME$LD_LIBRARY_PATH" ] && echo $(($(date +%s) + 3600))';
  const variables = {
    SLURM_JOB_ID: "7",
    SLURM_ARRAY_JOB_ID: "7",
    SLURM_ARRAY_TASK_ID: "3",
    SLURM_CONF: "here",
    LD_LIBRARY_PATH: "/usr/lib",
  };
  const options = { rows: 2, url: agent.url, args: ["-c", "1"], env: variables };
  const ended = await withSqueue(script, options);
  assert.equal(ended.code, 0);
  assert.match(ended.said, /Slurm job 7_3 ends in (1h00m|59m\d\ds): nothing starts after (58m00s|57m5\ds)/);
  assert.equal(ended.rollouts.length, 2);
});

Deno.test("rollcall starts nothing in a Slurm job that is about to end", async () => {
  await using agent = new Agent();
  const env = { SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: String(Math.floor(Date.now() / 1000) + 60) };
  const ended = await collect({ rows: 2, url: agent.url, args: ["-c", "1"], env });
  assert.equal(ended.code, 1);
  assert.equal(agent.deliveries.length, 0);
  assert.equal(ended.summary?.drained, 2);
  const forced = await collect({ rows: 2, url: agent.url, args: ["-c", "1", "--no-slurm-budget"], env });
  assert.equal(forced.code, 0);
  assert.doesNotMatch(forced.said, /Slurm/);
});

Deno.test("rollcall in a Slurm job without squeue says so and runs without a budget", async () => {
  await using agent = new Agent();
  const ended = await withSqueue("echo slurm_load_jobs error: Invalid job id specified >&2; exit 1", {
    rows: 2,
    url: agent.url,
    args: ["-c", "1"],
    env: { SLURM_JOB_ID: "7" },
  });
  assert.equal(ended.code, 0);
  assert.match(ended.said, /without a budget: .*Invalid job id specified/);
});

Deno.test("rollcall outside of Slurm says nothing of it, and never runs squeue", async () => {
  await using agent = new Agent();
  const ended = await withSqueue("echo called >&2; exit 1", { rows: 1, url: agent.url, args: ["-c", "1"] });
  assert.equal(ended.code, 0);
  assert.doesNotMatch(ended.said, /Slurm|squeue|called/i);
});
