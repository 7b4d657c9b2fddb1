import assert from "node:assert/strict";
import { EXIT_CODES, exitCode, stoppedBy, USAGE } from "../../src/cli/exit_code.ts";
import type { Summary } from "../../src/collect/tally.ts";

const summary = (ending: Summary["ending"], signal: string | null = null) =>
  ({ ending, signal }) as unknown as Summary;

for (
  const [ending, signal, drainExitCode, code] of [
    ["complete", null, 0, 0],
    ["complete", null, 75, 0],
    // A signal that came when there was nothing left to do changes nothing.
    ["complete", "SIGTERM", 75, 0],
    ["drained", null, 0, 0],
    ["drained", null, 75, 75],
    ["token_budget", null, 0, 0],
    ["token_budget", null, 75, 75],
    ["too_many_failures", null, 75, 1],
    ["failed", null, 0, 1],
    ["failed", null, 75, 1],
    ["stopped", "SIGINT", 0, 130],
    ["stopped", "SIGTERM", 0, 75],
    ["stopped", "SIGUSR1", 3, 75],
  ] as const
) {
  Deno.test(`exitCode() ${ending} by ${signal} is ${code} when draining is ${drainExitCode}`, () => {
    assert.equal(exitCode(summary(ending, signal), drainExitCode), code);
  });
}

Deno.test("stoppedBy() is what shells give for Ctrl-C, and for everything else what job scripts requeue on", () => {
  assert.deepEqual(["SIGINT", "SIGTERM", "SIGUSR1", null].map(stoppedBy), [130, 75, 75, 75]);
});

Deno.test("EXIT_CODES tells all codes there are, each once", () => {
  const codes = EXIT_CODES.map(([code]) => code);
  assert.deepEqual(codes, [...new Set(codes)]);
  for (const code of [0, 1, USAGE, stoppedBy("SIGINT"), stoppedBy("SIGTERM")]) {
    assert.ok(codes.includes(code));
  }
});
