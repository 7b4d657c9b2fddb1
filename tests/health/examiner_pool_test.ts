import assert from "node:assert/strict";
import { BatchBuilder, examineBatch } from "../../src/health/batch.ts";
import { ExaminerPool, type FromExaminer, type ToExaminer } from "../../src/health/examiner_pool.ts";
import { row } from "./_rollouts.ts";

/** A Worker that does what it is told when it is told. */
class Held {
  readonly given: ToExaminer[] = [];
  isEnded = false;
  constructor(readonly say: (message: FromExaminer) => void) {}

  send(message: unknown): void {
    this.given.push(message as ToExaminer);
  }

  terminate(): void {
    this.isEnded = true;
  }

  examine(): void {
    const { batch, ignored } = this.given.shift()!;
    this.say({ kind: "examined", lines: examineBatch(batch, new Set(ignored)) });
  }
}

function pool(count: number): { readonly pool: ExaminerPool; readonly workers: Held[] } {
  const workers: Held[] = [];
  const start = (say: (message: FromExaminer) => void) => {
    const worker = new Held(say);
    workers.push(worker);
    return worker;
  };
  return { pool: new ExaminerPool(start, count, ["agent_turn_hollow"]), workers };
}

function batch(task: number) {
  const builder = new BatchBuilder();
  builder.add(new TextEncoder().encode(JSON.stringify(row({ _ng_task_index: task }))), 1);
  return builder.take({ file: "r.jsonl", fileIndex: 0, ordinal: 0 });
}

/** Lets what waits for promises that are settled go on. */
const settle = async () => {
  for (let k = 0; k < 10; k++) await Promise.resolve();
};

Deno.test("a batch goes to the Worker that has the fewest, once it listens, and its result is its own", async () => {
  const { pool: examiners, workers: [first, second] } = pool(2);
  assert.equal(examiners.width, 4);
  const results = [0, 1, 2, 3].map((task) => examiners.examine(batch(task)));
  await settle();
  assert.deepEqual([first!.given.length, second!.given.length], [0, 0]);
  for (const worker of [first!, second!]) worker.say({ kind: "ready" });
  await settle();
  assert.deepEqual([first!.given.length, second!.given.length], [2, 2]);
  assert.deepEqual(first!.given[0]!.ignored, ["agent_turn_hollow"]);
  for (const worker of [second!, second!, first!, first!]) worker.examine();
  const tasks = (await Promise.all(results)).map(([examined]) => examined!.identity.task);
  assert.deepEqual(tasks, [0, 1, 2, 3]);
  examiners.close();
  assert.ok(first!.isEnded && second!.isEnded);
});

Deno.test("a Worker that dies ends what it was given, before it listened or afterwards", async () => {
  for (const isReady of [false, true]) {
    const { pool: examiners, workers: [worker] } = pool(1);
    if (isReady) worker!.say({ kind: "ready" });
    const result = examiners.examine(batch(0));
    await settle();
    worker!.say({ kind: "crashed", message: "out of memory" });
    await assert.rejects(result, { message: "a Worker died: out of memory" });
  }
});
