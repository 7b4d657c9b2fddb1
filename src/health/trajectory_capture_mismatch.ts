import type { Found, RolloutCheck } from "./check.ts";
import { WRONG_REFERENCES } from "./evidence.ts";

/** References to model calls that were not captured, or that match several; and what the join reported. */
export const trajectoryCaptureMismatch: RolloutCheck = {
  id: "trajectory_capture_mismatch",
  reads: "references",
  finds: "a reference that no captured model call fits, or several",
  advice: "Captures are incomplete, or two rollouts share one name. Give each run its own capture " +
    "folder, and see docs/observability.md.",
  find({ trajectory, bindings: { owned } }) {
    const found = new Map<string, Found>();
    const report = (kind: string, reference: string, more: Found["detail"] = {}) => {
      const call_id = lastPart(reference), key = `${kind} ${call_id}`;
      if (!found.has(key)) found.set(key, { locator: { call_id }, detail: { kind, ...more } });
    };
    for (const reference of owned.missing) report("missing_captured_call", reference);
    for (const [reference, count] of owned.ambiguous) {
      report("duplicated_captured_call", reference, { count });
    }

    // A gap that repeats a finding adds nothing; every other gap counts.
    const gaps = trajectory!.gaps.flatMap(({ code, invocation_id, detail }) => {
      const kind = Object.hasOwn(WRONG_REFERENCES, code) ? WRONG_REFERENCES[code]! : undefined;
      const call_id = lastPart(detail || "unknown");
      if (kind === undefined || found.has(`${kind} ${call_id}`)) return [];
      return [{ locator: { call_id }, detail: { kind, observation_gap: code, invocation_id } }];
    });
    return [...found.values(), ...gaps];
  },
};

/** References and gaps put the kind of id before a colon. */
function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf(":") + 1);
}
