/** `rollcall submit`: what is printed, submitted and refused. */
import assert from "node:assert/strict";
import { run } from "../../src/cli/rollcall.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

async function submit(args: readonly string[]) {
  using fake = new FakeWorld({ files: { "t.jsonl": "{}\n", "run.json": '{"num_repeats": 4}' } });
  const submitted: { readonly script: string; readonly options: readonly string[] }[] = [];
  const code = await run({
    ...fake.world,
    args: ["submit", ...args],
    sbatch(script, options) {
      submitted.push({ script, options });
      return Promise.resolve(submitted.length === 1 ? "17;cluster\n" : "18\n");
    },
  });
  const { stdout, stderr } = fake.terminal;
  return { code, stdout, stderr, submitted, made: fake.list() };
}

const SLURM = ["slurm", "--shards", "8", "--time", "1:00:00"];
const COLLECT = ["--", "collect", "-i", "t.jsonl", "-o", "runs/a.jsonl"];

Deno.test("submit slurm submits the array, and behind it the job that aggregates with the servers of the run", async () => {
  const { code, stdout, stderr, submitted, made } = await submit([
    ...SLURM,
    ...COLLECT,
    ...[
      "--resume",
      "--config",
      "run.json",
      "--server",
      "a=http://h:1",
      "-n",
      "3",
      "+require_complete=true",
      "+limit=5",
    ],
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /job array 17 \(8 shards\), and job 18, which aggregates after it/);
  assert.match(stdout, /rollcall status 'runs\/a-shard-\*-of-0008\.jsonl'/);
  assert.deepEqual(submitted.map(({ options }) => options), [[], ["--dependency=afterany:17"]]);
  const [array, behind] = submitted.map(({ script }) => script.replaceAll(" \\\n ", ""));
  assert.equal(array!.match(/--resume\b(?!:)/g)!.length, 1, "it may be there once");
  assert.match(array!, /\+limit=5 --shard auto --resume --drain-exit-code 75 &/);
  assert.match(
    behind!,
    /exec rollcall aggregate --input-glob 'runs\/a-shard-\*-of-0008\.jsonl' --output runs\/a\.jsonl --config run\.json --server a=http:\/\/h:1 \+require_complete=true\n/,
  );
  assert.ok(made.includes("runs/"), "the folder for the logs");
});

Deno.test("submit --dry-run prints and touches nothing", async () => {
  const slurm = await submit([...SLURM, "--dry-run", ...COLLECT]);
  assert.equal(slurm.code, 0);
  assert.match(
    slurm.stdout,
    /^#!\/bin\/bash\n[^]*array=\$\(sbatch --parsable <<'JOB'\n[^]*--dependency=afterany:"\$array"/,
  );
  const k8s = await submit([
    "k8s",
    "--shards",
    "8",
    "--image",
    "r/x:1",
    "--claim",
    "c",
    "--dry-run",
    ...COLLECT,
  ]);
  assert.equal(k8s.code, 0, k8s.stderr);
  assert.match(k8s.stdout, /completionMode: Indexed\n {2}completions: 8\n/);
  assert.match(k8s.stdout, /- "--shard"\n {12}- "auto\/8"\n/);
  for (const { submitted, made } of [slurm, k8s]) {
    assert.deepEqual(submitted, []);
    assert.deepEqual(made, ["run.json", "t.jsonl"]);
  }
});

Deno.test("submit refuses what would not work, and shows no secret", async () => {
  const faults: readonly [string[], RegExp][] = [
    [["slurm", "--shards", "8", ...COLLECT], /needs --time/],
    [["slurm", "--shards", "8", "--time", "4h", ...COLLECT], /needs --time, a limit as 4:00:00/],
    [["slurm", "--shards", "8", "--time", "2:00", ...COLLECT, "-c", "4"], /leaves no time.*the last 120 s/],
    [["slurm", "--shards", "8", "--time", "0:45", ...COLLECT], /the last 45 s/],
    [["slurm", "--shards", "0", "--time", "1:00:00", ...COLLECT], /--shards: needs a whole number/],
    [["slurm", "--time", "1:00:00", ...COLLECT], /--shards/],
    [[...SLURM, "--", "plan", "-i", "t.jsonl"], /Behind -- comes collect/],
    [[...SLURM, "--", "collect", "-i", "t.jsonl"], /output_jsonl_fpath: is missing/],
    [[...SLURM, ...COLLECT, "--shard", "0/8"], /leave out --shard/],
    [[...SLURM, ...COLLECT, "--fresh"], /leave out --fresh/],
    [[...SLURM, ...COLLECT, "--drain-exit-code", "3"], /leave out --drain-exit-code 3/],
    [[...SLURM, ...COLLECT, "--header", "Authorization: s3cret"], /--header would stand readable in the job/],
    [[...SLURM, ...COLLECT, "--hedaer", "s3cret"], /collect: unknown option '--hedaer'/],
    [["pbs", "--shards", "8", ...COLLECT], /'pbs' is not a where\. There are: slurm, k8s/],
    [["k8s", "--shards", "8", "--dry-run", ...COLLECT], /needs --image and --claim/],
    [
      ["k8s", "--shards", "8", "--image", "x", "--claim", "c", ...COLLECT],
      /add --dry-run, and \| kubectl apply/,
    ],
  ];
  for (const [args, why] of faults) {
    const { code, stderr, submitted } = await submit(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, /s3cret/);
    assert.deepEqual(submitted, []);
  }
});
