/**
 * What the commands print with `--json`: one schema for each. Documentation and tests are made from them; no command
 * loads this file, so zod costs a run nothing. It is long because it is a table of keys.
 */
import { z } from "zod";

const count = (about: string) => z.int().nonnegative().describe(about);
const countOrNull = (about: string) => z.int().nonnegative().nullable().describe(about);
const amount = (about: string) => z.number().nonnegative().describe(about);
const amountOrNull = (about: string) => z.number().nonnegative().nullable().describe(about);
const text = (about: string) => z.string().describe(about);
const textOrNull = (about: string) => z.string().nullable().describe(about);
const flag = (about: string) => z.boolean().describe(about);
const texts = (about: string) => z.array(z.string()).describe(about);
const byName = (about: string) => z.record(z.string(), z.int().nonnegative()).describe(about);
const means = (about: string) => z.record(z.string(), z.number()).describe(about);
const files = z.record(z.string(), z.string()).describe(
  "paths of files that hold something now, by what that is",
);

const others = (of: string) =>
  z.strictObject({
    classes: count("how many classes"),
    count: count("the sum of their counts"),
  }).describe(`the classes of ${of} above the twenty most frequent, together`);

const metrics = z.array(z.strictObject({
  label: text("the agent, or the server where an agent has several"),
  rows: count("rollouts that were scored"),
  key_metrics: z.record(z.string(), z.unknown()).describe("the metrics, as the server names them"),
  computed_by: z.enum(["server", "rollcall"]).describe("who computed them"),
})).nullable().describe("one for each group; null when none were asked for, or it ended before");

const health = z.strictObject({
  checked: count("rollouts that were checked"),
  healthy: count("those without a finding"),
  unhealthy: count("those with a finding"),
  unobserved: count("those that lack what a check needs"),
  ignored: texts("checks that were left out"),
  issues: byName("findings by check"),
  summary: text("path of the summary"),
  verdicts: text("path of the verdicts"),
}).nullable().describe("what the health checks said; null without checks");

const coverage = z.strictObject({
  expected: count("rollouts that were owed, as far as the files know"),
  scored: count("rollouts in the metrics"),
  counted: count("of these, failures that count as zero"),
  imputed: count("of these, rollouts without a trace that count as zero"),
  missing: count("rollouts that are not in the metrics"),
  failures: byName("of these, failures by the class of the last attempt"),
  other_failures: others("`failures`"),
  without_trace: count("of these, rollouts that only the materialized inputs know"),
  unscored_tasks: z.strictObject({
    count: count("tasks without a scored rollout"),
    listed: z.array(z.strictObject({
      task: z.int().describe("`_ng_task_index`"),
      group: text("who would have scored it"),
      missing: count("rollouts of it that are missing"),
    })).describe("the first of them"),
  }).describe("tasks that no metric is about"),
  shards: z.strictObject({
    all: count("rollouts files"),
    with_inputs: count("those with materialized inputs; of the others nobody knows what was owed"),
  }).describe("where the rollouts came from"),
}).nullable().describe("what the files say of all that was owed; null without metrics");

const notes = texts("warnings and notes, for people");

