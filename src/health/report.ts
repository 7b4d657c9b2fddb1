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
  const lacking = ROLLOUT_CHECKS.filter((_, index) => unobserved & (1 << index)).map(({ id }) => id);
  const members = [
    `"_ng_task_index":${indexJson(task)}`,
    `"_ng_rollout_index":${indexJson(rollout)}`,
    `"rollout_id":${JSON.stringify(id)}`,
    `"verdict":"${verdict}"`,
    `"findings":${JSON.stringify(findings)}`,
    `"unobserved":${JSON.stringify(lacking)}`,
    ...(stage === null ? [] : [`"stage_index":${indexJson(stage)}`]),
  ];
  return `{${members.join(",")}}\n`;
}

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
