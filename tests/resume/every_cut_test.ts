/**
 * The whole collector, dying wherever it can: after every byte that is written and before every step on the files.
 * Whoever resumes must end with the same lines as a calm run, from which each rollout is missed or doubled nowhere.
 */
import assert from "node:assert/strict";
import { collect } from "../../src/collect/collect.ts";
import type { RunPlan } from "../../src/plan/run_plan.ts";
import type { Wire, WireAnswer } from "../../src/ports/wire.ts";
import { ManualClock } from "../fakes/manual_clock.ts";
import { MemoryFiles, PowerCut } from "../fakes/memory_files.ts";
import { indexOf, input, paths, planOf } from "./_run.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();

const ROLLOUTS = [[0, 1], [1, 0], [2, 0], [3, 0], [4, 0]] as const, ATTEMPTS = 2;
const INPUTS = ROLLOUTS.map(([task, rollout]) => input(task, rollout)).join("");

/** What the server does about an attempt at a rollout; it does the same each time it is asked. */
function answer(
  task: number,
  rollout: number,
  attempt: number,
): "hang up" | { readonly status?: number; readonly body: string } {
  switch (task) {
    case 1: // breaks once before it answers
      if (attempt === 0) return "hang up";
      break;
    case 2: // breaks always
      return "hang up";
    case 3: // fails once, then works
      if (attempt === 0) return { status: 500, body: "é☃" };
      break;
    case 4: // has failed permanently
      return { body: '{"_ng_failure_class":"skipped","_ng_failure_terminal":true}' };
  }
  return { body: `{"reward":1.0,"said":"é ${task}-${rollout} ${attempt}"}` };
}

/** What the files of a run that is through hold. */
interface Outcome {
  readonly rollouts: readonly string[];
  readonly failures: readonly string[];
}

function outcome(files: MemoryFiles): Outcome {
  const lines = (path: string) => {
    const text = files.text(path) ?? "";
    assert.ok(text === "" || text.endsWith("\n"), `${path} ends in a line break`);
    return text.split("\n").slice(0, -1).map((line) => JSON.stringify(JSON.parse(line))).sort();
  };
  return { rollouts: lines(paths.rollouts), failures: lines(paths.failures) };
}

/** A wire that takes no time at all, not even a turn of the event loop: there are thousands of runs. */
const wire: Wire = {
  post({ body }): Promise<WireAnswer> {
    const row = JSON.parse(decoder.decode(body as Uint8Array));
    const does = answer(row._ng_task_index, row._ng_rollout_index, row._ng_attempt_index ?? 0);
    return Promise.resolve(
      does === "hang up"
        ? { kind: "possibly_delivered", reason: "connection closed" }
        : { kind: "answered", status: does.status ?? 200, body: encoder.encode(does.body) },
    );
  },
};

/** One run of the collector over these files, to its end or its death. Returns how many rollouts it had to run. */
async function run(files: MemoryFiles, resume: RunPlan["resume"]): Promise<number | undefined> {
  const clock = new ManualClock();
  let over = false;
  const owed = collect(planOf({ resume, attempts: ATTEMPTS }), indexOf(...ROLLOUTS), {
    files,
    wire,
    clock,
    dice: () => 0.5,
    drain: new AbortController().signal,
    abort: new AbortController().signal,
    observer: { on() {} },
    opened: () => Promise.resolve(),
    watch: () => () => {},
  }).then(({ tally }) => tally.owed, () => undefined).finally(() => over = true);
  for (let waits = 0; !over; waits++) {
    if (waits > 100) assert.fail("the run does not end");
    for (let turn = 0; turn < 50 && !over; turn++) await Promise.resolve();
    clock.advance(500);
  }
  return await owed;
}

/** The files as they are, for somebody else to find. */
function copyOf(files: MemoryFiles): MemoryFiles {
  const all = Object.values(paths).flatMap((path) => {
    const bytes = files.bytes(path);
    return bytes ? [[path, bytes] as const] : [];
  });
  return new MemoryFiles(Object.fromEntries(all));
}

const RESUME = planOf().resume;

