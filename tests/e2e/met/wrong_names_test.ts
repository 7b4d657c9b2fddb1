/** "It says there is no such file, and I cannot see what I got wrong." */
import assert from "node:assert/strict";
import { rollcall, Scratch } from "../_rollcall.ts";

Deno.test("a user who misspells a file is told the nearest one beside it", async () => {
  await using scratch = new Scratch();
  scratch.tasks(1);
  scratch.write("prompt.yaml", "user: x\n");
  scratch.write("run.jsonc", "{}");
  scratch.write("runs/a.jsonl", "");
  const cases: [args: string[], found: string][] = [
    [["collect", "-i", "task.jsonl", "-o", "r.jsonl"], "tasks.jsonl"],
    [["plan", "-i", "tasks.jsonl", "-o", "r.jsonl", "--prompt-config", "promt.yaml"], "prompt.yaml"],
    [["plan", "--config", "runs.jsonc"], "run.jsonc"],
    [["status", "runs/b.jsonl"], "runs/a.jsonl"],
    [["failures", "run/a.jsonl"], "runs/a.jsonl"],
    [["health", "runs", "--rollouts-file", "a.json"], "runs/a.jsonl"],
  ];
  for (const [args, found] of cases) {
    const { code, err } = await rollcall(args, { cwd: scratch.path });
    assert.equal(code, 2, err);
    assert.ok(err.includes(`Did you mean ${found}?`), `${args.join(" ")}: ${err}`);
  }
});
