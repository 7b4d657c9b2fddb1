/** What was observed of a rollout becomes part of its result: captured calls, read right after the answer, and a trajectory. */
import { readTree } from "../rows/tree.ts";
import { str } from "../rows/python.ts";
import { DEEPEST_RESULT, depthOf } from "../json/depth.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { isNull } from "../json/kind.ts";
import type { Clock } from "../ports/clock.ts";
import { KEYS } from "../record/keys.ts";
import type { Stamps } from "../record/stamps.ts";
import { foldCapture } from "../trajectory/capture/fold.ts";
import { RawObject } from "../trajectory/raw_object.ts";
import type { CaptureReader } from "../trajectory/capture/read_capture.ts";
import { type Observed, observed, tellsOfCalls } from "../trajectory/observe.ts";
import type { Outcome } from "./judge.ts";

/** An answer can be here before its last call is in the file. */
const AGAIN_MS = 200;

/** Failure classes of rollouts that did not run: there is nothing to capture. Gym's list. */
const NO_RESULT = new Set(["agent_request_failed", "agent_run_error", "environment_server_failed"]);

type Result = Outcome & { readonly kind: "result" };

/** What observing works with. */
export interface ObserveTools {
  /** Undefined with observability off. */
  readonly captures: CaptureReader | undefined;
  readonly clock: Clock;
  /** Nothing is waited for any more once it fires. */
  readonly signal: AbortSignal;
}

/** The rollout that a result is of. The row says whose captures are read, never the answer. */
export interface Subject {
  /** Its name in captures, with the suffix of its attempt. */
  readonly rolloutId: () => string;
  /** Of the row as it was sent: a task's own id, if it has one. */
  readonly row: Uint8Array;
  /** The `task_id` of an episode's row. */
  readonly episodeTask: Uint8Array | undefined;
  readonly stamps: Stamps;
  /** From request to answer. */
  readonly seconds: number;
}

/** The result with what it gets, or undefined where it gets nothing and keeps every byte. */
export async function observe(
  outcome: Result,
  subject: Subject,
  { captures, clock, signal }: ObserveTools,
): Promise<Observed | undefined> {
  const { result } = outcome, isCaptured = captures !== undefined && isObserved(outcome);
  if (!isCaptured && !tellsOfCalls(result)) return undefined;
  const { seconds } = subject, rolloutId = subject.rolloutId();
  const known = {
    identity: { task_id: taskOf(subject), rollout_id: rolloutId },
    latencyMs: captures && seconds * 1000,
  };
  if (!isCaptured) return observed(result, known);
  const fold = (isLast: boolean) =>
    captures.read(rolloutId, (read) => {
      const folded = foldCapture(new RawObject(result), read, rolloutId);
      return folded.lacksCalls && !isLast ? undefined : observed(result, { ...known, folded });
    });
  const made = await fold(false);
  if (made) return made;
  await pause(clock, signal);
  return (await fold(true))!;
}

/** Whether a result gets the calls that were captured for it. */
function isObserved({ declared, persist }: Result): boolean {
  return persist && (declared === null || !NO_RESULT.has(declared));
}

/** The task's own id as Python writes it, else its number. */
function taskOf({ row, episodeTask, stamps }: Subject): string {
  if (episodeTask) return textOf(episodeTask);
  const own = ["task_id", "problem_id", "instance_id"].map(rawOf(readObject(row))).find((raw) =>
    raw && !isNull(raw)
  );
  return textOf(own ?? stamps.get(KEYS.task)!);
}

/** As Python writes it; as the row has it, where it is nested deeper than a tree. */
function textOf(id: Uint8Array): string {
  return depthOf(id) > DEEPEST_RESULT ? new TextDecoder().decode(id) : str(readTree(id));
}

function rawOf(row: JsonObject): (name: string) => Uint8Array | undefined {
  return (name) => row.raw(name);
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
