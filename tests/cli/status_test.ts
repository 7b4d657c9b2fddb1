import assert from "node:assert/strict";
import { join } from "node:path";
import { statusCommand } from "../../src/cli/commands/status.ts";
import type { World } from "../../src/ports/world.ts";
import { denoDisk } from "../../src/edge/deno_disk.ts";
import { UsageFault } from "../../src/kit/fault.ts";

const input = (task: number) => `{"agent_ref":{"name":"s"},"_ng_task_index":${task},"_ng_rollout_index":0}\n`;
const row = (task: number, more = "") => `{${more}"_ng_task_index":${task},"_ng_rollout_index":0}\n`;

/** The status of an output with these files, as text and as JSON. */
async function statusOf(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const folder = await Deno.makeTempDir({ prefix: "status-" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    const said = { out: "", err: "" };
    const world = {
      disk: denoDisk,
      env: (name: string) => env[name],
      terminal: {
        live: false,
        colour: false,
        columns: () => 80,
        out: (text: string) => void (said.out += text),
        err: (text: string) => void (said.err += text),
      },
    } as Partial<World> as World;
    const output = join(folder, "a.jsonl");
    assert.equal(await statusCommand({ outputs: [output], json: false }, world), 0);
    const text = said.out.replaceAll(folder, "runs");
    said.out = "";
    assert.equal(await statusCommand({ outputs: [output], json: true }, world), 0);
    for (const [name, text] of Object.entries(files)) {
      assert.equal(await Deno.readTextFile(join(folder, name)), text, `${name} is as it was`);
    }
    assert.equal((await Array.fromAsync(Deno.readDir(folder))).length, Object.keys(files).length);
    return { text, json: JSON.parse(said.out), err: said.err };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("statusCommand() refuses what is not a rollouts file, and what cannot be read, in a line", async () => {
  const folder = await Deno.makeTempDir({ prefix: "status-" });
  try {
    await Deno.mkdir(join(folder, "there.jsonl"));
    const unreadable = new Proxy(denoDisk, {
      get: (target, member: keyof typeof denoDisk) =>
        member === "exists"
          ? () => {
            throw new Deno.errors.NotCapable(
              'Requires all access to "/x/a", run again with the --allow-all flag',
            );
          }
          : target[member],
    });
    const ask = (output: string, disk = denoDisk) =>
      statusCommand(
        { outputs: [output], json: false },
        { disk, env: () => undefined } as Partial<World> as World,
      );
    for (
      const [output, disk, words] of [
        [join(folder, "there.jsonl"), denoDisk, /there\.jsonl is a folder: name the rollouts file/],
        ["/dev/null", denoDisk, /\/dev\/null is not a rollouts file/],
        [
          join(folder, "a"),
          unreadable,
          /^Cannot read the run at .*\/a: no permission for it \(all access\) \(\/x\/a\)\.$/,
        ],
      ] as const
    ) {
      await assert.rejects(ask(output, disk), (error) => {
        assert.ok(error instanceof UsageFault, String(error));
        assert.match(error.message, words);
        return true;
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("statusCommand() shows what of a dead run is done, failed and left", async () => {
  const { text, json, err } = await statusOf({
    "a_materialized_inputs.jsonl": [0, 1, 2, 3, 4, 5].map(input).join(""),
    "a.jsonl": row(0) + row(1) + '{"_ng_task_index":5,"_ng_ro',
    "a_failures.jsonl": row(2, '"_ng_failure_class":"agent_run_error",').repeat(3) +
      row(3, '"_ng_failure_class":"skipped","_ng_failure_terminal":true,') +
      row(4, '"_ng_failure_class":"agent_run_error",') + row(1, '"_ng_failure_class":"agent_run_error",'),
  });
  assert.equal(err, "");
  const { output: _, ...counts } = json;
  assert.deepEqual(counts, {
    running: false,
    holder: null,
    per_minute: null,
    seconds_left: null,
    stalled_s: null,
    materialized: 6,
    done: 2,
    left: 2,
    reward: null,
    unscored: 2,
    terminal: 1,
    at_cap: 1,
    failed_before: 1,
    failed: { agent_run_error: 2, skipped: 1 },
    other_failed: { classes: 0, count: 0 },
    attempts: 6,
    attempts_cap: 3,
    duplicates: 0,
    strangers: 0,
    nameless: 0,
    not_json: 0,
    torn: 1,
    runs: [],
  });
  assert.equal(
    text,
    `2 of 6 rollouts done, 2 left: runs/a.jsonl

collector   none is running
rollouts    6 in all: 2 done, 1 failed permanently, 1 at the attempt limit (3
            attempts), 2 left (1 of them failed before)
reward      2 without a reward
failures    6 attempts recorded; rollouts without a result by their last
            failure: 2 agent_run_error, 1 skipped
lines       1 line is incomplete or just being written
next step   rerun the same command with --resume
`,
  );
});

Deno.test("statusCommand() goes by NEMO_GYM_MAX_ROLLOUT_ATTEMPTS, and warns of one that is of no use", async () => {
  const files = {
    "a_materialized_inputs.jsonl": input(0),
    "a.jsonl": "",
    "a_failures.jsonl": row(0),
  };
  assert.equal((await statusOf(files, { NEMO_GYM_MAX_ROLLOUT_ATTEMPTS: "1" })).json.at_cap, 1);
  const { json, err } = await statusOf(files, { NEMO_GYM_MAX_ROLLOUT_ATTEMPTS: "x" });
  assert.equal(json.at_cap, 0);
  assert.match(err, /Warning: NEMO_GYM_MAX_ROLLOUT_ATTEMPTS/);
});

Deno.test("statusCommand() shows what can be said of rollouts without inputs", async () => {
  const { text, json } = await statusOf({ "a.jsonl": row(0) + row(1) });
  assert.deepEqual([json.materialized, json.done, json.left], [null, 2, null]);
  assert.match(text, /^2 rows without materialized inputs: runs\/a\.jsonl\n/);
});

Deno.test("statusCommand() shows that nothing of inputs alone is done", async () => {
  const { json } = await statusOf({ "a_materialized_inputs.jsonl": input(0) + input(1) });
  assert.deepEqual([json.materialized, json.done, json.left], [2, 0, 2]);
});

Deno.test("statusCommand() counts odd lines", async () => {
  const { json, text } = await statusOf({
    "a_materialized_inputs.jsonl": input(0),
    "a.jsonl": row(0) + row(0) + row(9) + "{}\n<html>\n",
  });
  assert.deepEqual([json.duplicates, json.strangers, json.nameless, json.not_json], [1, 1, 1, 1]);
  assert.match(text, /lines {7}\d+ lines? repeats? an identity/);
});

Deno.test("statusCommand() names who collects, and nobody once the process is gone", async () => {
  const files = { "a_materialized_inputs.jsonl": input(0), "a.jsonl": "" };
  const lease = JSON.stringify({ host: Deno.hostname(), pid: 1, since: "2026-01-01T00:00:00Z", beat: 3 });
  // Nobody has the OS lock on it, so its process is dead.
  assert.equal((await statusOf({ ...files, "a.lock": lease })).json.running, false);
  // On another machine a fresh heartbeat tells of life.
  const { json, text } = await statusOf({
    ...files,
    "a.lock": lease.replace(Deno.hostname(), "elsewhere"),
  });
  assert.deepEqual(json.holder, { host: "elsewhere", pid: 1, since: "2026-01-01T00:00:00Z" });
  assert.match(text, /collector {3}process 1 on elsewhere, since 2026-01-01T00:00:00Z, is collecting\n/);
});

Deno.test("statusCommand() shows the runs that a manifest lists", async () => {
  const run = { at: "2026-01-01T00:00:00Z", host: "h", pid: 1, version: "0", resumed: false };
  const { json, text } = await statusOf({
    "a_materialized_inputs.jsonl": input(0),
    "a.jsonl": "",
    "a_manifest.json": JSON.stringify({
      manifest: 1,
      config: {},
      input: { path: "x", sha256: "y" },
      runs: [run, { ...run, at: "2026-01-02T00:00:00Z", resumed: true }],
    }),
  });
  assert.equal(json.runs.length, 2);
  assert.match(text, /runs {8}2, begun 2026-01-01T00:00:00Z and last 2026-01-02T00:00:00Z\n/);
});

Deno.test("statusCommand() says that there is no run, and what is wrong with inputs that are none", async () => {
  await assert.rejects(
    statusOf({}),
    (error) => error instanceof UsageFault && /There is no run at /.test(error.message),
  );
  await assert.rejects(statusOf({ "a_materialized_inputs.jsonl": input(0) + "{}\n[]\n" }), {
    name: "UsageFault",
    message:
      /a_materialized_inputs\.jsonl:2: it has no _ng_task_index.*\n.*:3: it does not begin with a brace/s,
  });
});

Deno.test("statusCommand() sums the shards that a pattern or a shell's list names, and ignores the files beside them", async () => {
  const folder = Deno.realPathSync(await Deno.makeTempDir({ prefix: "status-" }));
  try {
    const shard = (k: number) => join(folder, `a-shard-000${k}-of-0003`);
    for (const k of [0, 2]) {
      await Deno.writeTextFile(`${shard(k)}.jsonl`, row(k));
      await Deno.writeTextFile(`${shard(k)}_materialized_inputs.jsonl`, input(k) + input(k + 3));
      await Deno.writeTextFile(`${shard(k)}_failures.jsonl`, "");
    }
    await Deno.writeTextFile(join(folder, "b.jsonl"), row(0));
    const said = async (outputs: readonly string[], json = false) => {
      let out = "";
      const terminal = { columns: () => 80, out: (text: string) => void (out += text) };
      const world = { disk: denoDisk, env: () => undefined, terminal } as unknown as World;
      const code = await statusCommand({ outputs, json }, world).catch((error) => {
        assert.ok(error instanceof UsageFault, String(error));
        return error.message;
      });
      return { code, out };
    };
    const pattern = join(folder, "a-shard-*.jsonl"),
      all = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const { code, out } = await said([pattern]);
    assert.equal(code, 0);
    assert.match(out, /^2 of 4 rollouts done, 2 left: \S*a-shard-\*-of-0003\.jsonl\n/);
    assert.match(out, /not begun +1\n/);
    const shells = all.filter((name) => name.startsWith("a-")).sort().map((name) => join(folder, name));
    assert.deepEqual(await said(shells), { code: 0, out });
    const lines = (await said([pattern], true)).out.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ output }) => output), [`${shard(0)}.jsonl`, `${shard(2)}.jsonl`]);
    assert.match(
      (await said([`${shard(0)}.jsonl`])).out,
      /^1 of 2 rollouts done, 1 left: \S*0000-of-0003\.jsonl\n/,
    );
    assert.match(
      (await said([pattern, join(folder, "b.jsonl")])).out,
      /^1 row without[^]*\n\n2 of 4 rollouts/,
    );
    assert.match(String((await said([join(folder, "c*")])).code), /^No rollouts file matches .*c\*\.$/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
