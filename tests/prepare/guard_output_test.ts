import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Config } from "../../src/config/config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { setAside } from "../../src/store/set_aside.ts";
import { prepareRun } from "../../src/prepare/prepare_run.ts";
import { FakeWorld, type FakeWorldOptions } from "../fakes/fake_world.ts";

const HOLDER = { host: "here", pid: 1, since: "2026-01-01T00:00:00.000Z" };
const ROW = '{"agent_ref":{"name":"a"},"responses_create_params":{}}\n';
const DONE = '{"reward":1,"_ng_task_index":0,"_ng_rollout_index":0}\n';

function world(options: FakeWorldOptions = {}): FakeWorld {
  return new FakeWorld({ ...options, files: { "in.jsonl": ROW, "out/": "", ...options.files } });
}

function config(set: Record<string, unknown>): Config {
  return configSchema("collect").parse({
    input_jsonl_fpath: "in.jsonl",
    output_jsonl_fpath: "out/r.jsonl",
    servers: { a: "http://127.0.0.1:1" },
    ...set,
  });
}

function prepare(fake: FakeWorld, set: Record<string, unknown> = {}) {
  return prepareRun(config(set), fake.world, { holder: HOLDER, stop: () => {} });
}

/** A run that was collected: its files are in place, and one rollout is done. */
async function collected(fake: FakeWorld, set: Record<string, unknown> = {}) {
  const { plan, notes } = await prepare(fake, set);
  setAside(fake.world.disk.files, plan.paths);
  Deno.writeTextFileSync(plan.paths.rollouts, DONE);
  return { plan, notes };
}

const resume = { resume_from_cache: true };

/** Everything in the folder with what it holds. */
function contents(fake: FakeWorld): Record<string, string> {
  return Object.fromEntries(
    fake.list().filter((path) => !path.endsWith("/")).map((path) => [path, fake.text(path)]),
  );
}

async function refused(fake: FakeWorld, set: Record<string, unknown>, message: RegExp): Promise<void> {
  const before = contents(fake);
  await assert.rejects(prepare(fake, set), { name: "UsageFault", message });
  assert.deepEqual(contents(fake), before);
}

for (const [first, second] of [["qwen2.5", "qwen2.7"], ["r.jsonl", "r.json"], ["r.json", "r"]] as const) {
  Deno.test(`${first} and ${second} share files: the second run is refused, afresh and as a resume`, async () => {
    using fake = world();
    await collected(fake, { output_jsonl_fpath: `out/${first}` });
    const second_ = { output_jsonl_fpath: `out/${second}` };
    await refused(fake, second_, /belong to .*Name another output, such as .*Nothing was touched\.$/);
    await refused(fake, { ...second_, ...resume }, /belong to /);
    fake.write(`out/${second}`, DONE);
    await refused(fake, { ...second_, ...resume }, /belong to /);
    await prepare(fake, { output_jsonl_fpath: `out/${first}`, ...resume });
  });
}

Deno.test("files of another output are found without a manifest too, as Gym leaves them", async () => {
  using fake = world({
    files: {
      "out/r.jsonl": DONE,
      "out/r_materialized_inputs.jsonl": DONE.replace("{", '{"agent_ref":{"name":"a"},'),
    },
  });
  await refused(fake, { output_jsonl_fpath: "out/r.json" }, /belong to .*r\.jsonl/);
  await prepare(fake, resume);
});

for (
  const [then, now] of [
    [{ num_repeats: null }, { num_repeats: 1 }],
    [{ num_repeats: 2 }, { num_repeats: { _default: 2 } }],
    [{ num_repeats: { _default: null } }, {}],
    [{ num_repeats: { a: null, _default: 2 } }, { num_repeats: { _default: 2, a: 1 } }],
    [{ limit: null }, { limit: 0 }],
    [{ agent_name: "a" }, { agent_map: { _default: "a" } }],
    [{ fan_out: null }, { fan_out: {} }],
    [{ agent_map: null }, { agent_map: {} }],
    [{ environment_server_routes: null }, { environment_server_routes: {} }],
    [{ input_jsonl_fpath: "in.jsonl" }, { input_jsonl_fpath: "./out/../in.jsonl" }],
    [{ output_jsonl_fpath: "out/r.jsonl" }, { output_jsonl_fpath: "./out/../out/r.jsonl" }],
  ] as Record<string, unknown>[][]
) {
  Deno.test(`a resume takes ${JSON.stringify(now)} for ${JSON.stringify(then)}`, async () => {
    using fake = world();
    await collected(fake, then!);
    await prepare(fake, { ...now, ...resume });
  });
}

for (
  const [then, now, message] of [
    [{ num_repeats: 1 }, { num_repeats: { _default: 2 } }, /num_repeats was 1 and is 2 now/],
    [{ agent_name: "a" }, { agent_map: { b: "a" } }, /agent_name was "a" and is null now/],
    [{ num_repeats: { a: 2, _default: 1 } }, { num_repeats: 1 }, /num_repeats was/],
  ] as [Record<string, unknown>, Record<string, unknown>, RegExp][]
) {
  Deno.test(`a resume does not take ${JSON.stringify(now)} for ${JSON.stringify(then)}`, async () => {
    using fake = world();
    await collected(fake, then);
    await refused(fake, { ...now, ...resume }, message);
  });
}

