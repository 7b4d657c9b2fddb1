/** Rollouts for the tests of this folder: healthy unless a test changes them. */
import { examine, type Examined } from "../../src/health/examine.ts";
import type { Finding } from "../../src/health/check.ts";
import { ROLLOUT_CHECKS } from "../../src/health/checks.ts";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A model server. */
export const BRAIN = { type: "responses_api_models", name: "brain" };

/** A captured call that went well. */
export function call(id: string | null, metadata: Json = {}, more: Json = {}): Json {
  return {
    model_call_id: id,
    started_at: 1,
    response: { choices: [{ message: { role: "assistant", content: "hi" } }] },
    response_metadata: { model_ref: BRAIN, status_code: 200, finish_reason: "stop", ...metadata },
    token_stats: { prompt_tokens: 10, completion_tokens: 5 },
    ...more,
  };
}

/** A turn that refers to calls by their ids. */
export function turn(number: number, ids: readonly string[], more: Json = {}): Json {
  return {
    invocation_id: "root",
    task_id: "0",
    rollout_id: "0-0",
    turn_no: number,
    timestamp: number,
    answer: "hi",
    step_count: 0,
    model_calls: ids.map((model_call_id) => ({ model_call_id })),
    ...more,
  };
}

/** A trajectory of one turn with one call. */
export function trajectory(more: Json = {}): Json {
  return {
    schema_version: "1.0",
    task_id: "0",
    rollout_id: "0-0",
    invocations: [],
    turns: [turn(1, ["call-0"])],
    model_calls: [call("call-0")],
    tool_calls: [],
    gaps: [],
    ...more,
  };
}

/** A row with such a trajectory, whose own count of tokens agrees with it. */
export function row(more: Json = {}, ofTrajectory: Json = {}): Json {
  return {
    _ng_task_index: 0,
    _ng_rollout_index: 0,
    response: { usage: { input_tokens: 10, output_tokens: 5 } },
    ng_trajectory: trajectory(ofTrajectory),
    ...more,
  };
}

/** A healthy rollout. */
export function of(task: unknown, rollout: unknown, more: Json = {}): Json {
  return { ...row(), _ng_task_index: task, _ng_rollout_index: rollout, ...more };
}

/** An unhealthy rollout: its call brought no token. */
export function bad(task: unknown, rollout: unknown, more: Json = {}): Json {
  const token_stats = { prompt_tokens: 10, completion_tokens: 0 };
  const { ng_trajectory } = row({}, { model_calls: [call("call-0", {}, { token_stats })] });
  return of(task, rollout, { ng_trajectory, response: null, ...more });
}

/** What the checks say of a line. */
export function examined(line: unknown, ignored: readonly string[] = []): Examined {
  const text = typeof line === "string" ? line : JSON.stringify(line);
  const source = { file: "out/a.jsonl", fileIndex: 0, line: 7, ordinal: 3 };
  return examine(new TextEncoder().encode(text), source, new Set(ignored));
}

/** What one check says of a line: what it found, or that it lacks its evidence. */
export function said(id: string, line: unknown): Omit<Finding, "check">[] | "unobserved" {
  const { findings, unobserved } = examined(line);
  const place = ROLLOUT_CHECKS.findIndex((check) => check.id === id);
  if (unobserved & (1 << place)) return "unobserved";
  return findings.filter(({ check }) => check === id).map(({ check: _, ...found }) => found);
}
