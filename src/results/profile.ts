/** What a run's results say by agent, and by a field of the input rows: folds tasks, in memory that does not grow with them. */
import { UsageFault } from "../kit/fault.ts";
import { whole } from "../kit/phrases.ts";
import { Column } from "../statistics/column.ts";
import { Moments } from "../statistics/moments.ts";
import { PassCurve, type PassPoint } from "../statistics/pass_curve.ts";
import { type Spread, SpreadFit } from "../statistics/success_rate.ts";
import { TaskMean, type TaskMeanResult } from "../statistics/task_mean.ts";
import { passesOf } from "./passes.ts";
import { rateOf } from "./task_row.ts";
import { addTokens, meanOf, type Outcomes, type TaskResults, type Tokens } from "./task_results.ts";

/** A metric over the tasks that have it. */
export interface MetricProfile extends TaskMeanResult {
  /** The mean of all values, whichever task they are of: what `mean/…` is in the metrics file. */
  readonly pooled: number;
  /** How many values there are. */
  readonly values: number;
}

/** What is known of passes at one k. */
export interface PassProfile extends PassPoint {
  /** Tasks that do not count at k because they have fewer than k rewards. */
  readonly short: number;
}

export interface Quantiled {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** One agent, or its tasks with one value of the field. */
export interface GroupProfile {
  readonly agent: string;
  /** The value; null where the rows have no such field. Undefined in the profile of a whole agent. */
  readonly by?: string | null;
  readonly tasks: number;
  readonly outcomes: Outcomes;
  /** Tasks without a reward, and the first of them. */
  readonly unmeasured: { readonly count: number; readonly listed: readonly Named[] };
  /** Undefined without any reward. */
  readonly reward: MetricProfile | undefined;
  /** The other numeric members of results, by name. */
  readonly metrics: ReadonlyMap<string, MetricProfile>;
  readonly rewards: Quantiled | undefined;
  /** How often each reward is there, from the lowest; null where more than a dozen are different. */
  readonly counts: readonly { readonly reward: number; readonly count: number }[] | null;
  readonly passes: readonly PassProfile[];
  /** Tasks with rewards of which it is unknown what a pass is. */
  readonly graded: number;
  readonly solved: Solved;
  /** The first tasks that were never solved. */
  readonly unsolved: readonly Named[];
  /** How success rates are spread over tasks. */
  readonly spread: Spread;
  readonly durations: Quantiled | undefined;
  readonly tokens: readonly Tokens[];
  /** Results that do not say how many tokens they took. */
  readonly untold: number;
  readonly failedTokens: readonly Tokens[];
  readonly attempts: { readonly failed: number; readonly untold: number };
  readonly truncated: number;
}

/** A task, for people. */
export interface Named {
  readonly task: number;
  readonly id: string | null;
}

/** Tasks by what became of their rollouts; of always and never, those that would hardly turn out otherwise. */
export interface Solved {
  readonly always: number;
  readonly sometimes: number;
  readonly never: number;
  readonly surelyAlways: number;
  readonly surelyNever: number;
}

export interface ProfileOptions {
  /** From which reward on a rollout passes; without it rewards must be 0 or 1. */
  readonly passAt?: number | undefined;
  /** The field that tasks are grouped by. */
  readonly by?: string | undefined;
}

/** Values of a field beyond which grouping by it helps nobody. */
const MOST_GROUPS = 1000;
/** Different rewards that are counted one by one. */
const MOST_REWARDS = 12;
/** Values kept for exact quantiles: of an agent, of a group. */
const EXACT = 100_000, EXACT_IN_GROUP = 2048;
/** Tasks that are named. */
const NAMED = 10;

export class ProfileFold {
  readonly #options: ProfileOptions;
  readonly #agents = new Map<string, GroupFold>();
  readonly #groups = new Map<string, GroupFold>();

  constructor(options: ProfileOptions) {
    this.#options = options;
  }

  /** @throws {UsageFault} when the field has too many values */
  add(task: TaskResults): void {
    const { by, passAt } = this.#options;
    let agent = this.#agents.get(task.agent);
    if (!agent) this.#agents.set(task.agent, agent = new GroupFold({ agent: task.agent }, passAt, EXACT));
    agent.add(task);
    if (by === undefined) return;
    const key = JSON.stringify([task.agent, task.by]);
    let group = this.#groups.get(key);
    if (!group) {
      if (this.#groups.size === MOST_GROUPS) {
        throw new UsageFault(
          `--by ${by}: the tasks have more than ${
            whole(MOST_GROUPS)
          } different values there. Take a field with fewer; ` +
            `--json and --csv list each task.`,
        );
      }
      this.#groups.set(
        key,
        group = new GroupFold({ agent: task.agent, by: task.by }, passAt, EXACT_IN_GROUP),
      );
    }
    group.add(task);
  }

