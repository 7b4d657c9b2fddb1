/** The run's part of `quality_summary.json`. */
import { ROLLOUT_CHECKS, TASK_CHECKS } from "./checks.ts";
import type { Verdict } from "./verdict.ts";
import { rolloutDuplicateIdentity } from "./record_checks.ts";
import { count, type RunCounts, type Tokens } from "./run_counts.ts";
import type { JudgedTask } from "./tasks.ts";
import type { Judged } from "./verdict_book.ts";

/** How often a check had its evidence. */
export interface Coverage {
  /** It had it, whether or not it found something. */
  evaluated: number;
  /** It did not have it. */
  unobserved: number;
  /** It was to be skipped. */
  ignored: number;
}

/** The member names are the file's. */
export interface RunReport {
  /** The checks that were skipped. */
  readonly ignored_checks: readonly string[];
  /** What there was to examine. */
  readonly artifacts: {
    /** Lines. */
    readonly records: number;
    /** Rollouts with captured model calls. */
    readonly captures: number;
    /** By check: of rollouts, or of tasks. */
    readonly coverage: Readonly<Record<string, Coverage>>;
  };
  /** Rollouts by verdict. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Findings by check; a rollout can have several from one check. */
  readonly issues: Readonly<Record<string, number>>;
  /** More numbers. */
  readonly stats: {
    /** Captured calls that failed, and in how many rollouts. */
    readonly model_call_errors: {
      readonly total: number;
      readonly by_status: Readonly<Record<string, number>>;
      readonly rollouts_affected: number;
      readonly ended_on_error: number;
    };
    /** Captured calls that repeat an earlier one. */
    readonly duplicated_calls: { readonly replayed: number; readonly rollouts: number };
    readonly tokens: Tokens;
  };
}

/** Aggregates everything. */
export function runReport(
  { rollouts, tasks, counts, ignored }: {
    readonly rollouts: Iterable<Judged>;
    readonly tasks: Iterable<JudgedTask>;
    readonly counts: RunCounts;
    readonly ignored: ReadonlySet<string>;
  },
): RunReport {
  const issues = new Map(counts.findings);
  const coverage: Record<string, Coverage> = {};
  for (const { id } of [...ROLLOUT_CHECKS, ...TASK_CHECKS]) {
    coverage[id] = { evaluated: 0, unobserved: 0, ignored: 0 };
  }
  const covered = (id: string, isEvaluated: boolean) => {
    coverage[id]![ignored.has(id) ? "ignored" : isEvaluated ? "evaluated" : "unobserved"]++;
  };

  const verdicts = { healthy: 0, unhealthy: 0, unobserved: 0 };
  const { id: duplicates } = rolloutDuplicateIdentity;
  let records = 0;
  for (const { verdict, unobserved, copies } of rollouts) {
    records++;
    verdicts[verdict]++;
    ROLLOUT_CHECKS.forEach(({ id }, index) => covered(id, (unobserved & (1 << index)) === 0));
    if (copies > 1 && !ignored.has(duplicates)) count(issues, duplicates);
  }
  for (const { outcomes } of tasks) {
    TASK_CHECKS.forEach(({ id }, index) => {
      covered(id, outcomes[index] !== undefined);
      if (outcomes[index] && !ignored.has(id)) count(issues, id);
    });
  }

  const { captures, byStatus, affected, endedOnError, replayed, withReplays, tokens } = counts;
  const statuses = [...byStatus].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    ignored_checks: [...ignored].sort(),
    artifacts: { records, captures, coverage },
    verdicts,
    issues: Object.fromEntries(Object.keys(coverage).map((id) => [id, issues.get(id) ?? 0])),
    stats: {
      model_call_errors: {
        total: statuses.reduce((sum, [, n]) => sum + n, 0),
        by_status: Object.fromEntries(statuses),
        rollouts_affected: affected,
        ended_on_error: endedOnError,
      },
      duplicated_calls: { replayed, rollouts: withReplays },
      tokens,
    },
  };
}
