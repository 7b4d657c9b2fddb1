import assert from "node:assert/strict";
import { initCommand } from "../../src/cli/commands/init.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

/** What is asked, and what is written, when somebody answers so. */
async function asked(answers: (string | null)[]) {
  using fake = new FakeWorld();
  const questions: string[] = [];
  const world = {
    ...fake.world,
    ask(question: string) {
      questions.push(question);
      return answers.shift()!;
    },
  };
  const error = await initCommand({ file: "run.jsonc", set: {} }, world, () => {}).then(
    () => undefined,
    (error) => error,
  );
  return { questions, error, text: fake.list().includes("run.jsonc") ? fake.text("run.jsonc") : undefined };
}

Deno.test("initCommand() asks on a terminal, and again where an answer cannot be used", async () => {
  const { questions, text, error } = await asked([
    "tasks.jsonl",
    " out/r.jsonl ",
    "",
    "127.0.0.1:9000",
    "many",
    "4",
    "0",
    "",
  ]);
  assert.equal(error, undefined);
  assert.equal(questions.length, 8);
  assert.match(questions[5]!, /num_repeats.*"many"[^]*Rollouts per task/);
  assert.match(questions[7]!, /num_samples_in_parallel/);
  assert.match(text!, /^ {2}"output_jsonl_fpath": "out\/r\.jsonl",$/m);
  assert.match(text!, /^ {2}\/\/ "agent_name"/m);
  assert.match(text!, /^ {2}"head_server": \{"host":"127\.0\.0\.1","port":9000\},$/m);
  assert.match(text!, /^ {2}"num_repeats": 4,$/m);
  assert.match(text!, /^ {2}\/\/ "num_samples_in_parallel"/m);
});

Deno.test("initCommand() writes nothing when the questions are not answered", async () => {
  const { error, text } = await asked(["tasks.jsonl", null]);
  assert.ok(error instanceof UsageFault);
  assert.match(error.message, /^Nothing was written/);
  assert.equal(text, undefined);
});

Deno.test("initCommand() overwrites no file, and writes only what collect --config can read", async () => {
  using fake = new FakeWorld({ files: { "run.jsonc": "mine" } });
  const init = (file: string) => initCommand({ file, set: { num_repeats: 2 } }, fake.world, () => {});
  await assert.rejects(init("run.jsonc"), /is there already/);
  await assert.rejects(init("run.yaml"), /must end in \.jsonc/);
  await assert.rejects(init("nowhere/run.jsonc"), /Cannot write nowhere\/run\.jsonc: No such file/);
  assert.deepEqual(fake.list(), ["run.jsonc"]);
  assert.equal(fake.text("run.jsonc"), "mine");
});