/** `rollcall collect --json`. */
export const collectSchema = z.strictObject({
  ending: z.enum(["complete", "drained", "token_budget", "too_many_failures", "stopped", "failed"]).describe(
    "`drained`: a budget of time left rollouts undone; `token_budget`, `too_many_failures`: that limit did; " +
      "`stopped`: a signal did",
  ),
  error: textOrNull("what ended the run as a failure, or was found at its end"),
  signal: textOrNull("the name of the signal that stopped the run"),
  materialized: count("rollouts in the materialized inputs: `done_before + terminal + at_cap + owed`"),
  done_before: count("in the rollouts file when the run began"),
  terminal: count("not run again: failed permanently in earlier runs"),
  at_cap: count("not run again: reached the attempt limit in earlier runs"),
  failed_before: count("those among `owed` that failed in an earlier run"),
  owed: count("what this run had to run: `done + failed + not_persisted + drained + left`"),
  done: count("rows that this run wrote to the rollouts file"),
  failed: count("those whose last attempt failed"),
  exhausted: count(
    "those among `failed` that are not tried again: failed permanently, or at the attempt limit",
  ),
  unrecorded: count("those among `failed` that are not recorded: they ended the run"),
  given_up: count("requests abandoned in flight, counted in `left`; their servers may have run them"),
  not_persisted: count("answers that asked not to be kept"),
  drained: count("not started because a budget was used up, or too many rollouts had failed"),
  left: count("not started, or abandoned in flight, when the run ended"),
  to_run: count("what a resume would run: `left + drained + not_persisted + failed - exhausted`"),
  scored: count("rows that metrics were computed over; without metrics, rows of the rollouts file"),
  missing: count("`materialized` less `scored`"),
  imputed: count("rows among `scored` that are in no file, because they count as zero"),
  coverage,
  undone: z.array(z.strictObject({
    rollouts: count("how many"),
    why: z.enum([
      ...["slurm_end", "dispatch_budget", "token_budget", "too_many_failures", "signal", "error"] as const,
    ]).describe(
      "`slurm_end`: the Slurm job ends too soon for them",
    ),
  })).describe("`drained` and `left`, where they are not 0, and why"),
  failures: byName("failed attempts by class: those in the sidecar, and those that ended the run"),
  other_failures: others("`failures`"),
  attempts_again: count("recorded failed attempts that were followed by another one"),
  repeats: count("requests that could not be sent and were repeated"),
  outages: z.array(z.strictObject({
    server: z.string().describe("its name"),
    turned_away: count("responses that turned a row away"),
    ran_again: count("of their rows, those with an attempt in the sidecar"),
    paused_s: amount("how long the server was paused, in seconds"),
  })).describe("one for each server in front of which something turned rows away (502, 503, 504, 429)"),
  concurrency: z.array(z.strictObject({
    server: z.string().describe("its name"),
    width: count("requests that may be in flight there now"),
    widest: count("the most there were"),
    refused: count("how often there were fewer after a refusal"),
    slower: count("how often there were fewer since the server had become slower"),
  })).describe("one for each server with `--concurrency auto`"),
  tokens: z.strictObject({
    used: count("tokens, in and out, by `response.usage` of this run's answers"),
    budget: count("`token_budget`"),
    without: count("answers that do not say how many tokens they took"),
  }).nullable().describe("null without a token budget"),
  unscored: count("rows of the rollouts file whose reward is missing or not a number"),
  bytes: count("bytes of responses"),
  elapsed_s: amount("seconds the run took"),
  busy_s: amount("the durations of all answered requests together, in seconds"),
  task_hours: amount("`busy_s` in hours"),
  latency_s: z.strictObject({
    median: amountOrNull("half were faster"),
    p90: amountOrNull("nine of ten were faster"),
    p99: amountOrNull("ninety-nine of a hundred were faster"),
    max: amountOrNull("the slowest"),
  }).describe("durations of answered requests in seconds, null before the first answer"),
  live: z.array(z.strictObject({
    name: text("the agent, or the server where an agent has several"),
    owed: count("rollouts this run had to run there"),
    finished: count("of these, over: with a result, or failed for this run"),
    left: count("`owed` less `finished`"),
    per_minute: amount("finished ones a minute, since the start"),
    scored: count("results with a reward"),
    unscored: count("written results without one").optional(),
    means: means("means of the numeric top-level fields of all answers, those that were not kept included"),
    masked_pct: amount("percent of the written results that are masked").optional(),
    reward_unmasked: z.number().describe("the mean reward of those that are not").optional(),
    failed: count("rollouts that failed").optional(),
    omitted: count("answers that asked not to be kept").optional(),
  })).describe("what this run saw, by server; keys without anything to tell are not there"),
  so_far: z.array(z.strictObject({
    name: text("as in `live`"),
    rows: count("rows"),
    expected: count("rollouts in the materialized inputs"),
    unscored: count("rows whose reward is missing or not a number"),
    means: means("means of the numeric top-level fields"),
    masked_pct: amount("percent of the rows that are masked").optional(),
    reward_unmasked: z.number().describe("the mean reward of those that are not").optional(),
  })).describe("what the rollouts file says by server, whichever run wrote it"),
  metrics,
  health,
  notes,
  files,
});

/** `rollcall aggregate --json`. */
export const aggregateSchema = z.strictObject({
  ending: z.enum(["complete", "failed", "stopped"]).describe("how it ended"),
  error: textOrNull("what ended it as a failure"),
  signal: textOrNull("the name of the signal that stopped it"),
  shards: count("rollouts files"),
  rows: countOrNull("rows in them; null when it ended before they were counted"),
  unscored: countOrNull("of these, without a reward that is a number"),
  coverage,
  elapsed_s: amount("seconds it took"),
  metrics,
  health,
  notes,
  files,
});

