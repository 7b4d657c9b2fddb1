/**
 * Episodes: how a materialized task row is put to an environment server, and how its answer becomes a result. Keys
 * and rules are Gym's.
 */
import { KEYS } from "../record/keys.ts";
import { isNull, isObject } from "../json/kind.ts";
import { isTrue } from "../json/truth.ts";
import { textOf } from "../json/text.ts";
import { edit, join, toJson } from "../json/edit.ts";
import { type JsonObject, parse, readObject } from "../json/object.ts";
import { broken as unusable, type Outcome, resultOf } from "./judge.ts";

const EMPTY = readObject(toJson({}));

/** Keys beside those starting with `_ng_` that an episode's result must leave to the collector. */
const RESERVED = new Set(["ng_trajectory", "ng_model_call_capture", "ng_perf"]);

/** Characters of a task's id in a message. */
const ID = 200;

/** So many keys that an answer must not use are named, each with so many characters. */
const NAMED = 5, KEY = 60;

/** The failure class of an episode that its server declared failed. */
const FAILED = "environment_server_failed";

/**
 * The request for a materialized task row, `{episode_id: {rollout_id, attempt}, task: {task_id, task_input}}`.
 *
 * @param rolloutId without a suffix for the attempt
 * @param attempt failures recorded before
 */
export function episodeRequest(row: JsonObject, rolloutId: string, attempt: number): Uint8Array<ArrayBuffer> {
  return object({
    episode_id: toJson({ rollout_id: rolloutId, attempt }),
    task: object({ task_id: row.raw(KEYS.taskId), task_input: row.raw(KEYS.taskInput) }),
  });
}

/** What an episode was asked for, and where. */
export interface Episode {
  /** The bytes of the row's `task_id`. */
  readonly taskId: Uint8Array;
  /** For messages. */
  readonly url: string;
  /** The status that came. */
  readonly status: number;
}

/**
 * What an answer to an episode request means. One with an episode's identity and a `result` or a `failure` is unpacked,
 * unless it is about another task; anything else is a result like any other.
 */
export function unpackEpisode(answer: JsonObject, { taskId: asked, url, status }: Episode): Outcome {
  const ordinary = resultOf(answer);
  const taskId = answer.raw(KEYS.taskId);
  if (!isObject(answer.raw("episode_id")) || !isObject(taskId)) return ordinary;
  const failure = answer.raw("failure"), result = answer.raw("result");
  if ((failure || result) && !isSameTask(asked, taskId)) {
    const [is, was] = [textOf(taskId, ID), textOf(asked, ID)];
    return unusable({ status }, "other_task", `The answer of ${url} is about task ${is}, not ${was}`);
  }
  if (failure && !isNull(failure)) {
    if (!isObject(failure)) return broken("its failure is not an object");
    return {
      kind: "result",
      result: readObject(failureRow(readObject(failure), taskId)),
      declared: FAILED,
      persist: true,
    };
  }
  if (!result) return failure ? broken("its failure is not an object") : ordinary;
  if (!isObject(result)) return broken("its result is not an object");
  const inner = readObject(result);
  const reserved = inner.names().filter((name) => name.startsWith("_ng_") || RESERVED.has(name));
  if (reserved.length) {
    const named = reserved.slice(0, NAMED).map((name) => textOf(toJson(name), KEY)).join(", ");
    const more = reserved.length > NAMED ? ` and ${reserved.length - NAMED} more` : "";
    return broken(`its result uses keys that are the collector's own: ${named}${more}`);
  }
  return {
    kind: "result",
    result: readObject(join(edit(inner, { set: new Map([[KEYS.episodeTaskId, taskId]]) }))),
    declared: null,
    persist: true,
  };
}

/** Whether two ids name the same task. A number and its text are the same; keys that Gym does not know do not count. */
function isSameTask(one: Uint8Array, other: Uint8Array): boolean {
  const [a, b] = [readObject(one), readObject(other)];
  return ["taskset", "task_id"].every((name) => nameOf(a.raw(name)) === nameOf(b.raw(name)));
}

function nameOf(raw: Uint8Array | undefined): string | undefined {
  if (!raw) return undefined;
  const isContainer = raw[0] === 0x7b || raw[0] === 0x5b;
  return isContainer ? new TextDecoder().decode(raw) : String(parse(raw));
}

function failureRow(failure: JsonObject, taskId: Uint8Array): Uint8Array<ArrayBuffer> {
  const stage = failure.raw("stage"), partial = failure.raw("partial_response");
  return object({
    _ng_task_id: taskId,
    _ng_failure_class: toJson(FAILED),
    _ng_failure_terminal: toJson(isTrue(failure.raw("terminal"))),
    _ng_failure_message: failure.raw(KEYS.failureReason) ?? toJson(null),
    _ng_failure_stage: stage && !isNull(stage) ? stage : undefined,
    _ng_failure_partial_response: partial && !isNull(partial) ? partial : undefined,
  });
}

/** An answer after which no run can continue: the server and the collector do not speak the same protocol. */
function broken(what: string): Outcome {
  return { kind: "fatal", message: `The environment server's episode answer cannot be used: ${what}` };
}

function object(members: Readonly<Record<string, Uint8Array | undefined>>): Uint8Array<ArrayBuffer> {
  const set = new Map(
    Object.entries(members).filter((member): member is [string, Uint8Array] => member[1] !== undefined),
  );
  return join(edit(EMPTY, { set }));
}
