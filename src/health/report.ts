/** The two files that report the checks, as strings. Their formats are Gym's. */
import { ROLLOUT_CHECKS, TASK_CHECKS } from "./checks.ts";
import { indexJson } from "./identity.ts";
import type { RunReport } from "./run_report.ts";
import type { JudgedTask } from "./tasks.ts";
import type { Judged } from "./verdict_book.ts";

/** A line of `rollout_verdicts.jsonl`, with its line break. */
export function verdictLine(judged: Judged): string {
  const { identity: { task, rollout, stage }, verdict, unobserved } = judged;
  const { id, findings } = judged.details();
  const members = [
    `"_ng_task_index":${indexJson(task)}`,
    `"_ng_rollout_index":${indexJson(rollout)}`,
    `"rollout_id":${JSON.stringify(id)}`,
    `"verdict":"${verdict}"`,
    `"findings":${findings.length === 0 ? "[]" : JSON.stringify(findings)}`,
    `"unobserved":${lacking(unobserved)}`,
    ...(stage === null ? [] : [`"stage_index":${indexJson(stage)}`]),
  ];
  return `{${members.join(",")}}\n`;
}

/** The checks of these bits, as JSON. Rollouts mostly lack the same few. */
function lacking(bits: number): string {
  let json = LACKING.get(bits);
  if (json === undefined) {
    json = JSON.stringify(ROLLOUT_CHECKS.filter((_, index) => bits & (1 << index)).map(({ id }) => id));
    LACKING.set(bits, json);
  }
  return json;
}

/** At most one entry for each value of 16 bits. */
const LACKING = new Map<number, string>();

/** `quality_summary.json`, in pieces: the run, then its tasks in order. */
export function* summaryPieces(
  run: RunReport,
  tasks: Iterable<JudgedTask>,
  ignored: ReadonlySet<string>,
): Generator<string> {
  yield `{\n  "run": ${JSON.stringify(run, null, 2).replaceAll("\n", "\n  ")},\n  "tasks": {`;
  let between = "\n";
  for (const { task, repeats, verdicts, outcomes } of tasks) {
    const flags = TASK_CHECKS.filter(({ id }, index) => outcomes[index] && !ignored.has(id)).map(({ id }) =>
      id
    );
    yield `${between}    ${JSON.stringify(String(task))}: ${JSON.stringify({ repeats, ...verdicts, flags })}`;
    between = ",\n";
  }
  yield between === "\n" ? "}\n}\n" : "\n  }\n}\n";
}
