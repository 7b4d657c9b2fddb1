/** `--resume --extend`: what is there stays as it is, what is new comes behind it, and a kill in the middle loses nothing. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { configSchema } from "../../src/config/schema.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { inForce, readManifest, sha256 } from "../../src/plan/manifest.ts";
import { type PreparedRun, prepareRun } from "../../src/prepare/prepare_run.ts";
import { resumeRun } from "../../src/resume/resume_run.ts";
import { FakeWorld, headAnswer } from "../fakes/fake_world.ts";
import { MemoryFiles, PowerCut } from "../fakes/memory_files.ts";

const HEAD = "http://127.0.0.1:11000/global_config_dict_yaml";
const HOLDER = { host: "here", pid: 1, since: "2026-01-01T00:00:00.000Z" };
const SERVERS = Object.fromEntries(["a", "b"].map((name, k) => [
  name,
  { responses_api_agents: { simple: { host: "127.0.0.1", port: 8001 + k } } },
]));
const INPUTS = "out/r_materialized_inputs.jsonl", MANIFEST = "out/r_manifest.json", ROLLOUTS = "out/r.jsonl";

/** A line of each letter: the same letter, the same task. */
const lines = (letters: string) =>
  [...letters].map((q) => `{"q":"${q}","agent_ref":{"name":"a"},"responses_create_params":{"input":"x"}}\n`)
    .join("");

interface Row {
  readonly q: string;
  readonly agent_ref: { readonly name: string };
  readonly responses_create_params: { readonly metadata?: { readonly extra_body: string } };
  readonly _ng_task_index: number;
  readonly _ng_rollout_index: number;
}

class Runs implements Disposable {
  readonly fake: FakeWorld;

  constructor(letters: string) {
    this.fake = new FakeWorld({
      files: { "in.jsonl": lines(letters), "out/": "" },
      answers: { [HEAD]: headAnswer(SERVERS) },
    });
  }

  async prepare(set: Record<string, unknown>, written = true): Promise<PreparedRun> {
    const config = configSchema("collect").parse({
      input_jsonl_fpath: "in.jsonl",
      output_jsonl_fpath: ROLLOUTS,
      route_failures_to_sidecar: true,
      ...set,
    });
    return await prepareRun(config, this.fake.world, {
      ...(written ? { holder: HOLDER } : {}),
      stop: () => {},
    });
  }

  /** A fresh run of which nothing is done but its first rollout. */
  async begin(set: Record<string, unknown> = {}): Promise<Row[]> {
    await this.prepare(set);
    this.commit();
    this.fake.write(ROLLOUTS, this.fake.text(INPUTS).replace(/\n.*/s, "\n"));
    return this.rows;
  }

  async extend(
    set: Record<string, unknown> = {},
  ): Promise<{ readonly index: PreparedRun["index"]; readonly rows: Row[] }> {
    const { index, plan } = await this.prepare({ ...set, resume_from_cache: true, extend: true });
    assert.ok(plan.resume!.extends);
    this.commit();
    return { index, rows: this.rows };
  }

  /** What the collector does first. */
  commit(): void {
    for (const path of [MANIFEST, INPUTS]) {
      if (!this.fake.list().includes(`${path}.new`)) continue;
      this.fake.write(path, this.fake.text(`${path}.new`));
      Deno.removeSync(`${this.fake.folder}/${path}.new`);
    }
  }