Deno.test("blank lines, line endings and a byte-order mark are no change of the input, another row is", async () => {
  using fake = world();
  await collected(fake);
  for (const same of [`\n${ROW}\n\n`, ROW.trimEnd(), `\uFEFF${ROW.trimEnd()}\r\n`]) {
    fake.write("in.jsonl", same);
    await prepare(fake, resume);
    Deno.removeSync(`${fake.folder}/out/r_manifest.json.new`);
  }
  fake.write("in.jsonl", ROW + ROW);
  await refused(fake, resume, /the input .* has other content/);
});

for (const interleave_repeats of [false, true]) {
  Deno.test(`materialized inputs that were edited${interleave_repeats ? ", in rounds," : ""} are drift`, async () => {
    using fake = world();
    await collected(fake, { interleave_repeats, num_repeats: 2 });
    const set = { ...resume, interleave_repeats, num_repeats: 2 };
    await prepare(fake, set);
    Deno.removeSync(`${fake.folder}/out/r_manifest.json.new`);
    const inputs = fake.text("out/r_materialized_inputs.jsonl");
    fake.write("out/r_materialized_inputs.jsonl", inputs.replace('"a"', '"a" '));
    await refused(fake, set, /the materialized inputs were edited/);
    await prepare(fake, { ...set, accept_drift: true });
  });
}

Deno.test("a requeued Slurm job does not replace the rollouts of its earlier runs, unless --fresh insists", async () => {
  const job = { SLURM_JOB_ID: "9", SLURM_ARRAY_JOB_ID: "7", SLURM_ARRAY_TASK_ID: "2" };
  using first = world({ env: job });
  await collected(first);
  const files = contents(first);
  for (
    const [env, set, isRefused] of [
      [{ ...job, SLURM_RESTART_COUNT: "1" }, {}, true],
      [{ ...job, SLURM_RESTART_COUNT: "1" }, { fresh: true }, false],
      [{ ...job, SLURM_RESTART_COUNT: "1" }, resume, false],
      [{ ...job, SLURM_RESTART_COUNT: "0" }, {}, false],
      [{ ...job, SLURM_ARRAY_TASK_ID: "3", SLURM_RESTART_COUNT: "1" }, {}, false],
      [{}, {}, false],
    ] as [Record<string, string>, Record<string, unknown>, boolean][]
  ) {
    using fake = world({ env, files });
    if (isRefused) await refused(fake, set, /Slurm job 7_2 was requeued .*--resume .*--fresh/);
    else await prepare(fake, set);
  }
});

Deno.test("a second output in a folder has health reports of its own, and keeps them; the first keeps Gym's names", async () => {
  using fake = world();
  const a = await collected(fake), b = await collected(fake, { output_jsonl_fpath: "out/b.jsonl" });
  assert.match(a.plan.paths.qualitySummary, /out\/quality_summary\.json$/);
  assert.match(b.plan.paths.qualitySummary, /out\/b_quality_summary\.json$/);
  assert.match(b.plan.paths.verdicts, /out\/b_rollout_verdicts\.jsonl$/);
  assert.ok(b.plan.permissions.write.includes(b.plan.paths.verdicts));
  assert.ok(!b.plan.permissions.write.includes(a.plan.paths.verdicts));
  assert.match(b.notes.join(), /are those of r\.jsonl; this output has b_quality_summary\.json/);
  const again = await prepare(fake, { output_jsonl_fpath: "out/b.jsonl", ...resume });
  assert.equal(again.plan.paths.verdicts, b.plan.paths.verdicts);
  assert.match((await prepare(fake, resume)).plan.paths.verdicts, /out\/rollout_verdicts\.jsonl$/);
});

Deno.test("an output cannot have the name of its own lock", async () => {
  using fake = world();
  await refused(fake, { output_jsonl_fpath: "out/x.lock" }, /the lock of the run has that name/);
});

Deno.test("num_repeats has a bound", async () => {
  using fake = world();
  await refused(
    fake,
    { num_repeats: 99_999_999_999 },
    /num_repeats must be at most 1000000, got 99999999999/,
  );
});

for (
  const [what, bytes, message] of [
    ["a JSON array", ` \n[${ROW.trim()}]`, /^Cannot use in: it is a JSON array.*jq -c/],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0]), /it is UTF-16 text.*iconv/],
    ["UTF-16 without a mark", new Uint8Array([0x7b, 0, 0x22, 0]), /it is UTF-16 text/],
    ["Parquet", "PAR1\x15", /it is a Parquet file/],
    ["a packed JSON array", gzipSync("[1]"), /it is a JSON array/],
  ] as const
) {
  Deno.test(`an input that is ${what} is refused by what it is`, async () => {
    using fake = world({ files: { in: bytes } });
    await refused(fake, { input_jsonl_fpath: "in" }, message);
  });
}

Deno.test("gzip under a plain name is unpacked, and /dev/stdin is read as -", async () => {
  using fake = world({ files: { in: gzipSync(ROW) }, stdin: ROW + ROW });
  assert.equal((await prepare(fake, { input_jsonl_fpath: "in" })).plan.rows, 1);
  assert.equal((await prepare(fake, { input_jsonl_fpath: "/dev/stdin" })).plan.rows, 2);
});
