/** The health checks explained. */
import { UsageFault } from "../kit/fault.ts";
import { suggestion } from "../kit/nearest.ts";
import type { CheckInfo } from "../health/check.ts";
import { READS } from "../health/evidence.ts";
import { wrap } from "./text.ts";

/** What is told of a check. */
export interface Explained {
  readonly check: string;
  /** What it finds. */
  readonly finds: string;
  /** What it reads; without that the rollout is unobserved by it. */
  readonly reads: string;
  /** What to do about a finding. */
  readonly advice: string;
}

/** Explains one check, or all of them. @throws {UsageFault} for one that there is none */
export function explained(checks: readonly CheckInfo[], wanted: string | undefined): Explained[] {
  const chosen = checks.filter(({ id }) => wanted === undefined || id === wanted);
  if (chosen.length === 0) {
    throw new UsageFault(
      `There is no check ${JSON.stringify(wanted)}${suggestion(wanted!, checks.map(({ id }) => id))}. ` +
        "rollcall health --explain lists them all.",
    );
  }
  return chosen.map(({ id, finds, reads, advice }) => ({ check: id, finds, reads: READS[reads], advice }));
}

/** The same as text. */
export function explainText(checks: readonly Explained[], columns: number): string {
  return checks.map(({ check, finds, reads, advice }) =>
    [
      check,
      ...part("Finds", finds, columns),
      ...part("Reads", reads, columns),
      ...part("Do", advice, columns),
      "",
    ]
      .join("\n")
  ).join("\n");
}

function part(label: string, text: string, columns: number): string[] {
  const room = Math.max(20, columns - 9);
  return wrap(text, room).map((line, k) => `  ${(k === 0 ? label : "").padEnd(7)}${line}`);
}
