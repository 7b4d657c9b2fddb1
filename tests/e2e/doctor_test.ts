import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "./_rollcall.ts";

const WORDS = ["doctor", "-i", "tasks.jsonl", "-o", "runs/r.jsonl", "-c", "4"];

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly text: string;
}

function verdicts(findings: readonly Finding[]): Record<string, string> {
  return Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]));
}

Deno.test("rollcall doctor says that a run can start, sends no row, and leaves nothing behind", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const before = scratch.snapshot();
  const { code, out, err } = await rollcall([...WORDS, "--json", "--head", `127.0.0.1:${gym.port}`], {
    cwd: scratch.path,
    env: { http_proxy: "http://user:secret@nowhere:1" },
  });
  assert.equal(code, 0, out + err);
  const { ok, findings } = JSON.parse(out);
  assert.equal(ok, true);
  assert.deepEqual(verdicts(findings), {
    "head server": "ok",
    input: "ok",
    run: "ok",
    "server a": "ok",
    "open files": "ok",
    disk: "ok",
    output: "ok",
    locks: "ok",
    files: "ok",
    clock: "ok",
    proxy: "warning",
  });
  assert.doesNotMatch(out, /secret/);
  assert.deepEqual(scratch.snapshot(), before);
  assert.ok(gym.seen.every(({ path }) => ["/global_config_dict_yaml", "/health"].includes(path)));
});

Deno.test("rollcall doctor exits 2 when a run would fail, and names everything that would make it", async () => {
  await using scratch = new Scratch();
  scratch.tasks(3);
  scratch.write("file", "");
  const down = await rollcall([...WORDS, "--server", "a=http://127.0.0.1:1"], { cwd: scratch.path });
  assert.equal(down.code, 2, down.err);
  assert.match(down.out, /^fail +server a +http:\/\/127\.0\.0\.1:1 is unreachable/m);
  assert.match(down.out, /^A run would fail: 1 problem to fix\.$/m);

  const many = await rollcall(
    ["doctor", "-i", "task.jsonl", "-o", "file/r.jsonl", "--head", "127.0.0.1:1", "--json"],
    { cwd: scratch.path },
  );
  assert.equal(many.code, 2, many.err);
  const found = verdicts(JSON.parse(many.out).findings);
  assert.deepEqual([found["head server"], found.input, found.run, found.output], [
    "fail",
    "fail",
    "skipped",
    "fail",
  ]);
  assert.match(many.out, /Did you mean tasks\.jsonl\?/);
  assert.deepEqual(Object.keys(scratch.snapshot()), ["file", "tasks.jsonl"]);
});