/** One line of `rollcall status --json`. */
export const statusSchema = z.strictObject({
  output: text("path of the rollouts"),
  running: flag("whether a collector has the lock"),
  holder: z.strictObject({
    host: text("its machine"),
    pid: z.int().describe("its process"),
    since: text("when it began"),
  }).nullable().describe("that collector"),
  per_minute: amountOrNull("rollouts a minute, lately; null when none is running, or it has not said yet"),
  seconds_left: amountOrNull("until the run is over at this rate; null when nobody can say"),
  stalled_s: amountOrNull("seconds for which nothing has moved, where that is longer than any rollout took"),
  materialized: countOrNull(
    "rollouts in the materialized inputs: `done + terminal + at_cap + left`; null without these",
  ),
  done: count("those in the rollouts file"),
  left: countOrNull("those that a resume would run; null without inputs"),
  reward: z.number().nullable().describe("the mean reward of the rollouts file; null before the first"),
  unscored: count("rows of it whose reward is missing or not a number"),
  terminal: count("those without a result that failed permanently"),
  at_cap: count("those without a result that are at the attempt limit"),
  failed_before: count("those among `left` that have failed"),
  failed: byName("rollouts without a result by the class of their last failure"),
  other_failed: others("`failed`"),
  attempts: count("recorded failed attempts"),
  attempts_cap: count("how many a rollout may have"),
  duplicates: count("rows that repeat an identity"),
  strangers: count("rows of no row of the inputs"),
  nameless: count("rows without an identity"),
  not_json: count("lines of rollouts and sidecar that are not JSON"),
  torn: count("last lines that are incomplete"),
  runs: z.array(z.looseObject({
    at: text("when it began"),
    host: text("its machine"),
    pid: z.int().describe("its process"),
    version: text("of rollcall"),
    resumed: flag("whether it was a resume"),
  })).describe("the runs that collected, out of the manifest"),
});

/** `rollcall plan --json`, and `rollcall collect --dry-run --json`. */
export const planSchema = z.strictObject({
  rows: countOrNull("rows of the input; null on a resume"),
  tasks: countOrNull("different tasks among them; null on a resume"),
  selected_tasks: countOrNull("of these, those that are run; null where all of them are, and on a resume"),
  rollouts: count("rollouts in the materialized inputs"),
  routes: z.array(z.strictObject({
    server: text("the server's name"),
    agent: textOrNull("the agent whose work it is, where that is another one"),
    url: text("its address"),
    rollouts: count("rollouts that go there"),
  })).describe("where rollouts go"),
  files: z.record(z.string(), z.string()).describe(
    "paths of the files that the run may write, by what they hold",
  ),
  permissions: z.strictObject({
    net: texts("`HOST:PORT` that the collector may reach"),
    read: texts("files it may read, and the folder of captures"),
    write: texts("files it may write"),
  }).describe("what the collector may touch"),
  model_call_capture_dir: textOrNull("the folder of captured model calls; null with observability off"),
  dispatch: z.record(z.string(), z.unknown()).describe(
    "keys of the configuration that say how rollouts are sent",
  ),
  authorities: count("further certificate authorities"),
  attempts_cap: count("the attempt limit"),
  aggregate: flag("whether metrics are computed at the end"),
  count_failure_classes_as_zero: texts("failures that count in the metrics"),
  count_missing_rollouts_as_zero: flag("whether rollouts without a trace count in the metrics"),
  score_unplanned: flag("whether rows that nobody owes count in the metrics"),
  require_complete: flag("whether a missing rollout makes the run fail"),
  ignored_checks: z.array(z.string()).nullable().describe(
    "health checks that are left out; null without checks",
  ),
  resume: z.strictObject({
    retry_terminal_timeouts: flag("whether timeouts that were recorded as final are tried again"),
    retry_failures: texts("classes of failures that are tried again, whatever their attempts"),
    retry_exhausted: flag("whether rollouts at the attempt limit are tried again"),
    retry_invalid_judge: flag("whether rows with an invalid judge response are run again"),
    extends: flag("whether rollouts are added to it"),
  }).nullable().describe("how an earlier run is resumed; null for a fresh run"),
  standing: z.strictObject({
    done: count("rollouts in the rollouts file"),
    terminal: count("those that failed permanently"),
    at_cap: count("those at the attempt limit"),
    left: count("those to run"),
    failed_before: count("of these, those that have failed"),
    attempts: count("recorded failed attempts"),
    failed: byName("rollouts without a result by the class of their last failure"),
    other_failed: others("`failed`"),
  }).nullable().describe("where the rollouts stand; null for a fresh run"),
  warnings: texts("what to look at before the run"),
  notes,
});

