/** A profile of finished runs for programs: JSON and CSV, in pieces, since there may be millions of tasks. Pure. */
import type { GroupProfile, MetricProfile, Quantiled } from "../results/profile.ts";
import { costOf, withoutPrice } from "../results/prices.ts";
import { TASK_KEYS, type TaskRow } from "../results/task_row.ts";
import { type Cell, csvLine } from "./csv.ts";
import type { Profile } from "./profile_data.ts";
import { printableJson } from "./text.ts";

/** The beginning of the object, up to the list of tasks, which {@link taskJson} and {@link END_OF_TASKS} continue. */
export function profileHead(profile: Profile): string {
  const { files, by, passAt, leftOut, notes, agents, groups } = profile;
  const head = {
    files,
    by: by ?? null,
    pass_at: passAt ?? null,
    left_out: leftOut,
    notes,
    agents: agents.map((group) => groupJson(group, profile)),
    groups: groups.map((group) => ({ by: group.by ?? null, ...groupJson(group, profile) })),
  };
  return `${printableJson(head).slice(0, -1)},"tasks":[`;
}

/** A task of the list. */
export function taskJson(task: TaskRow, isFirst: boolean): string {
  return `${isFirst ? "" : ","}\n${printableJson(task)}`;
}

export const END_OF_TASKS = "\n]}\n";

function groupJson(group: GroupProfile, { prices }: Profile) {
  const { agent, tasks, outcomes, unmeasured, reward, metrics, rewards, counts, passes, graded, solved } =
    group;
  const { always, sometimes, never, surelyAlways, surelyNever } = solved;
  const all = [...group.tokens, ...group.failedTokens];
  return {
    agent,
    tasks,
    rollouts: outcomes,
    unmeasured_tasks: unmeasured,
    reward: reward ? metricJson(reward) : null,
    rewards: quantilesJson(rewards),
    reward_counts: counts,
    passes: passes.map(({ k, any, all, short }) => ({
      k,
      tasks: any.tasks,
      too_few: short,
      "pass@k": meanJson(any),
      "pass^k": meanJson(all),
    })),
    graded_tasks: graded,
    solved: { always, sometimes, never, surely_always: surelyAlways, surely_never: surelyNever },
    spread: group.spread,
    metrics: Object.fromEntries([...metrics].map(([name, one]) => [`mean/${name}`, metricJson(one)])),
    duration_s: quantilesJson(group.durations),
    tokens: group.tokens,
    results_without_tokens: group.untold,
    failed_tokens: group.failedTokens,
    failed_attempts: group.attempts.failed,
    failed_attempts_without_tokens: group.attempts.untold,
    cost_usd: prices ? costOf(all, prices) ?? null : null,
    failed_cost_usd: prices ? costOf(group.failedTokens, prices) ?? null : null,
    models_without_price: prices ? withoutPrice(all, prices) : [],
    truncated: group.truncated,
  };
}

function metricJson(one: MetricProfile) {
  return { ...meanJson(one), tasks: one.tasks, values: one.values, pooled: one.pooled };
}

function meanJson({ mean, error, interval, method, rough }: Omit<MetricProfile, "pooled" | "values">) {
  return {
    mean,
    error,
    low: interval?.[0] ?? null,
    high: interval?.[1] ?? null,
    method: interval ? method : null,
    rough,
  };
}

function quantilesJson(of: Quantiled | undefined) {
  return of ?? null;
}

/** Columns behind those of tasks: of groups only. */
const GROUP_COLUMNS = [
  "tasks",
  "error",
  "low",
  "high",
  "method",
  "rough",
  "pooled",
  "always",
  "sometimes",
  "never",
  "surely_always",
  "surely_never",
  "duration_median",
  "duration_p90",
  "duration_max",
] as const;

/** The heading and a line for each agent and group; {@link taskLines} makes the lines of tasks. */
export function* profileCsv(profile: Profile): Generator<string> {
  const ks = ksOf(profile);
  yield csvLine([
    "scope",
    ...TASK_KEYS,
    ...GROUP_COLUMNS,
    ...ks.flatMap((k) => [`pass@${k}`, `pass@${k}_low`, `pass@${k}_high`, `pass@${k}_tasks`, `pass^${k}`]),
  ]);
  for (const agent of profile.agents) yield groupCsv("agent", agent, profile, ks);
  for (const group of profile.groups) yield groupCsv("by", group, profile, ks);
}

/** A function from a task to its line, with as many columns as the heading. */
export function taskLines(profile: Profile): (task: TaskRow) => string {
  const rest: Cell[] = Array(GROUP_COLUMNS.length + OF_K * ksOf(profile).length).fill(null);
  return (task) => csvLine(["task", ...TASK_KEYS.map((key) => task[key]), ...rest]);
}

/** Columns for each k. */
const OF_K = 5;

function ksOf({ agents }: Profile): number[] {
  return [...new Set(agents.flatMap(({ passes }) => passes.map(({ k }) => k)))].sort((a, b) => a - b);
}

function groupCsv(
  scope: "agent" | "by",
  group: GroupProfile,
  { prices }: Profile,
  ks: readonly number[],
): string {
  const { outcomes, reward, rewards, solved, durations, passes, tokens, failedTokens } = group;
  const rate = passes.find(({ k }) => k === 1)?.any;
  const shared: Partial<Record<typeof TASK_KEYS[number], Cell>> = {
    ...outcomes,
    agent: group.agent,
    by: group.by ?? null,
    mean: reward?.mean ?? null,
    min: rewards?.min ?? null,
    max: rewards?.max ?? null,
    pass_rate: rate?.mean ?? null,
    pass_low: rate?.interval?.[0] ?? null,
    pass_high: rate?.interval?.[1] ?? null,
    duration: durations ? durations.sum / durations.count : null,
    tokens_in: tokens.length > 0 ? tokens.reduce((sum, { input }) => sum + input, 0) : null,
    tokens_out: tokens.length > 0 ? tokens.reduce((sum, { output }) => sum + output, 0) : null,
    failed_tokens_in: failedTokens.length > 0
      ? failedTokens.reduce((sum, { input }) => sum + input, 0)
      : null,
    failed_tokens_out: failedTokens.length > 0
      ? failedTokens.reduce((sum, { output }) => sum + output, 0)
      : null,
    cost: prices ? costOf([...tokens, ...failedTokens], prices) ?? null : null,
    truncated: group.truncated,
  };
  const own: Record<typeof GROUP_COLUMNS[number], Cell> = {
    tasks: group.tasks,
    error: reward?.error ?? null,
    low: reward?.interval?.[0] ?? null,
    high: reward?.interval?.[1] ?? null,
    method: reward?.interval ? reward.method : null,
    rough: reward ? Number(reward.rough) : null,
    pooled: reward?.pooled ?? null,
    always: solved.always,
    sometimes: solved.sometimes,
    never: solved.never,
    surely_always: solved.surelyAlways,
    surely_never: solved.surelyNever,
    duration_median: durations?.median ?? null,
    duration_p90: durations?.p90 ?? null,
    duration_max: durations?.max ?? null,
  };
  return csvLine([
    scope,
    ...TASK_KEYS.map((key) => shared[key] ?? null),
    ...GROUP_COLUMNS.map((key) => own[key]),
    ...ks.flatMap((k): Cell[] => {
      const point = passes.find((one) => one.k === k);
      if (!point) return Array<Cell>(OF_K).fill(null);
      const [low, high] = point.any.interval ?? [null, null];
      return [point.any.mean, low, high, point.any.tasks, point.all.mean];
    }),
  ]);
}
