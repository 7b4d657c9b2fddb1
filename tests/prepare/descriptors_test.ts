import assert from "node:assert/strict";
import { fitInFlight } from "../../src/prepare/descriptors.ts";
import { UsageFault } from "../../src/kit/fault.ts";

/** A machine on which so many more files may be opened. */
function fit(
  openable: number,
  owed: number,
  { concurrency = null, resident = null }: { concurrency?: number | null; resident?: number | null } = {},
) {
  let counted = 0;
  const countOpenable = (most: number) => counted = Math.min(openable, most);
  const limits = { num_samples_in_parallel: concurrency, max_resident_rollout_tasks: resident };
  return { ...fitInFlight(limits, owed, { countOpenable }), counted };
}

Deno.test("fitInFlight() leaves what fits as it is, and counts no further than needed", () => {
  assert.deepEqual(fit(20_000, 1_000_000, { concurrency: 64 }), { max: 64, counted: 96 });
  assert.deepEqual(fit(20_000, 100), { max: null, counted: 132 });
});

Deno.test("fitInFlight() looks at what can come about: no more than there are rows and residents", () => {
  assert.equal(fit(100, 10, { concurrency: 5000 }).max, 5000);
  assert.equal(fit(100, 9999, { concurrency: 5000, resident: 20 }).max, 5000);
});

Deno.test("fitInFlight() refuses a concurrency that does not fit, with the number that is needed", () => {
  assert.throws(
    () => fit(19_978, 50_000, { concurrency: 30_000 }),
    (error: Error) =>
      error instanceof UsageFault && /30,032 more open files/.test(error.message) &&
      /--concurrency 19946\./.test(error.message),
  );
});

Deno.test("fitInFlight() takes as much as fits where no concurrency was set, and says so", () => {
  const { max, note } = fit(1000, 50_000);
  assert.equal(max, 968);
  assert.match(note!, /At most 968 requests/);
  assert.equal(fit(1000, 50_000, { resident: 40_000 }).max, 968);
});

Deno.test("fitInFlight() refuses a process that may open next to nothing", () => {
  assert.throws(() => fit(20, 50_000), UsageFault);
  assert.throws(() => fit(32, 50_000, { concurrency: 4 }), /only 32 more files/);
});