const checkCounts = byName("how often");
/** `rollcall health --json`: the content of `quality_summary.json`, whose schema is Gym's. */
export const healthSchema = z.strictObject({
  run: z.strictObject({
    ignored_checks: texts("checks that were left out"),
    artifacts: z.strictObject({
      records: count("rows"),
      captures: count("rollouts with captured model calls"),
      coverage: z.record(
        z.string(),
        z.strictObject({
          evaluated: count("rollouts, or tasks, that had what the check needs"),
          unobserved: count("those that had not"),
          ignored: count("those it was left out for"),
        }),
      ).describe("by check"),
    }).describe("what there was to look at"),
    verdicts: checkCounts.describe("rollouts by verdict"),
    issues: byName("findings by check"),
    stats: z.looseObject({}).describe("failed and repeated model calls, and tokens"),
  }).describe("the run as a whole"),
  tasks: z.record(
    z.string(),
    z.looseObject({ repeats: count("rollouts"), flags: texts("checks of tasks that found something") }),
  ).describe("by task"),
});

/** `rollcall failures --json`. */
export const failuresSchema = z.strictObject({
  sidecar: text("path of the sidecar"),
  failures: count("recorded failed attempts"),
  classes: z.array(z.strictObject({
    class: text("its name"),
    failures: count("failed attempts"),
    without_result: countOrNull(
      "rollouts whose last failure is of this class and that have no result; null without materialized inputs",
    ),
    message: textOrNull("the last one, shortened"),
    body: textOrNull("the beginning of the last response body"),
    servers: texts("the first eight that failed so"),
    more_servers: flag("whether there are more"),
    examples: z.array(z.strictObject({
      task: count("`_ng_task_index`"),
      rollout: count("`_ng_rollout_index`"),
      id: textOrNull("what the data set calls the task"),
    })).describe("up to three rollouts"),
  })).describe("the first twenty, those with the most failures first"),
  more: z.strictObject({
    classes: count("how many classes"),
    failures: count("failed attempts of theirs"),
  }).describe("what is not among these"),
  not_json: count("lines of the sidecar that are not JSON"),
});

/** `rollcall doctor --json`. */
export const doctorSchema = z.strictObject({
  ok: flag("whether no finding is `fail`"),
  findings: z.array(z.strictObject({
    check: text("what was looked at"),
    verdict: z.enum(["ok", "warning", "fail", "skipped"])
      .describe("`fail`: a run would fail; `skipped`: something else has to be fixed first"),
    text: text("what was found, for people"),
  })).describe("one for each check"),
});

/** `rollcall health --explain --json`. */
export const explainSchema = z.strictObject({
  checks: z.array(z.strictObject({
    check: text("its name"),
    finds: text("what it finds"),
    reads: text("what it reads; without that a rollout is unobserved by it"),
    advice: text("what a finding means mostly, and what to do"),
  })).describe("one for each check that was asked for"),
});

/** `rollcall show --json`: one object a rollout. */
const numberOrNull = (about: string) => z.number().nullable().describe(about);
const ends = (about: string) => z.tuple([z.number(), z.number()]).nullable().describe(about);
const tasksListed = (about: string) =>
  z.array(z.strictObject({ task: count("its number"), id: textOrNull("its own id") })).describe(about);
const flipped = (about: string) =>
  z.array(z.strictObject({
    task: count("its number in the base"),
    id: textOrNull("its own id"),
    base: z.number().describe("the share of its rollouts that pass in the base"),
    candidate: z.number().describe("the same in the candidate"),
  })).describe(about);
const comparedRun = {
  name: text("as it was named"),
  files: texts("its rollouts files"),
  tasks: count("tasks in them"),
  rollouts: count("rollouts with a reward"),
};

