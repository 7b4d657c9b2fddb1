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
    "none",
  ]);
  assert.equal(error, undefined);
  assert.equal(questions.length, 8);
  assert.match(questions[5]!, /num_repeats.*"many"[^]*Rollouts per task/);
  assert.match(questions[7]!, /num_samples_in_parallel/);
  assert.equal(questions[0], "Tasks, a JSONL file [tasks.jsonl]:");
  assert.match(text!, /^ {2}"output_jsonl_fpath": "out\/r\.jsonl",$/m);
  assert.match(text!, /^ {2}\/\/ "agent_name"/m);
  assert.match(text!, /^ {2}"head_server": \{"host":"127\.0\.0\.1","port":9000\},$/m);
  assert.match(text!, /^ {2}"num_repeats": 4,$/m);
  assert.match(text!, /^ {2}\/\/ "num_samples_in_parallel"/m);
});

Deno.test("initCommand() takes an empty answer for what it shows in brackets", async () => {
  const { questions, text } = await asked(Array(6).fill(""));
  assert.deepEqual(questions.map((question) => /\[(.*)\]:$/.exec(question)?.[1]), [
    "tasks.jsonl",
    "runs/rollouts.jsonl",
    "the row's own",
    "127.0.0.1:11000",
    "1",
    "64",
  ]);
  assert.match(text!, /^ {2}"input_jsonl_fpath": "tasks\.jsonl",$/m);
  assert.match(text!, /^ {2}\/\/ "agent_name"/m);
  assert.match(text!, /^ {2}"num_samples_in_parallel": 64,$/m);
});

Deno.test("init without a terminal and without flags writes nothing, and says which flags it needs", async () => {
  using fake = new FakeWorld({ args: ["init"] });
  assert.equal(await fake.run(), 2);
  assert.match(fake.terminal.stderr, /needs flags, at least --input and --output/);
  assert.deepEqual(fake.list(), []);
});

Deno.test("init says in the file and on the terminal that failures go to the sidecar", async () => {
  using fake = new FakeWorld({ args: ["init", "-i", "tasks.jsonl"] });
  assert.equal(await fake.run(), 0);
  assert.match(fake.terminal.stdout, /failures sidecar[^]*take out\s+route_failures_to_sidecar/);
  assert.match(fake.text("run.jsonc"), /ends the run\n {2}"route_failures_to_sidecar": true,/);
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