  /** By name. */
  agents(): GroupProfile[] {
    return [...this.#agents.values()].map((fold) => fold.profile()).sort(inOrder);
  }

  /** By agent, then value; those without the field last. */
  groups(): GroupProfile[] {
    return [...this.#groups.values()].map((fold) => fold.profile()).sort(inOrder);
  }
}

class GroupFold {
  readonly #name: { readonly agent: string; readonly by?: string | null };
  readonly #passAt: number | undefined;
  readonly #outcomes = { planned: 0, measured: 0, masked: 0, unscored: 0, failed: 0, missing: 0 };
  readonly #unmeasured: { count: number; listed: Named[] } = { count: 0, listed: [] };
  readonly #metrics = new Map<string, MetricFold>();
  readonly #rewards: Column;
  #counts: Map<number, number> | null = new Map();
  readonly #passes = new PassCurve();
  /** How many tasks have so many rewards with passes, by that number. */
  readonly #sizes = new Map<number, number>();
  readonly #spread = new SpreadFit();
  readonly #solved = { always: 0, sometimes: 0, never: 0, surelyAlways: 0, surelyNever: 0 };
  readonly #unsolved: Named[] = [];
  readonly #durations: Column;
  readonly #tokens = new Map<string | null, Tokens>();
  readonly #failedTokens = new Map<string | null, Tokens>();
  readonly #attempts = { failed: 0, untold: 0 };
  #graded = 0;
  #tasks = 0;
  #untold = 0;
  #truncated = 0;

  constructor(
    name: { readonly agent: string; readonly by?: string | null },
    passAt: number | undefined,
    exact: number,
  ) {
    this.#name = name;
    this.#passAt = passAt;
    this.#rewards = new Column(exact);
    this.#durations = new Column(exact);
  }

  add(task: TaskResults): void {
    this.#tasks++;
    for (const key of Object.keys(this.#outcomes) as (keyof Outcomes)[]) {
      this.#outcomes[key] += task.outcomes[key];
    }
    this.#untold += task.untold;
    this.#truncated += task.truncated;
    this.#attempts.failed += task.attempts.failed;
    this.#attempts.untold += task.attempts.untold;
    for (const tokens of task.tokens) addTokens(this.#tokens, tokens);
    for (const tokens of task.failedTokens) addTokens(this.#failedTokens, tokens);
    for (const duration of task.durations) this.#durations.add(duration);
    for (const [name, values] of task.metrics) {
      if (values.length === 0) continue;
      let metric = this.#metrics.get(name);
      if (!metric) this.#metrics.set(name, metric = new MetricFold());
      metric.add(values);
    }
    if (task.rewards.length > 0) this.#addRewards(task);
    else if (this.#unmeasured.count++ < NAMED) this.#unmeasured.listed.push(nameOf(task));
  }

  #addRewards(task: TaskResults): void {
    const { rewards } = task;
    for (const reward of rewards) {
      this.#rewards.add(reward);
      this.#counts?.set(reward, (this.#counts.get(reward) ?? 0) + 1);
    }
    if (this.#counts && this.#counts.size > MOST_REWARDS) this.#counts = null;
    const passes = passesOf(rewards, this.#passAt);
    if (!passes) return void this.#graded++;
    const { n, passed } = passes;
    this.#passes.add(n, passed);
    this.#spread.add(n, passed);
    this.#sizes.set(n, (this.#sizes.get(n) ?? 0) + 1);
    const { solved, sure } = rateOf(passed, n);
    this.#solved[solved]++;
    if (solved === "never" && this.#unsolved.length < NAMED) this.#unsolved.push(nameOf(task));
    if (sure && solved !== "sometimes") this.#solved[solved === "always" ? "surelyAlways" : "surelyNever"]++;
  }

  profile(): GroupProfile {
    const metrics = new Map<string, MetricProfile>();
    for (const [name, fold] of this.#metrics) metrics.set(name, fold.profile());
    const reward = metrics.get("reward");
    metrics.delete("reward");
    return {
      ...this.#name,
      tasks: this.#tasks,
      outcomes: this.#outcomes,
      unmeasured: this.#unmeasured,
      reward,
      metrics,
      rewards: quantiled(this.#rewards),
      counts: this.#counts &&
        [...this.#counts].map(([reward, count]) => ({ reward, count })).sort((a, b) => a.reward - b.reward),
      passes: this.#passes.points().map((point) => ({ ...point, short: this.#below(point.k) })),
      graded: this.#graded,
      solved: this.#solved,
      unsolved: this.#unsolved,
      spread: this.#spread.spread(),
      durations: quantiled(this.#durations),
      tokens: [...this.#tokens.values()],
      untold: this.#untold,
      failedTokens: [...this.#failedTokens.values()],
      attempts: this.#attempts,
      truncated: this.#truncated,
    };
  }

  #below(k: number): number {
    let tasks = 0;
    for (const [n, count] of this.#sizes) if (n < k) tasks += count;
    return tasks;
  }
}

class MetricFold {
  readonly #tasks = new TaskMean();
  readonly #all = new Moments();
  #isBounded = true;
  #isBinary = true;

  add(values: readonly number[]): void {
    const mean = meanOf(values);
    if (mean !== undefined) this.#tasks.add(mean);
    for (const value of values) {
      this.#all.add(value);
      this.#isBounded &&= value >= 0 && value <= 1;
      this.#isBinary &&= value === 0 || value === 1;
    }
  }

  profile(): MetricProfile {
    const { count, mean } = this.#all;
    const cap = this.#isBinary ? count : undefined;
    return { ...this.#tasks.result({ bounded: this.#isBounded, cap }), pooled: mean, values: count };
  }
}

function nameOf({ task, id }: TaskResults): Named {
  return { task, id };
}

function quantiled(column: Column): Quantiled | undefined {
  if (column.count === 0) return undefined;
  const { count, sum, min, median, max } = column;
  return { count, sum, min, median, p90: column.quantile(0.9), p99: column.quantile(0.99), max };
}

function inOrder(a: GroupProfile, b: GroupProfile): number {
  if (a.agent !== b.agent) return a.agent < b.agent ? -1 : 1;
  if (a.by === b.by) return 0;
  if (typeof a.by !== "string") return 1;
  if (typeof b.by !== "string") return -1;
  return a.by.localeCompare(b.by, "en", { numeric: true });
}