export const compareSchema = z.strictObject({
  base: z.strictObject(comparedRun).describe("the run that the others are compared with"),
  level: z.number().describe("of all intervals: 0.95, with m candidates 1 − 0.05/m (Bonferroni)"),
  pass_at: numberOrNull("from which reward on a rollout passes; null for 1, among 0 and 1"),
  seed: z.int().describe("decides draws of random signs"),
  notes: texts("what else there is to say"),
  candidates: z.array(z.strictObject({
    ...comparedRun,
    manifests_differ: z.array(z.strictObject({
      what: text("a key, or input, prompt, skills, task_ids, hosts"),
      base: z.unknown().describe("in the base"),
      candidate: z.unknown().describe("in the candidate"),
      decides: flag("whether it determines what the rows become"),
    })).nullable().describe("null where a run has no manifest"),
    agents: z.array(z.strictObject({
      agent: text("the agent, or environment server, in the base"),
      candidate_agent: text("the one it is compared with"),
      pairs: count("tasks that both have"),
      paired_by: z.strictObject({
        id: count("by their own ids"),
        row: count("by the hash of their input rows"),
        number: count("by their numbers, in one input file"),
      }).describe("how they were found"),
      base_only: tasksListed("tasks without a partner in the candidate"),
      candidate_only: tasksListed("tasks without a partner in the base"),
      metrics: z.record(
        z.string(),
        z.strictObject({
          base: z.number().describe("the mean over the paired tasks, each with the same weight"),
          candidate: z.number().describe("the same in the candidate"),
          difference: z.number().describe("candidate less base"),
          standard_error: numberOrNull("of the difference; null for a single pair"),
          interval: ends("of the difference; null for a single pair"),
          level: z.number().describe("of the interval"),
          test: text("the test: paired t"),
          pairs: count("tasks that have it in both runs"),
          differ: count("of these, with different values"),
          p: numberOrNull("two-sided; null for a single pair and without spread"),
          p_holm: numberOrNull("the same, corrected for the number of candidates"),
          sign_flip: z.strictObject({
            p: z.number().describe("of the sign-flip test"),
            exact: flag("whether every pattern of signs was tried"),
          }).nullable().describe("with fewer than 20 pairs"),
          mcnemar: z.strictObject({
            p: z.number().describe("of McNemar's exact test"),
            lost: count("tasks that were lost"),
            won: count("tasks that were won"),
          }).nullable().describe("where each task has one value of 0 or 1 in either run"),
          rough: flag("fewer than 50 tasks: the interval is rough"),
          power: z.strictObject({
            delta: z.number().describe("0.01 for what lies between 0 and 1, else a hundredth of the base"),
            tasks: count("how many tasks show a difference of that, 80 times of 100"),
            smallest: z.number().describe("the smallest difference that these tasks show"),
            noise: numberOrNull("the part of the variance that is chance within tasks"),
          }).nullable().describe("null without spread"),
        }),
      ).describe("by their names"),
      flips: z.strictObject({
        lost: flipped("more than half passed in the base, and half or fewer in the candidate"),
        won: flipped("the other way round"),
      }).nullable().describe("null where it is unknown what a pass is"),
    })).describe("agents of one name; where either run has a single one, these"),
    fail_below: z.array(z.strictObject({
      metric: text("the metric"),
      threshold: z.number().describe("what the difference must not lie below"),
      agent: text("the agent"),
      fails: flag("whether the whole interval lies below"),
      interval: ends("of the difference; null where there is none"),
    })).describe("what became of each --fail-below"),
  })).describe("in the order in which they were given"),
  passed: flag("whether no --fail-below failed"),
});

export const showSchema = z.strictObject({
  task: z.unknown().describe("`_ng_task_index` of the line"),
  rollout: z.unknown().describe("`_ng_rollout_index` of the line"),
  attempt: z.unknown().describe("`_ng_attempt_index` of the line, else 0"),
  agent: textOrNull("the agent's name"),
  reward: z.unknown().describe("as it stands in the line; null without one"),
  failure: z.strictObject({ class: text("its class"), message: textOrNull("what happened") }).nullable()
    .describe("how it failed; null for a result"),
  conversation: z.array(z.strictObject({
    who: text("a role, `tool call`, `tool output` or `reasoning`"),
    text: text("what was said"),
  })).describe("in order"),
  calls: z.array(z.strictObject({
    id: textOrNull("its id"),
    model: textOrNull("the model that answered"),
    status: textOrNull("the error, else the HTTP status, else the response's own"),
    duration_ms: amountOrNull("how long it took"),
    prompt_tokens: countOrNull("tokens of the prompt"),
    completion_tokens: countOrNull("tokens of the response"),
  })).describe("the model's calls, as far as they were captured"),
  tokens: z.strictObject({
    prompt: countOrNull("tokens of the prompts"),
    completion: countOrNull("tokens of the responses"),
  }).describe("by the result's own count"),
  health: z.strictObject({
    verdict: text("healthy, unhealthy or unobserved"),
    findings: z.array(z.unknown()).describe("as in rollout_verdicts.jsonl"),
  }).nullable().describe("what the health checks say; null for a line of the sidecar"),
});
