/** What an exporter relies on at an MLflow server: the fake is held to it in the suite, the real one in a stage of .ci/run. */
import assert from "node:assert/strict";
import { MlflowRun, Refused } from "../../src/export/mlflow_run.ts";
import type { Tracking } from "../../src/ports/tracking.ts";

/** Registers the tests. `unique` makes names that nobody has used. */
export function trackingContract(title: string, tracking: () => Tracking, unique: () => string): void {
  const test = (claim: string, run: () => Promise<void>) => Deno.test(`${title}: ${claim}`, run);
  const open = (names: { experiment: string; run: string; id: string }) =>
    MlflowRun.open(tracking(), names, 1_700_000_000_000);

  test("a run is made once: who opens it again finds it, and another id is another run", async () => {
    const experiment = unique(), id = unique();
    const first = await open({ experiment, run: "r", id });
    assert.match(first.page, /^\/#\/experiments\/\d+\/runs\/\w+$/);
    assert.equal((await open({ experiment, run: "r", id })).page, first.page);
    assert.notEqual((await open({ experiment, run: "r", id: unique() })).page, first.page);
  });

  test("any name and any number is taken, in batches of any size", async () => {
    const run = await open({ experiment: unique(), run: "r", id: unique() });
    const odd = [
      "pass@1",
      "a[0]",
      "../x",
      "//",
      "",
      ".",
      "é\u0000",
      "x".repeat(999),
      "a\\b",
      "日本/pass@k=3",
      "..a",
    ];
    const numbers = Object.fromEntries(
      [...odd, ...Array.from({ length: 2500 }, (_, k) => `m${k}`)].map((n) => [n, 1]),
    );
    await run.metrics({ ...numbers, nan: NaN, inf: Infinity, text: "t".repeat(9000) }, {
      timestamp: 1,
      step: 3,
    });
    await run.params(
      [...odd, ...Array.from({ length: 250 }, (_, k) => `p${k}`)].map((n) => [n, "v".repeat(7000)]),
    );
  });

  test("parameters that a run has stay as they are, also where another value comes", async () => {
    const names = { experiment: unique(), run: "r", id: unique() };
    await (await open(names)).params([["limit", "5"], ["a[0]", "1"]]);
    await (await open(names)).params([["limit", "6"], ["a[0]", "2"], ["new", "x"]]);
  });

  test("a file replaces one of the same name, and a run that has ended goes on", async () => {
    const names = { experiment: unique(), run: "r", id: unique() }, run = await open(names);
    for (const text of ["one", "two"]) {
      await run.artifact(
        "a b@c.json",
        (async function* () {
          yield new TextEncoder().encode(text);
        })(),
      );
    }
    await run.end("FINISHED", 1_700_000_001_000);
    await (await open(names)).end("KILLED", 1_700_000_002_000);
  });

  test("what the server refuses is told in its words", async () => {
    await assert.rejects(
      open({ experiment: "", run: "r", id: unique() }),
      (error: Error) => error instanceof Refused,
    );
  });
}
