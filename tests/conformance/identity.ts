/**
 * Which rollout a record or a request belongs to.
 */
import { dumps, isObject, type Json, type JsonObject, Num } from "./json.ts";

/** One part of an identity: a whole number as a bigint, a float as it is, lists and objects as their text. */
export type Part = null | boolean | string | bigint | Num;

/** Task, rollout, attempt. Without a task the others mean nothing; the first attempt is 0. */
export interface Identity {
  readonly task: Part;
  readonly rollout: Part;
  readonly attempt: Part;
}

const NOBODY: Identity = { task: null, rollout: null, attempt: null };

/**
 * The identity of an input row, a result, a failure (the `_ng_…_index` members), or an episode request
 * (`task.task_id.task_id`, the digits that end `episode_id.rollout_id`, and `episode_id.attempt`).
 */
export function identityOf(record: Json): Identity {
  if (!isObject(record)) return NOBODY;
  const episode = record.episode_id;
  if (isObject(episode) && Object.hasOwn(record, "task")) return episodeIdentity(record.task!, episode);
  if (!Object.hasOwn(record, "_ng_task_index")) return NOBODY;
  return {
    task: partOf(record._ng_task_index),
    rollout: partOf(record._ng_rollout_index),
    attempt: partOf(record._ng_attempt_index) || 0n,
  };
}

function episodeIdentity(task: Json, episode: JsonObject): Identity {
  const id = isObject(task) ? task.task_id : null;
  const rollout = partOf(episode.rollout_id);
  const tail = typeof rollout === "string" ? /-(\d+)$/.exec(rollout) : null;
  return {
    task: partOf(isObject(id) ? id.task_id : id),
    rollout: tail ? BigInt(tail[1]!) : rollout,
    attempt: partOf(episode.attempt) || 0n,
  };
}

/** A JSON value as a part of an identity. */
export function partOf(value: Json | undefined): Part {
  if (value === undefined) return null;
  if (value instanceof Num) return value.isFloat ? value : BigInt(value.text);
  return typeof value === "object" && value !== null ? dumps(value) : value;
}

/** A string that is the same for equal parts and for no others. */
export function partKey(part: Part): string {
  if (typeof part === "string") return JSON.stringify(part);
  return part instanceof Num ? part.key : typeof part === "bigint" ? `i${part}` : String(part);
}

/** A string that is the same for equal identities and for no others. */
export function identityKey(who: Identity): string {
  return [who.task, who.rollout, who.attempt].map(partKey).join(" ");
}

/** For people: "task 0 rollout 1 attempt 2"; the attempt only from the second on. */
export function nameOf(who: Identity): string {
  if (who.task === null) return "no identity";
  return `task ${show(who.task)} rollout ${show(who.rollout)}` +
    (who.attempt ? ` attempt ${show(who.attempt)}` : "");
}

/** A value in the recordings' own (Python's) spelling. */
export function show(part: Part): string {
  if (part === null) return "None";
  if (typeof part === "boolean") return part ? "True" : "False";
  return part instanceof Num ? part.text : String(part);
}
