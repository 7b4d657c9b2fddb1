/** Which shard a run is. */
import assert from "node:assert/strict";
import { UsageFault } from "../../src/kit/fault.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { chooseShard } from "../../src/prepare/choose_shard.ts";

const OFF = {
  shard: null as string | null,
  score_shard: false,
  output_jsonl_fpath: "runs/a.jsonl",
  disable_aggregation: false,
};

type Vars = Readonly<Record<string, string>>;
const choose = (set: Partial<typeof OFF>, vars: Vars = {}) =>
  chooseShard({ ...OFF, ...set }, (name) => vars[name]);

const array = (
  id: number,
  min: number,
  max: number,
  { step = 1, count = (max - min) / step + 1 }: { step?: number; count?: number } = {},
): Vars => ({
  SLURM_ARRAY_TASK_ID: `${id}`,
  SLURM_ARRAY_TASK_MIN: `${min}`,
  SLURM_ARRAY_TASK_MAX: `${max}`,
  SLURM_ARRAY_TASK_STEP: `${step}`,
  SLURM_ARRAY_TASK_COUNT: `${count}`,
});

Deno.test("without --shard an array and an indexed job change nothing", () => {
  assert.deepEqual(choose({}, { ...array(3, 0, 7), JOB_COMPLETION_INDEX: "2" }), { config: OFF });
});

Deno.test("a shard has files of its own, all of them, and is not scored unless that is asked for", () => {
  const { config, note } = choose({ shard: "3/64" });
  assert.equal(config.output_jsonl_fpath, "runs/a-shard-0003-of-0064.jsonl");
  assert.equal(config.disable_aggregation, true);
  assert.equal(note, undefined);
  assert.equal(choose({ shard: "3/64", score_shard: true }).config.disable_aggregation, false);
  assert.equal(
    choose({ shard: "3/64", score_shard: true, disable_aggregation: true }).config.disable_aggregation,
    true,
  );
  assert.throws(() => choose({ score_shard: true }), /score_shard \(--score-shard\) needs shard/);
  const { folder: _, qualitySummary: _of, verdicts: _all, ...own } = runPaths(
    "/r/a-shard-0003-of-0064.jsonl",
  );
  for (const path of Object.values(own)) assert.match(path, /^\/r\/a-shard-0003-of-0064[._]/);
});

Deno.test("the shard is put before the ending of the output, whatever its folder is called", () => {
  const named = (output: string) =>
    choose({ shard: "0/2", output_jsonl_fpath: output }).config.output_jsonl_fpath;
  assert.equal(named("a"), "a-shard-0000-of-0002");
  assert.equal(named("x.y/a"), "x.y/a-shard-0000-of-0002");
  assert.equal(named("a.b.jsonl"), "a.b-shard-0000-of-0002.jsonl");
  for (const none of ["-", "runs/"]) assert.equal(named(none), none);
});

Deno.test("auto takes the shard from a Slurm array without gaps, wherever it begins, and says so", () => {
  const found: readonly [Vars, string][] = [
    [array(3, 0, 7), "3/8"],
    [array(1, 1, 8), "0/8"],
    [array(8, 1, 8), "7/8"],
    [array(6, 0, 14, { step: 2 }), "3/8"],
    [{ ...array(3, 0, 7), JOB_COMPLETION_INDEX: "9" }, "3/8"],
  ];
  for (const [vars, shard] of found) {
    const { config, note } = choose({ shard: "auto" }, vars);
    assert.equal(config.shard, shard);
    assert.match(
      note!,
      new RegExp(`^Shard ${shard} \\(numbered from 0\\), from task \\d+ of the Slurm array`),
    );
    assert.ok(!note!.includes("\n"));
  }
  assert.equal(choose({ shard: "auto/8" }, array(3, 0, 7)).config.shard, "3/8");
});

Deno.test("auto takes the shard of an indexed job with its count", () => {
  const { config, note } = choose({ shard: "auto/8" }, { JOB_COMPLETION_INDEX: "5" });
  assert.equal(config.shard, "5/8");
  assert.equal(config.output_jsonl_fpath, "runs/a-shard-0005-of-0008.jsonl");
  assert.equal(note, "Shard 5/8 (numbered from 0), from JOB_COMPLETION_INDEX=5.");
});

Deno.test("where auto cannot tell the shard it says why", () => {
  const { SLURM_ARRAY_TASK_MAX: _, ...incomplete } = array(3, 0, 7);
  const faults: readonly [string, Vars, RegExp][] = [
    ["auto", {}, /neither a Slurm array .* nor an indexed Kubernetes job .* here.*--shard 0\/8/],
    ["auto", array(5, 1, 9, { count: 3 }), /has a gap: 3 tasks between 1 and 9.*--array=0-2/],
    ["auto", array(2, 1, 4, { count: 3 }), /has a gap/],
    ["auto", array(3, 0, 6, { step: 2 }), /has a gap: 4 tasks between 0 and 6 in steps of 2/],
    ["auto", array(9, 0, 7), /has a gap/],
    ["auto", array(0, 0, 7, { step: 0, count: 8 }), /has a gap/],
    ["auto", incomplete, /SLURM_ARRAY_TASK_MAX is not set/],
    ["auto", { ...array(3, 0, 7), SLURM_ARRAY_TASK_STEP: "x" }, /SLURM_ARRAY_TASK_STEP is "x"/],
    ["auto/64", array(3, 0, 7), /has 8 tasks, not 64.*--shard I\/64/s],
    ["auto", { JOB_COMPLETION_INDEX: "5" }, /does not say of how many.*--shard auto\/8/],
    ["auto/4", { JOB_COMPLETION_INDEX: "4" }, /a whole number less than 4/],
    ["auto/4", { JOB_COMPLETION_INDEX: "one" }, /JOB_COMPLETION_INDEX is "one"/],
  ];
  for (const [shard, vars, why] of faults) {
    assert.throws(() => choose({ shard }, vars), (error) => {
      assert.ok(error instanceof UsageFault);
      assert.match(error.message, why);
      return true;
    });
  }
});