  get rows(): Row[] {
    return this.fake.text(INPUTS).trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  /** The message that extending is refused with; everything on the disk has to be as it was. */
  async refused(set: Record<string, unknown>): Promise<string> {
    const all = () =>
      this.fake.list().filter((path) => !path.endsWith("/")).map((path) => [path, this.fake.text(path)]);
    const before = all();
    try {
      await this.prepare({ resume_from_cache: true, extend: true, ...set });
    } catch (error) {
      assert.ok(error instanceof UsageFault, String(error));
      assert.deepEqual(all(), before);
      return error.message;
    }
    return assert.fail("it was extended");
  }

  [Symbol.dispose](): void {
    this.fake[Symbol.dispose]();
  }
}

const named = (rows: readonly Row[]) =>
  rows.map((row) => `${row.q}${row._ng_task_index}-${row._ng_rollout_index} ${row.agent_ref.name}`);

Deno.test("an extension adds repeats with the next free rollout indices, whose seeds follow, and changes no row", async () => {
  using runs = new Runs("xy");
  const set = { fan_out: { a: ["a", "b"] }, num_repeats_add_seed: true };
  await runs.begin({ ...set, num_repeats: 1 });
  const before = runs.fake.text(INPUTS);
  const { rows, index } = await runs.extend({ ...set, num_repeats: { b: 3, _default: 2 } });
  assert.ok(runs.fake.text(INPUTS).startsWith(before));
  assert.deepEqual(named(rows), [
    ...["x0-0 a", "x0-1 b", "y1-0 a", "y1-1 b"],
    ...["x0-2 a", "x0-3 b", "x0-4 b", "y1-2 a", "y1-3 b", "y1-4 b"],
  ]);
  for (const row of rows) {
    const { seed } = JSON.parse(row.responses_create_params.metadata!.extra_body);
    assert.equal(seed, row._ng_rollout_index);
  }
  // The index is about the new file.
  const text = runs.fake.text(INPUTS), { offset, length, route } = index.columns;
  rows.forEach((row, k) => {
    assert.deepEqual(JSON.parse(text.slice(offset[k], offset[k]! + length[k]!)), row);
    assert.equal(route[k], row.agent_ref.name === "a" ? 0 : 1);
  });
});

Deno.test("an extension adds rows up to a larger limit and rows at the end; a line that was there gets the next rollouts", async () => {
  using runs = new Runs("xyzw");
  await runs.begin({ limit: 2 });
  assert.deepEqual(named((await runs.extend({ limit: 3 })).rows), ["x0-0 a", "y1-0 a", "z2-0 a"]);
  runs.fake.write("in.jsonl", lines("xyzwxv"));
  assert.deepEqual(named((await runs.extend()).rows).slice(3), ["w3-0 a", "x0-1 a", "v4-0 a"]);
  // Once more, with nothing to add: an ordinary resume.
  assert.equal((await runs.extend()).rows.length, 6);
  const { plan } = await runs.prepare({ resume_from_cache: true });
  assert.equal(plan.rollouts, 6);
});

Deno.test("an extension that is only planned has the same rows and writes nothing", async () => {
  using runs = new Runs("xyz");
  await runs.begin({ limit: 1 });
  const before = runs.fake.list();
  const { plan, index } = await runs.prepare(
    { resume_from_cache: true, extend: true, num_repeats: 2 },
    false,
  );
  assert.deepEqual(runs.fake.list(), before);
  assert.deepEqual([plan.rollouts, ...index.columns.task.subarray(0, index.size)], [6, 0, 0, 1, 1, 2, 2]);
});

Deno.test("what else has changed, and less of anything, is refused", async () => {
  using runs = new Runs("xyz");
  await runs.begin({ num_repeats: 2 });
  assert.match(await runs.refused({ num_repeats: 1 }), /fewer rollouts than they have now/);
  assert.match(await runs.refused({ num_repeats: 3, limit: 2 }), /it is of 3 rows, and the limit is 2 now/);
  assert.match(await runs.refused({ num_repeats: 3, agent_name: "b" }), /agent_name was null and is "b" now/);
  assert.match(await runs.refused({ num_repeats: 3, tasks: "1" }), /tasks was null and is "1" now/);
  runs.fake.write("in.jsonl", lines("xvzw"));
  assert.match(await runs.refused({ num_repeats: 2 }), /the input in\.jsonl has other content/);
  runs.fake.write(INPUTS, `${runs.fake.text(INPUTS)}\n`);
  runs.fake.write("in.jsonl", lines("xyzw"));
  assert.match(await runs.refused({ num_repeats: 2 }), /the materialized inputs were edited/);
});

Deno.test("with a sample repeats can be added, and no rows", async () => {
  using runs = new Runs("uvwxyz");
  const set = { sample: 2, sample_seed: 5 };
  const before = await runs.begin(set);
  const { rows } = await runs.extend({ ...set, num_repeats: 2 });
  assert.deepEqual(named(rows.slice(2)).sort(), named(before).map((name) => name.replace("-0", "-1")).sort());
  runs.fake.write("in.jsonl", lines("uvwxyzq"));
  assert.match(
    await runs.refused({ ...set, num_repeats: 2 }),
    /with sample \(--sample\) only repeats can be added/,
  );
});

Deno.test("whatever is added, and in how many steps: what was there stays, and identities are free of gaps and twins", async () => {
  const step = fc.record({
    repeats: fc.nat(2),
    more: fc.string({ unit: fc.constantFrom(..."xyz"), maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(..."xyz"), minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 3 }),
      async (letters, steps) => {
        using runs = new Runs(letters);
        await runs.begin();
        let num_repeats = 1, all = letters;
        for (const { repeats, more } of steps) {
          const before = runs.fake.text(INPUTS);
          runs.fake.write("in.jsonl", lines(all += more));
          const { rows } = await runs.extend({ num_repeats: num_repeats += repeats });
          assert.ok(runs.fake.text(INPUTS).startsWith(before));
          assert.equal(rows.length, all.length * num_repeats);
          for (const q of new Set(all)) {
            const indices = rows.filter((row) => row.q === q).map((row) => row._ng_rollout_index);
            assert.deepEqual(indices.sort((a, b) => a - b), indices.map((_, k) => k));
          }
        }
      },
    ),
    { numRuns: 15 },
  );
});

Deno.test("a kill at any step of an extension leaves inputs, manifest and rollouts that belong together", async () => {
  using runs = new Runs("xyz");
  await runs.begin();
  const rolloutsBefore = runs.fake.text(ROLLOUTS), inputsBefore = runs.fake.text(INPUTS);
  const { plan, index } = await runs.prepare({ resume_from_cache: true, extend: true, num_repeats: 3 });
  const paths = plan.paths, rename = (name: string) => name.replace(`${runs.fake.folder}/`, "");
  const onDisk = Object.fromEntries(
    [paths.inputs, paths.inputsNew, paths.manifest, paths.manifestNew, paths.rollouts]
      .map((path) => [path, runs.fake.text(rename(path))]),
  );
  const seen = new Set<string>();
  for (let kill = 0, isKilled = true; isKilled; kill++) {
    const files = new MemoryFiles(onDisk);
    let steps = 0;
    files.before = () => {
      if (steps++ === kill) throw new PowerCut();
    };
    isKilled = false;
    index.columns.state.fill(0);
    await resumeRun({ ...plan, resume: plan.resume! }, index, { files, notice: () => {} }).catch(() =>
      isKilled = true
    );
    const inputs = files.text(paths.inputs)!, manifest = readManifest(files.text(paths.manifest)!)!;
    const says = inForce(manifest, sha256(new TextEncoder().encode(inputs)));
    assert.equal(says.materialized_sha256, sha256(new TextEncoder().encode(inputs)), `step ${kill}`);
    assert.equal(says.counts.rollouts, inputs.split("\n").length - 1);
    assert.equal(says.config.num_repeats, inputs === inputsBefore ? 1 : 3);
    assert.equal(files.text(paths.rollouts), rolloutsBefore);
    seen.add(`${inputs === inputsBefore} ${manifest.extended_from !== undefined}`);

    // Whoever runs the same command again gets there.
    for (const [path, name] of [[paths.inputs, INPUTS], [paths.manifest, MANIFEST]] as const) {
      runs.fake.write(name, files.text(path)!);
    }
    assert.equal((await runs.extend({ num_repeats: 3 })).rows.length, 9, `step ${kill}`);
  }
  // Before it, between the manifest and the inputs, and after it.
  assert.deepEqual(seen, new Set(["true false", "true true", "false true"]));
});
