/** What `rollcall profile --json` and `rollcall filter --json` print: see `schemas.ts`. */
import { z } from "zod";

const count = (about: string) => z.int().nonnegative().describe(about);
const amountOrNull = (about: string) => z.number().nonnegative().nullable().describe(about);
const numberOrNull = (about: string) => z.number().nullable().describe(about);
const textOrNull = (about: string) => z.string().nullable().describe(about);

const mean = {
  mean: z.number().describe("one value a task, each task with the same weight"),
  error: amountOrNull("the standard error; null for one task"),
  low: numberOrNull("where the 95 % interval begins"),
  high: numberOrNull("where it ends"),
  method: z.enum(["wilson", "t"]).nullable().describe(
    "how: Wilson's interval with Student's t and an effective number of rollouts, where all values lie within 0 and 1; " +
      "else mean ± t · standard error",
  ),
  rough: z.boolean().describe("whether there are fewer than 50 tasks"),
};

const metric = z.strictObject({
  ...mean,
  tasks: count("tasks that have it"),
  values: count("rollouts that have it"),
  pooled: z.number().describe("the mean over all rollouts, whichever task they are of"),
});

const quantiles = (about: string) =>
  z.strictObject({
    count: count("how many"),
    sum: z.number().describe("together"),
    min: z.number().describe("the least"),
    median: z.number().describe("the middle one"),
    p90: z.number().describe("nine of ten are less"),
    p99: z.number().describe("ninety-nine of a hundred are less"),
    max: z.number().describe("the most"),
  }).nullable().describe(about);

const tokens = (about: string) =>
  z.array(z.strictObject({
    model: textOrNull("`response.model`; null where only `ng_perf` tells of tokens"),
    input: count("of the prompts"),
    output: count("of the answers"),
  })).describe(about);

const outcomes = {
  planned: count("rollouts that the files know of: the sum of the following"),
  measured: count("with a reward"),
  masked: count("with a result that asks not to be measured (`mask_sample`)"),
  unscored: count("with a result whose reward is missing or not a finite number"),
  failed: count("without a result, and with a failure"),
  missing: count("only in the materialized inputs"),
};

const group = {
  agent: z.string().describe("its name, else the environment server's; empty where lines name neither"),
  tasks: count("its tasks"),
  rollouts: z.strictObject(outcomes).describe("what became of its rollouts"),
  unmeasured_tasks: z.strictObject({
    count: count("how many"),
    listed: z.array(z.strictObject({
      task: z.int().describe("`_ng_task_index`"),
      id: textOrNull("what the data set calls the task"),
    })).describe("the first of them"),
  }).describe("tasks without a reward"),
  reward: metric.nullable().describe("the mean reward; null without any"),
  rewards: quantiles("the rewards; null without any"),
  reward_counts: z.array(z.strictObject({
    reward: z.number().describe("its value"),
    count: count("how often"),
  })).nullable().describe("each reward; null where more than a dozen are different"),
  passes: z.array(z.strictObject({
    k: z.int().positive().describe("1, 2, 4, … and the most rewards that a task has"),
    tasks: count("tasks that count at k"),
    too_few: count("tasks that do not, since they have fewer than k rewards"),
    "pass@k": z.strictObject(mean).describe("the chance that at least one of k rollouts passes"),
    "pass^k": z.strictObject(mean).describe("the chance that all of k do"),
  })).describe("by k"),
  graded_tasks: count("tasks with rewards besides 0 and 1, which are not among `passes` without `--pass-at`"),
  solved: z.strictObject({
    always: count("tasks of which all rollouts passed"),
    sometimes: count("some"),
    never: count("none"),
    surely_always: count("of `always`: the one-sided 95 % limit of the rate is above 0.9"),
    surely_never: count("of `never`: it is below 0.1"),
  }).describe("tasks by what their rollouts did"),
  spread: z.strictObject({
    a: z.number().describe("its first parameter"),
    b: z.number().describe("its second parameter"),
  }).describe("the beta distribution that the success rates of tasks seem to come from"),
  metrics: z.record(z.string(), metric).describe(
    "the other numeric members of results and of `response.usage`",
  ),
  duration_s: quantiles("how long rollouts took, in seconds; null where no line says so"),
  tokens: tokens("of the results, by model"),
  results_without_tokens: count("results that do not say how many"),
  failed_tokens: tokens("of failed attempts, where their lines say so"),
  failed_attempts: count("failed attempts in the sidecar"),
  failed_attempts_without_tokens: count("of these, those that do not say how many"),
  cost_usd: amountOrNull("of all these tokens; null without prices"),
  failed_cost_usd: amountOrNull("of this, for failed attempts"),
  models_without_price: z.array(z.string().nullable()).describe("what is not in the cost"),
  truncated: count("answers that ended at their length limit"),
};

/** `rollcall profile --json`. */
export const profileSchema = z.strictObject({
  files: z.array(z.string()).describe("paths of the rollouts"),
  by: textOrNull("the field that `groups` are by"),
  pass_at: numberOrNull("from which reward on a rollout passes; null for rewards of 1 among 0 and 1"),
  left_out: z.strictObject({
    duplicates: count("further results of a rollout that has one in the same file"),
    unplanned: count("results that the materialized inputs beside them do not have"),
  }).describe("lines that do not count"),
  notes: z.array(z.string()).describe("warnings and notes, for people"),
  agents: z.array(z.strictObject(group)).describe("by name"),
  groups: z.array(z.looseObject({ by: textOrNull("the value of the field; null for tasks without it") }))
    .describe(
      "by the values of the field: `by` and the keys of `agents[]`",
    ),
  tasks: z.array(z.strictObject({
    agent: z.string().describe("who ran it"),
    task: z.int().describe("`_ng_task_index`"),
    id: textOrNull("what the data set calls the task"),
    row: textOrNull("what distinguishes its input row; null without materialized inputs"),
    by: textOrNull("the value of the field"),
    ...outcomes,
    mean: numberOrNull("its mean reward"),
    std: amountOrNull("how its rewards are spread; null with fewer than two"),
    min: numberOrNull("its lowest reward"),
    max: numberOrNull("its highest reward"),
    passed: z.int().nonnegative().nullable().describe(
      "rollouts that passed; null where it is unknown what that is",
    ),
    pass_rate: amountOrNull("`passed` by `measured`"),
    pass_low: amountOrNull("where Jeffreys' 95 % interval of the rate begins"),
    pass_high: amountOrNull("where it ends"),
    shrunk_rate: amountOrNull("the rate, drawn towards those of the agent's other tasks"),
    solved: z.enum(["always", "sometimes", "never"]).nullable().describe("how many rollouts passed"),
    sure: z.int().nullable().describe("1 where more rollouts would hardly show otherwise, else 0"),
    duration: amountOrNull("the mean, in seconds"),
    tokens_in: amountOrNull("of the prompts of its results; null where none says so"),
    tokens_out: amountOrNull("of their answers"),
    failed_tokens_in: amountOrNull("of the prompts of its failed attempts"),
    failed_tokens_out: amountOrNull("of their answers"),
    cost: amountOrNull("in USD, with failed attempts; null without prices"),
    truncated: count("answers that ended at their length limit"),
  })).describe("all tasks, by number"),
});

/** `rollcall filter --json`. */
export const filterSchema = z.strictObject({
  output: z.string().describe("where the lines are"),
  input: z.string().describe("where they come from"),
  tasks: count("tasks of the runs"),
  kept_tasks: count("those for which the condition holds"),
  lines: count("rows of the input that the runs used"),
  kept_lines: count("those that were written"),
});
