/** Files of finished runs, for tests of what reads them. */
import { createHash } from "node:crypto";

export type Row = Record<string, unknown>;

/** Rows as the lines of a file. */
export function lines(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** What the manifest of a run over an input says of it. */
export function manifestOf(path: string, rows: string, config: Row = {}): string {
  const sha256 = createHash("sha256").update(rows).digest("hex");
  return JSON.stringify({
    manifest: 1,
    input: { path, sha256 },
    prompt: null,
    skills: null,
    counts: { rows: 0, tasks: 0, rollouts: 0 },
    hosts: [],
    config,
    runs: [],
  });
}

/** A result, with its reward. */
export function result(task: number, rollout: number, reward: unknown, more: Row = {}): Row {
  return { _ng_task_index: task, _ng_rollout_index: rollout, agent_ref: { name: "a" }, reward, ...more };
}

/** A row of the materialized inputs. */
export function planned(task: number, rollout: number, more: Row = {}): Row {
  return {
    responses_create_params: { input: `question ${task}` },
    agent_ref: { name: "a" },
    _ng_task_index: task,
    _ng_rollout_index: rollout,
    ...more,
  };
}
