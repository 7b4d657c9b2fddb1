/** The fields that conditions of `filter` can ask about. */
import { passOf, TASK_KEYS, type TaskRow } from "./task_row.ts";
import { meanOf, type TaskResults } from "./task_results.ts";
import type { FieldValue, Vocabulary } from "./where.ts";

const PASS = /^pass([@^])([1-9]\d{0,8})$/, MEAN = /^mean\/(.+)$/s, INPUT = /^input\.(.+)$/s;

/** What one can ask about: the keys of a task in `profile --json`, and these. */
export const VOCABULARY: Vocabulary = {
  names: TASK_KEYS.filter((key) => key !== "by" && key !== "row"),
  kinds: [
    { shown: "pass@K", names: /^pass@[1-9]\d{0,8}$/ },
    { shown: "pass^K", names: /^pass\^[1-9]\d{0,8}$/ },
    { shown: "mean/NAME", names: MEAN },
    { shown: "input.NAME", names: INPUT },
  ],
};

/** Fields that are known only where it is known what a pass is. */
export function isOfPasses(field: string): boolean {
  return PASS.test(field) || /^(passed|pass_rate|pass_low|pass_high|shrunk_rate|solved|sure)$/.test(field);
}

/** The path in the input row that a field names, if it is of the input. */
export function inputPath(field: string): string | undefined {
  return INPUT.exec(field)?.[1];
}

/** The value of a task's field. */
export function taskField(
  field: string,
  row: TaskRow,
  results: TaskResults,
  passAt: number | undefined,
): FieldValue {
  const [, kind, k] = PASS.exec(field) ?? [];
  if (k !== undefined) return passOf(results, kind === "@" ? "any" : "all", Number(k), passAt);
  const metric = MEAN.exec(field)?.[1];
  if (metric !== undefined) return meanOf(results.metrics.get(metric) ?? []) ?? null;
  const path = inputPath(field);
  if (path !== undefined) return results.fields.get(path) ?? null;
  return row[field as keyof TaskRow];
}
