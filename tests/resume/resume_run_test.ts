import assert from "node:assert/strict";
import { resumeRun } from "../../src/resume/resume_run.ts";
import type { ResumePlan, RunPlan } from "../../src/plan/run_plan.ts";
import { State } from "../../src/plan/row_index.ts";
import { eventText } from "../../src/report/event_text.ts";
import { MemoryFiles, PowerCut } from "../fakes/memory_files.ts";
import { indexOf, paths, planOf, statesOf } from "./_run.ts";

const row = (task: number, more = "") =>
  `{"reward":1.0,${more}"_ng_task_index":${task},"_ng_rollout_index":0}\n`;
const failure = (task: number, more = "") =>
  `{"_ng_failure_class":"agent_run_error",${more}"_ng_task_index":${task},"_ng_rollout_index":0}\n`;

const tasks = (n: number) => indexOf(...Array.from({ length: n }, (_, task) => [task, 0] as const));

/** Resumes a run of so many tasks whose files these are. */
async function resumed(
  files: MemoryFiles,
  { size = 4, resume = {}, plan = {} }: {
    size?: number;
    resume?: Partial<ResumePlan>;
    plan?: Partial<RunPlan>;
  } = {},
) {
  const base = planOf(plan), index = tasks(size), notes: string[] = [];
  const order = await resumeRun({ ...base, resume: { ...base.resume!, ...resume } }, index, {
    files,
    notice: (event) => notes.push(eventText(event)),
  });
  return { index, notes, order: [...order] };
}

Deno.test("resumeRun() runs what has no result, in the order of the file", async () => {
  const files = new MemoryFiles({ [paths.rollouts]: row(2) + row(0), [paths.failures]: failure(3) });
  const { index, notes, order } = await resumed(files);
  assert.deepEqual(order, [1, 3]);
  assert.deepEqual(notes, []);
  assert.deepEqual([...index.columns.attempts.subarray(0, 4)], [0, 0, 0, 1]);
  assert.equal(files.open, 0);
});

Deno.test("resumeRun() starts the longest first where that is wanted", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: row(0),
    [paths.failures]: failure(2, '"elapsed_seconds":3,') + failure(3, '"elapsed_seconds":30,'),
  });
  const plan = { dispatch: { ...planOf().dispatch, dispatch_longest_first: true } };
  assert.deepEqual((await resumed(files, { plan })).order, [3, 2, 1]);
});

Deno.test("resumeRun() gates by the attempts cap and by terminal failures", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: "",
    [paths.failures]: failure(0) + failure(0) + failure(1, '"_ng_failure_terminal":true,') + failure(2),
  });
  const { index, order } = await resumed(files, { plan: { attempts: 2 } });
  assert.deepEqual(order, [2, 3]);
  assert.deepEqual(statesOf(index), [State.AT_CAP, State.TERMINAL, State.OWED, State.OWED]);
});

Deno.test("resumeRun() runs rollouts at the attempt limit once more where that is wanted, but no terminal ones", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: "",
    [paths.failures]: failure(0) + failure(0) + failure(1, '"_ng_failure_terminal":true,') + failure(2),
  });
  const { index, order } = await resumed(files, { plan: { attempts: 2 }, resume: { retryExhausted: true } });
  assert.deepEqual(order, [0, 2, 3]);
  assert.deepEqual([...index.columns.attempts.subarray(0, 4)], [2, 1, 1, 0]);
});

Deno.test("resumeRun() runs rollouts again whose last failure is of a class that is to be retried, whatever their attempts", async () => {
  const classed = (task: number, name: string, more = "") =>
    failure(task, more).replace("agent_run_error", name);
  const files = new MemoryFiles({
    [paths.rollouts]: row(4),
    [paths.failures]: classed(0, "lost").repeat(2) + classed(1, "lost", '"_ng_failure_terminal":true,') +
      classed(2, "lost") + classed(2, "other") + classed(3, "other").repeat(2) + classed(4, "lost"),
  });
  const { index, order } = await resumed(files, {
    plan: { attempts: 2 },
    resume: { retryFailures: ["lost"] },
    size: 5,
  });
  assert.deepEqual(order, [0, 1]);
  assert.deepEqual(statesOf(index), [State.OWED, State.OWED, State.AT_CAP, State.AT_CAP, State.DONE]);
  assert.deepEqual([...index.columns.attempts.subarray(0, 2)], [2, 1], "their attempts go on");
});

