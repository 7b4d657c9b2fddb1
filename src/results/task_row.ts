/** One task in numbers: what `profile --json` and `--csv` list, and what conditions of `filter` are about. */
import { jeffreys, shrunk, type Solved, solved, type Spread } from "../statistics/success_rate.ts";
import { passAtK, passHatK } from "../statistics/pass_curve.ts";
import { Moments } from "../statistics/moments.ts";
import { passesOf } from "./passes.ts";
import { costOf, type Prices } from "./prices.ts";
import { meanOf, type TaskResults, type Tokens } from "./task_results.ts";

/** Null for what is not known of the task. */
export interface TaskRow {
  readonly agent: string;
  readonly task: number;
  readonly id: string | null;
  readonly row: string | null;
  readonly by: string | null;
  readonly planned: number;
  readonly measured: number;
  readonly masked: number;
  readonly unscored: number;
  readonly failed: number;
  readonly missing: number;
  readonly mean: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Rollouts that passed, of those measured, and their share with Jeffreys' 95 % interval. */
  readonly passed: number | null;
  readonly pass_rate: number | null;
  readonly pass_low: number | null;
  readonly pass_high: number | null;
  /** The share, drawn towards those of the other tasks of the agent. */
  readonly shrunk_rate: number | null;
  readonly solved: Solved | null;
  /** 1 where more rollouts would hardly show otherwise, else 0. */
  readonly sure: number | null;
  /** The mean, in seconds. */
  readonly duration: number | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly failed_tokens_in: number | null;
  readonly failed_tokens_out: number | null;
  /** In USD, failed attempts included; null without prices. */
  readonly cost: number | null;
  readonly truncated: number;
}

/** The keys, in the order in which they are listed. */
export const TASK_KEYS = [
  "agent",
  "task",
  "id",
  "row",
  "by",
  "planned",
  "measured",
  "masked",
  "unscored",
  "failed",
  "missing",
  "mean",
  "std",
  "min",
  "max",
  "passed",
  "pass_rate",
  "pass_low",
  "pass_high",
  "shrunk_rate",
  "solved",
  "sure",
  "duration",
  "tokens_in",
  "tokens_out",
  "failed_tokens_in",
  "failed_tokens_out",
  "cost",
  "truncated",
] as const satisfies readonly (keyof TaskRow)[];

export interface TaskRowOptions {
  readonly passAt?: number | undefined;
  readonly prices?: Prices | undefined;
  /** How success rates are spread over the tasks of an agent. */
  readonly spreadOf: (agent: string) => Spread | undefined;
}

export function taskRow(results: TaskResults, { passAt, prices, spreadOf }: TaskRowOptions): TaskRow {
  const { agent, task, id, row, by, outcomes, rewards, durations, tokens, failedTokens, truncated } = results;
  const moments = new Moments(), passes = passesOf(rewards, passAt);
  let min = Infinity, max = -Infinity;
  for (const reward of rewards) {
    moments.add(reward);
    min = Math.min(min, reward);
    max = Math.max(max, reward);
  }
  const known = passes && rateOf(passes.passed, passes.n), spread = spreadOf(agent);
  return {
    agent,
    task,
    id,
    row,
    by,
    ...outcomes,
    mean: meanOf(rewards) ?? null,
    std: rewards.length > 1 ? moments.std : null,
    min: rewards.length > 0 ? min : null,
    max: rewards.length > 0 ? max : null,
    passed: passes?.passed ?? null,
    pass_rate: passes ? passes.passed / passes.n : null,
    pass_low: known?.low ?? null,
    pass_high: known?.high ?? null,
    shrunk_rate: passes && spread ? shrunk(passes.passed, passes.n, spread) : null,
    solved: known?.solved ?? null,
    sure: known ? Number(known.sure) : null,
    duration: meanOf(durations) ?? null,
    tokens_in: sumOf(tokens, "input"),
    tokens_out: sumOf(tokens, "output"),
    failed_tokens_in: sumOf(failedTokens, "input"),
    failed_tokens_out: sumOf(failedTokens, "output"),
    cost: prices ? costOf([...tokens, ...failedTokens], prices) ?? null : null,
    truncated,
  };
}

/** pass@k (any) or pass^k (all) of a task; null where it has fewer rewards than k, or no passes. */
export function passOf(results: TaskResults, kind: "any" | "all", k: number, passAt?: number): number | null {
  const passes = passesOf(results.rewards, passAt);
  if (!passes || k > passes.n) return null;
  return (kind === "any" ? passAtK : passHatK)(passes.n, passes.passed, k);
}

interface Rate {
  readonly low: number;
  readonly high: number;
  readonly solved: Solved;
  readonly sure: boolean;
}

const rates = new Map<string, Rate>();

/** The same few are asked for again and again, and each takes a while. */
export function rateOf(passed: number, n: number): Rate {
  const key = `${passed}/${n}`;
  let known = rates.get(key);
  if (!known) {
    if (rates.size > 10_000) rates.clear();
    const [low, high] = jeffreys(passed, n);
    rates.set(key, known = { low, high, ...solved(passed, n) });
  }
  return known;
}

/** Null where no line told of any. */
function sumOf(tokens: readonly Tokens[], kind: "input" | "output"): number | null {
  return tokens.length === 0 ? null : tokens.reduce((sum, one) => sum + one[kind], 0);
}
