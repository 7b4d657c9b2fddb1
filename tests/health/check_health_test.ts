import assert from "node:assert/strict";
import fc from "fast-check";
import { checkHealth, type HealthTools, tryCheckHealth } from "../../src/health/check_health.ts";
import { RunFault } from "../../src/kit/fault.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import { bad, type Json, of, row, turn } from "./_rollouts.ts";

const paths = runPaths("/runs/a.jsonl");

function requestOf(files: readonly string[] = ["/runs/a.jsonl"], ignored: readonly string[] = []) {
  return { rollouts: files.map((path) => ({ path, shown: path })), paths, ignored };
}

function tools(files: MemoryFiles, more: Partial<HealthTools> = {}): HealthTools {
  return { files, signal: new AbortController().signal, ...more };
}

function lines(rows: readonly unknown[]): string {
  return rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");
}

async function checked(rows: readonly unknown[], ignored: readonly string[] = []) {
  const files = new MemoryFiles({ "/runs/a.jsonl": lines(rows) });
  const summary = await checkHealth(requestOf(undefined, ignored), tools(files));
  const verdicts = files.text(paths.verdicts)!.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return { files, summary, verdicts, report: JSON.parse(files.text(paths.qualitySummary)!) };
}

Deno.test("checkHealth() writes both reports, and leaves nothing else", async () => {
  const { files, summary, verdicts, report } = await checked([bad(1, 0), of(0, 0), "", {}]);
  assert.deepEqual(Object.keys(files.all()), ["/runs/a.jsonl", paths.qualitySummary, paths.verdicts]);
  assert.equal(files.open, 0);
  assert.deepEqual(summary, {
    checked: 3,
    healthy: 1,
    unhealthy: 1,
    unobserved: 1,
    ignored: [],
    issues: { model_call_zero_completion_tokens: 1 },
    summary: paths.qualitySummary,
    verdicts: paths.verdicts,
  });
  assert.deepEqual(verdicts.map(({ _ng_task_index, verdict }) => [_ng_task_index, verdict]), [
    [0, "healthy"],
    [1, "unhealthy"],
    [2, "unobserved"],
  ]);
  assert.deepEqual(report.run.verdicts, { healthy: 1, unhealthy: 1, unobserved: 1 });
  assert.deepEqual(Object.keys(report), ["run", "tasks"]);
});

Deno.test("checkHealth() of no rollouts is a report of nothing", async () => {
  const { verdicts, report } = await checked([]);
  assert.deepEqual([verdicts, report.tasks, report.run.artifacts.records], [[], {}, 0]);
});

Deno.test("checkHealth() numbers lines without a task through all files, blank ones not counted", async () => {
  const files = new MemoryFiles({ "/runs/a.jsonl": "{}\n\n{}\n", "/runs/b.jsonl": "\n{}\nx" });
  await checkHealth(requestOf(["/runs/a.jsonl", "/runs/b.jsonl"]), tools(files));
  const verdicts = files.text(paths.verdicts)!.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  assert.deepEqual(verdicts.map(({ rollout_id }) => rollout_id), [
    "0-0",
    "1-0",
    "2-0",
    "__unreadable_record__:input-1:line-3-0",
  ]);
  assert.deepEqual(verdicts[3].findings[0].locator, { source_file: "/runs/b.jsonl", line: 3 });
});

Deno.test("checkHealth() finds lines of the same task, rollout and stage, whatever is between them", async () => {
  const { verdicts, report } = await checked([
    of(0, 0),
    of(1, 0, { stage_index: 0 }),
    of(0, 0),
    of(1, 0, { stage_index: 1 }),
    of(0, 0, { stage_index: null }),
    of(0, 0, { stage_index: "None" }),
  ]);
  const findings = verdicts.map(({ findings }) => findings.map(({ detail }: Json) => detail));
  assert.deepEqual(findings, [...Array(3).fill([{ duplicate_count: 3 }]), [], [], []]);
  assert.equal(report.run.issues.rollout_duplicate_identity, 3);
  // Its copies do not agree with the fourth line, which is of a stage of its own.
  assert.deepEqual(report.tasks["0"], { repeats: 1, healthy: 0, unhealthy: 0, unobserved: 1, flags: [] });
  assert.deepEqual(report.tasks["1"], { repeats: 1, healthy: 1, unhealthy: 0, unobserved: 0, flags: [] });
});

Deno.test("checkHealth() with duplicates ignored does not report them", async () => {
  const { summary, report } = await checked([of(0, 0), of(0, 0)], ["rollout_duplicate_identity"]);
  assert.deepEqual([summary.healthy, summary.ignored], [2, ["rollout_duplicate_identity"]]);
  const { evaluated, ignored } = report.run.artifacts.coverage.rollout_duplicate_identity;
  assert.deepEqual([evaluated, ignored], [0, 2]);
});

Deno.test("checkHealth() flags consistently unhealthy tasks, unless that is ignored", async () => {
  const rows = [bad(0, 0), bad(0, 1), bad(1, 0), of(1, 1)];
  const id = "task_consistently_unhealthy";
  const { report } = await checked(rows);
  assert.deepEqual([report.tasks["0"].flags, report.tasks["1"].flags, report.run.issues[id]], [[id], [], 1]);
  const without = await checked(rows, [id]);
  assert.deepEqual([without.report.tasks["0"].flags, without.report.run.issues[id]], [[], 0]);
  assert.deepEqual(without.report.run.artifacts.coverage[id], { evaluated: 0, unobserved: 0, ignored: 2 });
});

