/** Writes the metrics file: what each group's server computed, or rollcall in its place. */
import { depthOf } from "../json/depth.ts";
import { toJson } from "../json/edit.ts";
import { isNull } from "../json/kind.ts";
import type { JsonObject } from "../json/object.ts";
import { WriteFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { ScorePaths } from "../plan/score_plan.ts";
import type { Files } from "../ports/files.ts";
import { replaceFile, textInto } from "../store/whole_file.ts";
import { ownMetricsInSteps } from "./offline_metrics.ts";
import type { Scoring } from "./scoring.ts";

/** Key metrics that are nested deeper are in the file only: a message between the two sides cannot hold them. */
const DEEPEST = 100;

/** Keys of a server's answer that go into the metrics file, in this order; lists that are absent are written empty. */
const KEPT = ["agent_metrics", "key_metrics", "group_level_metrics", "repeat_level_metrics", "perf_summary"];
const EMPTY: Readonly<Record<string, Uint8Array>> = {
  agent_metrics: toJson({}),
  key_metrics: toJson({}),
  group_level_metrics: toJson([]),
  repeat_level_metrics: toJson([]),
};
/** The metrics of one group. */
export interface GroupMetrics {
  /** The label of the group in the metrics file. */
  readonly label: string;
  /** How many rows were scored. */
  readonly rows: number;
  /** The key metrics, as the server sent them. */
  readonly key_metrics: Readonly<Record<string, unknown>>;
  /** Whether the server or rollcall computed them. */
  readonly computed_by: "server" | "rollcall";
}

/** A group, and its server's answer; `undefined` where rollcall computes the metrics. */
export interface Answered {
  readonly scoring: Scoring;
  readonly answer: JsonObject | undefined;
}

/** The error of a file that cannot be written. */
export function unwritable(path: string): (cause: unknown) => WriteFault {
  return (cause) =>
    new WriteFault(`Cannot write ${path}: ${systemReason(cause)}. The rollouts are kept.`, { cause });
}

/**
 * Writes the metrics of all groups, atomically; leaves no file when there are none.
 */
export async function writeMetrics(
  files: Files,
  paths: ScorePaths,
  scorings: readonly Answered[],
  breathe: () => Promise<void>,
): Promise<GroupMetrics[]> {
  if (scorings.length === 0) {
    files.remove(paths.metrics); // stale: of other rollouts
    return [];
  }
  const metrics: GroupMetrics[] = [];
  await replaceFile(files, {
    path: paths.metrics,
    temporary: paths.metricsNew,
    refused: unwritable(paths.metrics),
  }, async (bytes) => {
    const text = textInto(bytes);
    for (const [k, { scoring, answer }] of scorings.entries()) {
      text(k === 0 ? "[\n" : ",\n");
      text(`{"agent_ref":${JSON.stringify({ name: scoring.label })}`);
      // An agent that was called directly, as in older Gym, is not an environment server: no key.
      if (scoring.isEnvironment) text(`,"_ng_environment_server":${JSON.stringify(scoring.server)}`);
      const key_metrics = answer ? copy(answer, text, bytes) : await compute(scoring, text, breathe);
      text("}");
      metrics.push({
        label: scoring.label,
        rows: scoring.rows,
        key_metrics,
        computed_by: answer ? "server" : "rollcall",
      });
    }
    text("\n]\n");
  });
  return metrics;
}

/** What the server computed, as the bytes that it sent. */
function copy(
  answer: JsonObject,
  text: (json: string) => void,
  bytes: (bytes: Uint8Array) => void,
): Record<string, unknown> {
  for (const name of KEPT) {
    const sent = answer.raw(name);
    const raw = sent === undefined || isNull(sent) ? EMPTY[name] : sent; // null does not count as a part, as in Gym
    if (!raw) continue;
    text(`,${JSON.stringify(name)}:`);
    bytes(raw);
  }
  const keyMetrics = answer.raw("key_metrics");
  return keyMetrics && depthOf(keyMetrics) <= DEEPEST
    ? (answer.value("key_metrics") ?? {}) as Record<string, unknown>
    : {};
}

/** What rollcall computes; the tasks come first, since they are written as they are computed. */
async function compute(
  { rollouts }: Scoring,
  text: (json: string) => void,
  breathe: () => Promise<void>,
): Promise<Record<string, unknown>> {
  text(`,"group_level_metrics":[`);
  let tasks = 0;
  const steps = ownMetricsInSteps(rollouts(), (task) => text(tasks++ === 0 ? task : `,${task}`));
  let step = steps.next();
  for (; !step.done; step = steps.next()) await breathe();
  const { agent_metrics, key_metrics, repeat_level_metrics } = step.value;
  // JSON has no number for the spread of values near the largest double.
  const finite = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? undefined : value;
  const rest = JSON.stringify({ agent_metrics, key_metrics, repeat_level_metrics }, finite);
  text(`],${rest.slice(1, -1)}`);
  return key_metrics;
}
