/** `rollcall health` on the program itself. */
import assert from "node:assert/strict";
import { row, turn } from "../health/_rollouts.ts";
import { rollcall, Scratch } from "./_rollcall.ts";

Deno.test("the reports are the same bytes with one thread and with three", async () => {
  await using scratch = new Scratch();
  Deno.mkdirSync(scratch.at("run"));
  const odd = [
    "",
    "{",
    '{"ng_trajectory":7}',
    "  ",
    "[1]",
    '{"_ng_task_index":"x","_ng_rollout_index":1e30}',
  ];
  const lines = Array.from({ length: 6000 }, (_, k) => {
    if (k % 100 === 7) return odd[k / 100 % odd.length | 0];
    const hollow = k % 50 === 3 ? { turns: [turn(1, ["call-0"], { answer: "" })] } : {};
    return JSON.stringify(
      row({ _ng_task_index: k >> 1, _ng_rollout_index: k % 3, x: "x".repeat(k % 700) }, hollow),
    );
  });
  Deno.writeTextFileSync(scratch.at("run/rollouts.jsonl"), `${lines.join("\n")}\n`);

  const reports = async (...words: string[]) => {
    const { code, err } = await rollcall(["health", "run", "--json", ...words], { cwd: scratch.path });
    assert.equal(code, 0, err);
    return ["run/quality_summary.json", "run/rollout_verdicts.jsonl"].map((name) =>
      Deno.readTextFileSync(scratch.at(name))
    );
  };
  const [summary, verdicts] = await reports("--workers", "1");
  assert.match(verdicts!, /agent_turn_hollow/);
  assert.match(verdicts!, /__unreadable_record__:input-0:line-108"/);
  assert.deepEqual(await reports("--workers", "3"), [summary, verdicts]);
});
