/** One attempt at one rollout: the row read and made a request, sent, and its answer judged. */
import { KEYS } from "../record/keys.ts";
import { edit, join, toJson } from "../json/edit.ts";
import { readObject } from "../json/object.ts";
import type { Route } from "../config/topology.ts";
import { episodeRequest, unpackEpisode } from "./episode.ts";
import { judge, type Outcome } from "./judge.ts";
import { observe } from "./observe.ts";
import type { Clock } from "../ports/clock.ts";
import type { Wire } from "../ports/wire.ts";
import type { Failure } from "../record/failure.ts";
import { isTaskRow } from "../rows/environment.ts";
import { type Stamps, stampsOf } from "../record/stamps.ts";
import { captureId, rolloutIdOf } from "../record/rollout_id.ts";
import { ownId } from "../record/task_name.ts";
import type { CaptureReader } from "../trajectory/capture/read_capture.ts";
import { timeLimit } from "../wire/time_limit.ts";

/** An attempt that is over. */
export interface Attempted {
  readonly outcome: Outcome;
  /** The row's keys for whatever is written, and what was observed of it for a result. */
  readonly stamps: Stamps;
  /** The task's own id, for messages; undefined when it has none. */
  readonly own: string | undefined;
  /** Size of the answer's body. */
  readonly bytes: number;
  /** From the sending to the answer. */
  readonly seconds: number;
}

/** What an attempt is made with. */
export interface AttemptTools {
  readonly wire: Wire;
  readonly clock: Clock;
  /** Abandons the attempt, which then leaves no line. */
  readonly signal: AbortSignal;
  /** How long it may take, in seconds; null for no limit. */
  readonly timeoutS: number | null;
  /** Called when the attempt has its connection; see the wire. */
  readonly onConnected?: () => void;
  /** Whether a deliverable of an earlier attempt is to be judged again. */
  readonly reuse?: boolean;
  /** Reads what its model calls were; undefined with observability off. */
  readonly captures?: CaptureReader | undefined;
}

/**
 * Sends a row to its server, as the attempt after `attempt` recorded failures.
 *
 * @param row the materialized row; only read before the first await, so the buffer may be used again
 */
export async function attemptRow(
  row: Uint8Array,
  route: Route,
  attempt: number,
  { wire, clock, signal, timeoutS, onConnected, reuse = false, captures }: AttemptTools,
): Promise<Attempted> {
  const object = readObject(row);
  const stamps = stampsOf(object, route, attempt);
  const isEpisode = isTaskRow(object), own = ownId(object);
  // A name that nobody needs is not read.
  const rolloutId = isEpisode || captures ? rolloutIdOf(object) : "";
  const taskId = isEpisode ? object.raw(KEYS.taskId)!.slice() : undefined;
  const body = isEpisode
    ? episodeRequest(object, rolloutId, attempt)
    : attempt > 0 || reuse
    ? join(edit(object, { set: retryKeys(attempt, reuse) }))
    : new Uint8Array(row);
  const url = `${route.url}/run`, sentAt = clock.now();
  const limit = timeoutS === null ? undefined : limitedTime(timeoutS, clock, signal);
  const answer = await wire.post({
    url,
    body,
    signal: limit?.signal ?? signal,
    ...(onConnected ? { onConnected } : {}),
    ...(limit ? { onWait: limit.onWait } : {}),
  });
  limit?.cancel();
  const seconds = (clock.now() - sentAt) / 1000;
  const judged: Outcome = answer.kind === "aborted" && limit?.isOver()
    ? { kind: "failure", failure: timedOut(url, timeoutS!) }
    : judge(answer, url, clock.date);
  const outcome = taskId && judged.kind === "result" && answer.kind === "answered"
    ? unpackEpisode(judged.result, { taskId, url, status: answer.status })
    : judged;
  const subject = {
    rolloutId: () => captureId(rolloutId || rolloutIdOf(readObject(body)), attempt),
    row: body,
    episodeTask: taskId,
    stamps,
    seconds,
  };
  const observed = outcome.kind === "result"
    ? await observe(outcome, subject, { captures, clock, signal })
    : undefined;
  return {
    outcome: observed && outcome.kind === "result" ? { ...outcome, result: observed.result } : outcome,
    stamps: observed ? new Map([...stamps, ...observed.members]) : stamps,
    own,
    bytes: answer.kind === "answered" ? answer.body.length : 0,
    seconds,
  };
}

/** What a row says of its earlier attempts. */
function retryKeys(attempt: number, reuse: boolean): Map<string, Uint8Array> {
  const keys = new Map<string, Uint8Array>();
  if (attempt > 0) keys.set(KEYS.attempt, toJson(attempt));
  if (reuse) keys.set("reuse_cached_deliverable", toJson(true));
  return keys;
}

/** A signal that fires with `signal`, or once the time is over. To be cancelled once it is no longer needed. */
function limitedTime(seconds: number, clock: Clock, signal: AbortSignal) {
  const attempt = new AbortController(), others = endingWith(signal);
  let isOver = false;
  others.add(attempt);
  if (signal.aborted) attempt.abort();
  const limit = timeLimit(clock, seconds * 1000, () => {
    isOver = true;
    attempt.abort();
  });
  return {
    signal: attempt.signal,
    isOver: () => isOver,
    /** An answer that waits for others is not late. */
    onWait: (isWaiting: boolean) => isWaiting ? limit.hold() : limit.goOn(),
    cancel() {
      limit.cancel();
      others.delete(attempt);
    },
  };
}

/**
 * The attempts that a signal ends. One listener does it for all: `AbortSignal.any` would keep a little of every
 * attempt for as long as the signal lives, and thousands of listeners are slow to take off again.
 */
function endingWith(signal: AbortSignal): Set<AbortController> {
  let attempts = ends.get(signal);
  if (!attempts) {
    const set = attempts = new Set<AbortController>();
    ends.set(signal, set);
    signal.addEventListener("abort", () => set.forEach((attempt) => attempt.abort()));
  }
  return attempts;
}

const ends = new WeakMap<AbortSignal, Set<AbortController>>();

function timedOut(url: string, seconds: number): Failure {
  return {
    failureClass: "agent_timeout",
    kind: "timeout",
    message: `${url} took longer than rollout_timeout_s=${seconds}`,
    status: null,
    body: null,
    delivery: "possibly_delivered",
  };
}
