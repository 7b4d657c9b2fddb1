/** A result's captured calls: read right after the answer, and folded into it. */
import type { JsonObject } from "../json/object.ts";
import { join } from "../json/edit.ts";
import type { Clock } from "../ports/clock.ts";
import type { Stamps } from "../record/stamps.ts";
import { foldCapture, type Folded } from "../trajectory/capture/fold.ts";
import { RawObject } from "../trajectory/capture/raw_object.ts";
import type { CaptureReader } from "../trajectory/capture/read_capture.ts";
import { piecesOf } from "../trajectory/capture/write_tree.ts";
import type { Outcome } from "./judge.ts";

/** An answer can be here before its last call is in the file. */
const AGAIN_MS = 200;

/** Failure classes of rollouts that did not run: there is nothing to capture. Gym's list. */
const NO_RESULT = new Set(["agent_request_failed", "agent_run_error", "environment_server_failed"]);

/** Whether a result gets the calls that were captured for it. */
export function isObserved({ declared, persist }: Outcome & { readonly kind: "result" }): boolean {
  return persist && (declared === null || !NO_RESULT.has(declared));
}

/** What observing works with. */
export interface ObserveTools {
  readonly captures: CaptureReader;
  readonly clock: Clock;
  /** Nothing is waited for any more once it fires. */
  readonly signal: AbortSignal;
}

/** The members that its captures give a result, as the bytes of their values. They replace what a server put there. */
export async function observedMembers(
  result: JsonObject,
  rolloutId: string,
  { captures, clock, signal }: ObserveTools,
): Promise<Stamps> {
  const tree = new RawObject(result);
  const fold = (isLast: boolean) =>
    captures.read(rolloutId, (read) => {
      const folded = foldCapture(tree, read, rolloutId);
      return folded.lacksCalls && !isLast ? undefined : membersOf(folded);
    });
  const members = await fold(false);
  if (members) return members;
  await pause(clock, signal);
  return (await fold(true))!;
}

function membersOf({ capture, observations }: Folded): Stamps {
  return new Map([
    ...(observations ? [["ng_agent_observations", join(piecesOf(observations))] as const] : []),
    ["ng_model_call_capture", join(piecesOf(capture))],
  ]);
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(AGAIN_MS, end);
    signal.addEventListener("abort", end);
  });
}