/** What somebody does who finds the files as a crash has left them: runs until nothing is left. */
async function finish(files: MemoryFiles): Promise<void> {
  const isOurs = files.text(paths.inputs) === INPUTS;
  if (!isOurs || files.size(paths.rollouts) === undefined) {
    // The manifest tells that these are another run's inputs; inputs alone are run afresh.
    files.put(paths.inputsNew, INPUTS);
    files.put(paths.manifestNew, "new manifest\n");
    await run(files, null);
  }
  // Each one that is not cut short tries everything that is left.
  for (let resumes = 0; resumes <= ATTEMPTS + 1; resumes++) {
    if (await run(files, RESUME) === 0) return;
  }
  assert.fail("there is always something left to run");
}

const OLD = {
  [paths.rollouts]: '{"old":1}\n',
  [paths.failures]: '{"old":2}\n',
  [paths.inputs]: "old inputs\n",
  [paths.manifest]: "old manifest\n",
  [paths.inputsNew]: INPUTS,
  [paths.manifestNew]: "new manifest\n",
};

async function calmRun(): Promise<Outcome> {
  const files = new MemoryFiles(OLD);
  await run(files, null);
  await finish(files);
  return outcome(files);
}

/** The old results are where they were, or where a fresh run keeps them. */
function checkOld(files: MemoryFiles, place: string): void {
  for (
    const [path, old, text] of [
      [paths.rollouts, paths.rolloutsOld, OLD[paths.rollouts]],
      [paths.failures, paths.failuresOld, OLD[paths.failures]],
    ] as const
  ) {
    const there = [path, old].map((path) => files.bytes(path)).map((bytes) => bytes && decoder.decode(bytes));
    assert.ok(there.includes(text), `${path} is kept, ${place}`);
  }
}

Deno.test("a calm run tries each rollout as often as it may, and each attempt leaves one line", async () => {
  const { rollouts, failures } = await calmRun();
  assert.equal(rollouts.length, 3);
  const attempts = failures.map((line) => {
    const { _ng_task_index: task, _ng_attempt_index: attempt = 0 } = JSON.parse(line);
    return `${task}:${attempt}`;
  });
  assert.deepEqual(attempts.sort(), ["1:0", "2:0", "2:1", "3:0", "4:0"]);
});

for (
  const [what, lost] of [["killed", false], ["without power, which loses what was not synced", true]] as const
) {
  Deno.test(`collect(), ${what} after any byte, is made good by a resume`, async () => {
    const calm = await calmRun();
    let sizes = "";
    for (let power = 1;; power++) {
      const files = new MemoryFiles(OLD);
      files.power = power;
      await run(files, null);
      const left = copyOf(files);
      if (lost) {
        for (const path of [paths.rollouts, paths.failures]) {
          if (files.size(path) !== undefined) left.put(path, files.durable(path));
        }
      }
      checkOld(left, `${power} bytes`);
      const now = [paths.rollouts, paths.failures].map((path) => left.size(path)).join();
      if (now !== sizes) { // otherwise somebody found the same before
        await finish(left);
        assert.deepEqual(outcome(left), calm, `after ${power} bytes`);
        assert.equal(left.text(paths.manifest), "new manifest\n");
      }
      sizes = now;
      if (files.power > 0) return;
    }
  });
}

Deno.test("collect(), killed before any step on its files, is made good by a resume", async () => {
  const calm = await calmRun();
  for (let steps = 0;; steps++) {
    const files = new MemoryFiles(OLD);
    let left = steps;
    files.before = () => {
      if (left-- <= 0) throw new PowerCut();
    };
    await run(files, null);
    const after = copyOf(files);
    checkOld(after, `${steps} steps`);
    await finish(after);
    assert.deepEqual(outcome(after), calm, `after ${steps} steps`);
    if (left >= 0) return;
  }
});

Deno.test("a resume, killed after any byte, is made good by the next one", async () => {
  const calm = await calmRun();
  // A run that died half-way, in the middle of a line of each file.
  const before = new MemoryFiles(OLD);
  before.power = 420;
  await run(before, null);
  const torn = copyOf(before);
  torn.put(paths.failures, before.text(paths.failures) + '{"_ng_failure_cl');
  for (let power = 1;; power++) {
    const files = copyOf(torn);
    files.power = power;
    await run(files, RESUME);
    const left = copyOf(files);
    await finish(left);
    assert.deepEqual(outcome(left), calm, `after ${power} bytes`);
    if (files.power > 0) return;
  }
});
