import assert from "node:assert/strict";
import { runPaths } from "../../src/plan/paths.ts";
import { setAside } from "../../src/store/set_aside.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const paths = runPaths("/runs/a.jsonl");

/** What an earlier run and the one before it may have left, file by file: nothing, an empty file, content. */
const LEFT = {
  rollouts: [undefined, "", "old rollouts\n"],
  failures: [undefined, "", "old failures\n"],
  rolloutsOld: [undefined, "older rollouts\n"],
  failuresOld: [undefined, "older failures\n"],
  inputs: [undefined, "old inputs\n"],
  metrics: [undefined, "old metrics\n"],
  manifest: [undefined, "old manifest\n"],
} as const;

type Name = keyof typeof LEFT;
type Left = Partial<Record<Name, string>>;

/** Every combination. */
function* everything(names = Object.keys(LEFT) as Name[]): Generator<Left> {
  const [name, ...rest] = names;
  if (!name) return yield {};
  for (const more of everything(rest)) {
    for (const content of LEFT[name]) yield content === undefined ? more : { ...more, [name]: content };
  }
}

/** What the command line's side has made ready, each time it is asked. */
function makeReady(files: MemoryFiles): void {
  files.put(paths.inputsNew, "new inputs\n");
  files.put(paths.manifestNew, "new manifest\n");
}

function filesWith(left: Left): MemoryFiles {
  const files = new MemoryFiles();
  makeReady(files);
  for (const [name, content] of Object.entries(left)) files.put(paths[name as Name], content);
  return files;
}

const there = (files: MemoryFiles): Left =>
  Object.fromEntries(
    (Object.keys(LEFT) as Name[]).map((name) => [name, files.text(paths[name])])
      .filter(([, content]) => content !== undefined),
  );

class Killed extends Error {}

/** Takes over, and dies before step `step`; false when there are fewer steps. */
function killedAt(step: number, files: MemoryFiles): boolean {
  let left = step;
  files.before = () => {
    if (left-- === 0) throw new Killed();
  };
  try {
    setAside(files, paths);
    return false;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return true;
  } finally {
    files.before = () => {};
  }
}

const NEW = { inputs: "new inputs\n", manifest: "new manifest\n" };

for (
  const [what, left, want] of [
    ["nothing", {}, NEW],
    [
      "a whole run",
      { rollouts: "R\n", failures: "F\n", inputs: "I\n", metrics: "M\n", manifest: "m\n" },
      { rolloutsOld: "R\n", failuresOld: "F\n", ...NEW },
    ],
    [
      "two runs: the older one goes",
      { rollouts: "R\n", failures: "F\n", rolloutsOld: "R0\n", failuresOld: "F0\n", inputs: "I\n" },
      { rolloutsOld: "R\n", failuresOld: "F\n", ...NEW },
    ],
    [
      "a run without a sidecar, and an older one with: its sidecar goes too",
      { rollouts: "R\n", rolloutsOld: "R0\n", failuresOld: "F0\n" },
      { rolloutsOld: "R\n", ...NEW },
    ],
    [
      "a sidecar alone, which a kill in between leaves: the rollouts put aside before stay",
      { failures: "F\n", rolloutsOld: "R\n", failuresOld: "F0\n", inputs: "I\n" },
      { rolloutsOld: "R\n", failuresOld: "F\n", ...NEW },
    ],
    [
      "inputs alone: what was put aside before stays",
      { rolloutsOld: "R\n", failuresOld: "F\n", inputs: "I\n" },
      { rolloutsOld: "R\n", failuresOld: "F\n", ...NEW },
    ],
    [
      "a run that was stopped before its first line: what was put aside before stays",
      { rollouts: "", failures: "", rolloutsOld: "R\n", failuresOld: "F\n", inputs: "I\n" },
      { rolloutsOld: "R\n", failuresOld: "F\n", ...NEW },
    ],
  ] as const
) {
  Deno.test(`setAside() after ${what}`, () => {
    const files = filesWith(left);
    setAside(files, paths);
    assert.deepEqual(there(files), want);
    assert.deepEqual([files.text(paths.inputsNew), files.text(paths.manifestNew)], [undefined, undefined]);
  });
}

Deno.test("setAside() killed at any step leaves no new inputs next to old files and loses none, whatever was there", () => {
  let kills = 0;
  for (const left of everything()) {
    const calm = filesWith(left);
    setAside(calm, paths);
    for (let step = 0;; step++) {
      const files = filesWith(left);
      if (!killedAt(step, files)) break;
      kills++;
      const now = there(files), place = `${JSON.stringify(left)}, killed before step ${step}`;
      // New inputs come after everything else has gone: nothing of the earlier run stands where a resume would take
      // it for this run's. The new manifest comes after them, so that it never speaks of other inputs.
      if (now.inputs === NEW.inputs) {
        assert.deepEqual([now.rollouts, now.failures, now.metrics], [undefined, undefined, undefined], place);
        assert.ok([undefined, NEW.manifest].includes(now.manifest), place);
      } else {
        assert.equal(now.inputs, left.inputs, place);
        assert.ok([undefined, left.manifest].includes(now.manifest), place);
      }
      for (const [name, old] of [["rollouts", "rolloutsOld"], ["failures", "failuresOld"]] as const) {
        if (left[name]) assert.ok([now[name], now[old]].includes(left[name]), place);
      }
      // What was put aside before goes only for what takes its place.
      if (!left.rollouts) assert.equal(now.rolloutsOld, left.rolloutsOld, place);
      if (!left.rollouts && !left.failures) assert.equal(now.failuresOld, left.failuresOld, place);

      // The command is given again: it makes its inputs anew, and everything is as after a calm run.
      makeReady(files);
      setAside(files, paths);
      assert.deepEqual(files.all(), calm.all(), place);
    }
  }
  assert.ok(kills >= 2 * [...everything()].length, "every one has two steps at least");
});

Deno.test("setAside() killed twice, at any two steps, is still completed by a third time", () => {
  const left = {
    rollouts: "R\n",
    failures: "F\n",
    rolloutsOld: "R0\n",
    failuresOld: "F0\n",
    inputs: "I\n",
    metrics: "M\n",
    manifest: "m\n",
  };
  const calm = filesWith(left);
  setAside(calm, paths);
  for (let first = 0; first < 10; first++) {
    for (let second = 0; second < 10; second++) {
      const files = filesWith(left);
      killedAt(first, files);
      makeReady(files);
      killedAt(second, files);
      makeReady(files);
      setAside(files, paths);
      assert.deepEqual(files.all(), calm.all(), `${first}, ${second}`);
    }
  }
});

Deno.test("setAside() of a run without a manifest leaves none", () => {
  const files = filesWith({ manifest: "old manifest\n" });
  files.remove(paths.manifestNew);
  setAside(files, paths);
  assert.deepEqual(there(files), { inputs: NEW.inputs });
});

Deno.test("setAside() without new inputs fails, and costs no results", () => {
  const files = new MemoryFiles({ [paths.rollouts]: "R\n" });
  assert.throws(() => setAside(files, paths), /No such file/);
  assert.equal(files.text(paths.rolloutsOld), "R\n");
});