Deno.test("resumeRun() drops last lines that were cut off, and says so", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: row(0) + row(1).slice(0, 20),
    [paths.failures]: failure(2) + failure(3).slice(0, 5),
  });
  const { notes, order } = await resumed(files);
  assert.deepEqual(order, [1, 2, 3]);
  assert.equal(notes.length, 2);
  assert.match(notes[0]!, /a\.jsonl was incomplete \(20 bytes\) and was dropped/);
  assert.equal(files.text(paths.rollouts), row(0));
  assert.equal(files.text(paths.failures), failure(2));
});

Deno.test("resumeRun() sets lines that are not JSON aside unchanged, and runs their rollouts again", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: row(0) + '{"half": "a r\n' + row(1) + "<html>\n",
    [paths.failures]: "\0\0\n" + failure(2),
    [paths.quarantine]: '{"from": "before\n',
  });
  files.modes.set(paths.rollouts, 0o600);
  const { notes, order } = await resumed(files);
  assert.deepEqual(order, [2, 3]);
  assert.equal(files.text(paths.rollouts), row(0) + row(1));
  assert.equal(files.text(paths.failures), failure(2));
  assert.equal(files.text(paths.quarantine), '{"from": "before\n{"half": "a r\n<html>\n\0\0\n');
  assert.equal(files.durable(paths.quarantine), files.text(paths.quarantine));
  assert.equal(files.modes.get(paths.rollouts), 0o600);
  assert.equal(files.text(paths.rolloutsNew), undefined);
  assert.equal(notes.length, 2);
  assert.match(
    notes[0]!,
    /2 lines of .*a\.jsonl are not usable rows; moved to .*a_quarantine\.jsonl.*\n {2}line 2: .*\n {2}line 4: /,
  );
});

Deno.test("resumeRun() tells of rows that say nothing about a rollout that is owed", async () => {
  const files = new MemoryFiles({ [paths.rollouts]: row(0) + row(0) + row(17) + '{"reward":1}\n' });
  const { notes, order } = await resumed(files);
  assert.deepEqual(order, [1, 2, 3]);
  assert.match(
    notes.join("\n"),
    /1 line of .* is not a usable row; moved to [^]*no _ng_task_index[^]*\n1 row of .* has the identity of an earlier row; the first counts\.\n1 row of .* belongs to no row of .*; ignored\./,
  );
  assert.equal(files.text(paths.rollouts), row(0) + row(0) + row(17));
  assert.equal(files.text(paths.quarantine), '{"reward":1}\n');
});

const INVALID = '"invalid_judge_response":true,';

Deno.test("resumeRun() moves rollouts with an invalid judge response to the sidecar, where they are retried", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: row(0) + row(1, INVALID + '"deliverables_dir":"/there","n":1.0,') +
      row(
        2,
        INVALID + '"deliverables_dir":"/gone","reuse_cached_deliverable":true,"_ng_failure_terminal":true,',
      ) +
      row(3, INVALID + '"_ng_failure_class":"odd",'),
  });
  const { index, notes, order } = await resumed(files, {
    resume: { retryInvalidJudge: true, deliverables: ["/there"] },
  });
  assert.deepEqual(order, [1, 2, 3]);
  assert.deepEqual([...index.columns.attempts.subarray(0, 4)], [0, 1, 1, 1]);
  assert.deepEqual([...index.columns.reuse.subarray(0, 4)], [0, 1, 0, 0]);
  assert.equal(files.text(paths.rollouts), row(0));
  const [one, two, three] = files.text(paths.failures)!.split("\n");
  assert.match(
    one!,
    /^\{"reward":1\.0,"invalid_judge_response":true,"deliverables_dir":"\/there","n":1\.0,.*"_ng_failure_class":"judge_invalid","_ng_migrated_invalid_judge_response":true,"reuse_cached_deliverable":true\}$/,
  );
  assert.doesNotMatch(two!, /reuse_cached|terminal/);
  assert.equal(JSON.parse(three!)._ng_failure_class, "odd");
  assert.equal(files.durable(paths.failures), files.text(paths.failures));
  assert.match(
    notes.join("\n"),
    /^3 rollouts with an invalid judge response were moved to .*a_failures\.jsonl and will run again\.$/,
  );
});

