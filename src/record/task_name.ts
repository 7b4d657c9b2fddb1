/** The name by which people know a task: its dataset's. */
import { isObject } from "../json/kind.ts";
import { type JsonObject, readObject } from "../json/object.ts";

/** Where datasets keep it, the most specific first. */
const NAMES = ["task_id", "problem_id", "instance_id", "id"] as const;

/**
 * A row's own id: the first of `task_id`, `problem_id`, `instance_id` and `id` that is a string or a number, numbers as
 * they are written. For a materialized task row `taskset/task_id`. `undefined` if it has none.
 */
export function ownId(row: Pick<JsonObject, "raw">): string | undefined {
  for (const name of NAMES) {
    const raw = row.raw(name);
    const id = isObject(raw) && name === "task_id" ? taskOf(readObject(raw)) : scalar(raw);
    if (id !== undefined) return id;
  }
}

function taskOf(id: JsonObject): string | undefined {
  const taskset = scalar(id.raw("taskset")), task = scalar(id.raw("task_id"));
  return taskset === undefined || task === undefined ? undefined : `${taskset}/${task}`;
}

function scalar(raw: Uint8Array | undefined): string | undefined {
  if (!raw || !/^["\d-]/.test(String.fromCharCode(raw[0]!))) return undefined;
  const text = new TextDecoder().decode(raw);
  const id = raw[0] === 0x22 ? JSON.parse(text) as string : text;
  return id === "" ? undefined : id;
}