Deno.test("checkHealth() reports more findings than fit in one write", async () => {
  const ids = Array.from({ length: 5000 }, (_, i) => `call-${i}`);
  const many = row({}, { turns: [turn(1, ids)] });
  const { verdicts, summary } = await checked([many, { ...many, _ng_rollout_index: 1 }]);
  assert.deepEqual(verdicts.map(({ findings }) => findings.length), [4999, 4999]);
  assert.deepEqual(verdicts[1].findings[4998].locator, { call_id: "call-4999" });
  assert.equal(summary.issues["trajectory_capture_mismatch"], 9998);
});

const anyIndex = fc.oneof(
  fc.integer({ min: -2, max: 12 }),
  fc.constantFrom("a", "b", "1", "None", "läufe"),
  fc.constant(undefined),
);

Deno.test("checkHealth() puts verdicts in one order, whatever order and files the lines are in", async () => {
  const anyRow = fc.record({
    _ng_task_index: anyIndex.filter((index) => index !== undefined),
    _ng_rollout_index: anyIndex,
    stage_index: anyIndex,
    ng_trajectory: fc.constantFrom(null, row()["ng_trajectory"], 7),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { maxLength: 20 }), fc.nat(20), fc.nat(), async (rows, cut, seed) => {
      const one = await checked(rows);
      const shuffled = rows.map((row, i) => [(i * 7919 + seed) % 31, row] as const)
        .sort(([a], [b]) => a - b).map(([, row]) => row);
      const files = new MemoryFiles({
        "/runs/a.jsonl": lines(shuffled.slice(0, cut)),
        "/runs/b.jsonl": lines(shuffled.slice(cut)),
      });
      await checkHealth(requestOf(["/runs/a.jsonl", "/runs/b.jsonl"]), tools(files));
      const key = (verdict: Json) =>
        JSON.stringify([verdict._ng_task_index, verdict._ng_rollout_index, verdict.stage_index]);
      const verdicts = files.text(paths.verdicts)!.split("\n").slice(0, -1).map((line) => JSON.parse(line));
      assert.deepEqual(verdicts.map(key), one.verdicts.map(key));
      // Numbers are before strings, and each kind is in its own order.
      const tasks = one.verdicts.map(({ _ng_task_index: task }) => task);
      assert.deepEqual(tasks, [
        ...tasks.filter((task) => typeof task === "number").sort((a, b) => a - b),
        ...tasks.filter((task) => typeof task === "string").sort(),
      ]);
      assert.deepEqual(JSON.parse(files.text(paths.qualitySummary)!), one.report);
    }),
    { numRuns: 100 },
  );
});

for (const what of ["append", "write", "sync", "rename", "read", "remove"] as const) {
  Deno.test(`tryCheckHealth() of a disk that refuses to ${what} says so, and leaves the earlier reports`, async () => {
    const files = new MemoryFiles({
      "/runs/a.jsonl": lines([bad(0, 0)]),
      [paths.qualitySummary]: "earlier",
      [paths.verdicts]: "earlier",
    });
    files.before = (step) => {
      if (step.what === what) throw new Error("Input/output error (os error 5)");
    };
    const { health, notes } = await tryCheckHealth(requestOf(), tools(files), "rollcall health /runs");
    assert.equal(health, null);
    assert.match(
      notes.join(),
      /could not finish: Input\/output error.*rollcall health \/runs does the checks alone/,
    );
    assert.deepEqual([files.text(paths.qualitySummary), files.text(paths.verdicts)], ["earlier", "earlier"]);
    assert.equal(files.open, 0);
  });
}

Deno.test("checkHealth() that is stopped leaves the earlier reports, and nothing else", async () => {
  const files = new MemoryFiles({ "/runs/a.jsonl": lines([bad(0, 0)]), [paths.verdicts]: "earlier" });
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(
    checkHealth(requestOf(), tools(files, { signal: stop.signal })),
    (error) => error instanceof RunFault && /were stopped/.test(error.message),
  );
  assert.deepEqual(Object.keys(files.all()), ["/runs/a.jsonl", paths.verdicts]);
  assert.equal(files.open, 0);
});

Deno.test("checkHealth() lets others have their turn, and stops at a signal in between", async () => {
  const filler = { text: "x".repeat(1 << 20) };
  const files = new MemoryFiles({ "/runs/a.jsonl": lines(Array(20).fill(filler)) });
  const stop = new AbortController();
  let turns = 0;
  const breathe = () => {
    if (++turns === 2) stop.abort();
    return Promise.resolve();
  };
  await assert.rejects(
    checkHealth(requestOf(), tools(files, { signal: stop.signal, breathe })),
    /were stopped/,
  );
  assert.equal(turns, 2);
});

Deno.test("checkHealth() replaces whatever an earlier, killed one left", async () => {
  const files = new MemoryFiles({
    "/runs/a.jsonl": lines([bad(0, 0)]),
    [paths.findings]: "left",
    [paths.verdictsNew]: "left",
    [paths.qualitySummaryNew]: "left",
  });
  await checkHealth(requestOf(), tools(files));
  assert.deepEqual(Object.keys(files.all()), ["/runs/a.jsonl", paths.qualitySummary, paths.verdicts]);
  assert.ok(!files.text(paths.verdicts)!.includes("left"));
});