Deno.test("resumeRun() leaves them where they are otherwise", async () => {
  const files = new MemoryFiles({ [paths.rollouts]: row(0, INVALID) });
  assert.deepEqual((await resumed(files)).order, [1, 2, 3]);
  assert.equal(files.text(paths.failures), undefined);
});

Deno.test("resumeRun() does not move an attempt twice that a crash has let it move already", async () => {
  const files = new MemoryFiles({
    [paths.rollouts]: row(0, INVALID) + row(1, `${INVALID}"_ng_attempt_index":1,`),
  });
  await resumed(files, { resume: { retryInvalidJudge: true } });
  const moved = files.text(paths.failures)!;
  // The rollouts as before the crash; the second row is of another attempt than the one that was moved.
  const again = new MemoryFiles({
    [paths.rollouts]: row(0, INVALID) + row(1, `${INVALID}"_ng_attempt_index":2,`),
    [paths.failures]: moved,
  });
  const { index } = await resumed(again, { resume: { retryInvalidJudge: true } });
  assert.equal(again.text(paths.rollouts), "");
  assert.equal(again.text(paths.failures)!.split("\n").length, 4);
  assert.deepEqual([...index.columns.attempts.subarray(0, 4)], [1, 2, 0, 0]);
});

Deno.test("resumeRun() killed at any step, and after any byte, is made good by the next one", async () => {
  const before = {
    [paths.rollouts]: row(0) + "{bad\n" + '{"reward":1}\n' + row(1, INVALID) + row(2, INVALID) +
      row(3).slice(0, 9),
    [paths.failures]: failure(2) + "worse\n" + failure(3),
    [paths.manifestNew]: "manifest\n",
  };
  const options = { resume: { retryInvalidJudge: true } };
  const calm = new MemoryFiles(before);
  const want = await resumed(calm, options);
  const lines = (files: MemoryFiles, path: string) => files.text(path)!.split("\n").sort();

  for (const kind of ["step", "byte"] as const) {
    for (let at = 0;; at++) {
      const files = new MemoryFiles(before);
      let left = at;
      if (kind === "byte") files.power = at;
      else {
        files.before = () => {
          if (left-- === 0) throw new PowerCut();
        };
      }
      const survived = await resumed(files, options).then(() => true, (error) => {
        assert.match(error.message, /Cannot resume \/runs\/a\.jsonl: .*\. Nothing was sent/);
        return false;
      });
      const after = new MemoryFiles(files.all());
      const got = await resumed(after, options);
      assert.deepEqual(got.order, want.order, `${kind} ${at}`);
      for (const path of [paths.rollouts, paths.failures]) {
        assert.deepEqual(lines(after, path), lines(calm, path), `${path}, ${kind} ${at}`);
      }
      // Set aside once at least; a crash at the wrong moment may do it twice.
      assert.deepEqual(
        [...new Set(lines(after, paths.quarantine))].filter((line) =>
          ["{bad", "worse", '{"reward":1}'].includes(line)
        ),
        ["worse", '{"reward":1}', "{bad"],
        `${kind} ${at}`,
      );
      assert.equal(after.text(paths.manifest), "manifest\n");
      if (survived) break;
    }
  }
});

Deno.test("resumeRun() that finds no room for its copies leaves everything as it was", async () => {
  const before = { [paths.rollouts]: row(0) + "{bad\n", [paths.failures]: failure(1) };
  const files = new MemoryFiles(before);
  files.room = 10;
  await assert.rejects(resumed(files), /Cannot resume .*No space left/);
  assert.deepEqual(files.all(), before);
});

Deno.test("resumeRun() names a sidecar that cannot be read", async () => {
  const files = new MemoryFiles({ [paths.rollouts]: row(0), [paths.failures]: failure(1) });
  files.before = ({ what, path }) => {
    if (what === "read" && path === paths.failures) throw new Error(`Permission denied: ${path}`);
  };
  await assert.rejects(resumed(files), {
    name: "RunFault",
    message: /Cannot resume .*Permission denied: \/runs\/a_failures\.jsonl\. Nothing was sent/,
  });
  files.before = () => {};
  assert.deepEqual((await resumed(files)).order, [1, 2, 3]);
});
