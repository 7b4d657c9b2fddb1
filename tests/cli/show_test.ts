import assert from "node:assert/strict";
import { FakeWorld } from "../fakes/fake_world.ts";

const FILES = {
  "r.jsonl":
    '{"reward":1,"_ng_task_index":3,"_ng_rollout_index":1,"response":{"output":"an answer"}}\nbroken\n',
  "r_failures.jsonl":
    '{"_ng_task_index":4,"_ng_rollout_index":0,"_ng_failure_class":"agent_timeout","_ng_failure_message":"too slow"}\n',
  "r_materialized_inputs.jsonl":
    '{"id":"gsm-1","_ng_task_index":3,"_ng_rollout_index":1,"responses_create_params":{"input":"a question"}}\n',
};

for (
  const [args, code, output] of [
    [["3"], 0, /Rollout 3-1 {2}reward 1\n[^]*user\n {2}a question\n\nassistant\n {2}an answer/],
    [["3", "1", "--json"], 0, /^\{"task":3,"rollout":1,[^\n]*"text":"a question"[^\n]*\}\n$/],
    [["--id", "gsm-1"], 0, /Rollout 3-1/],
    [["--failures"], 0, /Rollout 4-0\nfailed: agent_timeout\n {2}too slow/],
    [["9"], 2, /has nothing of task 9/],
    [["--id", "nope"], 2, /No row of .* has the id "nope"/],
    [["gsm-1"], 2, /TASK must be a whole number/],
    [[], 2, /Name the task/],
  ] as const
) {
  Deno.test(`show r.jsonl ${args.join(" ")} ends with ${code}`, async () => {
    using fake = new FakeWorld({ args: ["show", "r.jsonl", ...args], files: FILES });
    assert.equal(await fake.run(), code);
    assert.match(fake.terminal.stdout + fake.terminal.stderr, output);
  });
}
