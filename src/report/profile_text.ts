/** A profile of finished runs as a text for people. Pure. */
import { duration, metric, plural, whole } from "../kit/phrases.ts";
import type { GroupProfile, MetricProfile, Named, Quantiled } from "../results/profile.ts";
import { palette } from "./colour.ts";
import type { Profile } from "./profile_data.ts";
import { groupsText, intervalText } from "./profile_groups.ts";
import { costLines, tokenLines } from "./profile_spend.ts";
import { counted, type Labelled, layOut, noteLines, roomOf, type TextOptions } from "./summary_layout.ts";
import { table } from "./table.ts";
import { cut, oneLine, wrap } from "./text.ts";

/** Metrics that are shown; --json has all. */
const SHOWN_METRICS = 12;
/** Two means that differ by less are the same but for rounding. */
const SAME = 1e-9;

/** One block an agent, then the table by the field. Ends with a line break. */
export function profileText(profile: Profile, options: TextOptions): string {
  const { agents, groups, by, leftOut } = profile;
  if (agents.length === 0) return "There are no rollouts in these files.\n";
  const room = roomOf(options);
  const parts = agents.map((agent) => agentText(agent, profile, options));
  if (by !== undefined) parts.push(groupsText(groups, by, agents.length > 1, profile, options.columns));
  const notes = noteLines([
    ...profile.notes,
    ...(leftOut.duplicates > 0
      ? [
        `Left out: ${
          plural(leftOut.duplicates, "further result")
        } of rollouts that have one in the same file.`,
      ]
      : []),
    ...(leftOut.unplanned > 0
      ? [
        `Left out: ${
          plural(leftOut.unplanned, "result")
        } that the materialized inputs beside them do not have.`,
      ]
      : []),
  ], room);
  return parts.join("\n") + (notes.length > 0 ? `\n${notes.join("\n")}\n` : "");
}

function agentText(agent: GroupProfile, profile: Profile, options: TextOptions): string {
  const room = roomOf(options), { outcomes } = agent;
  const rest = counted([
    [outcomes.masked, "masked"],
    [outcomes.unscored, "without a reward"],
    [outcomes.failed, "failed"],
    [outcomes.missing, "missing"],
  ]);
  const headline = `${oneLine(agent.agent) || "no agent named"}: ${plural(agent.tasks, "task")}, ` +
    `${whole(outcomes.measured)} of ${plural(outcomes.planned, "rollout")} with a reward${
      rest ? `, ${rest}` : ""
    }`;
  const rows: Labelled[] = [
    ["reward", rewardLines(agent, room)],
    ["rewards", rewardsLines(agent, room)],
    ["passes", passLines(agent, profile, room)],
    ["tasks", taskLines(agent, room)],
    ["metrics", metricLines(agent)],
    ["duration", durationLines(agent.durations, outcomes.measured + outcomes.masked + outcomes.unscored)],
    ["tokens", tokenLines(agent, room)],
    ["cost", costLines(agent, profile.prices, room)],
    ["truncated", truncatedLines(agent)],
  ];
  return layOut(headline, palette(options.colour).bold, rows, options);
}

function rewardLines({ reward, outcomes }: GroupProfile, room: number): string[] {
  if (!reward) return ["no rollout has one"];
  const { mean, pooled, tasks } = reward;
  const lines = [`${meanText(reward)}`];
  const differs = Math.abs(mean - pooled) > SAME * Math.max(1, Math.abs(mean));
  const texts = [
    reward.interval === null
      ? "no interval: a single task says nothing of others"
      : `${methodText(reward)}, over ${plural(tasks, "task")}, a mean for each${
        outcomes.measured > tasks ? ", so that repeats of one task do not count as tasks" : ""
      }`,
    ...(reward.rough && reward.interval !== null ? [ROUGH] : []),
    ...(differs
      ? [
        `mean/reward over all rollouts is ${
          metric(pooled)
        }: it differs since tasks have different numbers of ` +
        `rewards, and those with more weigh more in it`,
      ]
      : []),
  ];
  return [...lines, ...texts.flatMap((text) => wrap(text, room))];
}

const ROUGH = "rough: fewer than 50 tasks";

function meanText({ mean, error, interval }: MetricProfile): string {
  if (error === null || interval === null) return metric(mean);
  return `${metric(mean)} ± ${metric(error)} (standard error), 95 %: ${metric(interval[0])} to ${
    metric(interval[1])
  }`;
}

function methodText({ method }: MetricProfile): string {
  return method === "wilson"
    ? "Wilson's interval with Student's t and an effective number of rollouts"
    : "mean ± t · standard error";
}

function rewardsLines({ counts, rewards }: GroupProfile, room: number): string[] {
  if (!rewards) return [];
  if (counts && counts.length <= 12) {
    return wrap(counts.map(({ reward, count }) => `${metric(reward)}: ${whole(count)}`).join(", "), room);
  }
  const { min, median, p90, max } = rewards;
  return [`min ${metric(min)}, median ${metric(median)}, p90 ${metric(p90)}, max ${metric(max)}`];
}

function passLines({ passes, graded }: GroupProfile, { passAt }: Profile, room: number): string[] {
  const unknown = graded > 0
    ? wrap(
      `${plural(graded, "task")} ${graded === 1 ? "has" : "have"} rewards besides 0 and 1, and ${
        graded === 1 ? "does" : "do"
      } not count here: --pass-at X makes rewards of X and more passes`,
      room,
    )
    : [];
  if (passes.length === 0) return unknown;
  const isShort = passes.some(({ short }) => short > 0);
  const rows = passes.map(({ k, any, all, short }) => [
    String(k),
    any.mean.toFixed(4),
    intervalText(any.interval),
    all.mean.toFixed(4),
    intervalText(all.interval),
    whole(any.tasks),
    ...(isShort ? [whole(short)] : []),
  ]);
  const heading = ["k", "pass@k", "95 %", "pass^k", "95 %", "tasks", ...(isShort ? ["too few"] : [])];
  const atK = isShort
    ? wrap("too few: tasks with fewer than k rewards, so that rows are about different tasks", room)
    : [];
  const rough = passes[0]!.any.rough ? [ROUGH] : [];
  const at = passAt === undefined ? [] : [`a reward of ${metric(passAt)} or more is a pass`];
  return [...at, ...table([heading, ...rows]), ...atK, ...rough, ...unknown];
}

function taskLines({ solved, passes, unsolved, unmeasured }: GroupProfile, room: number): string[] {
  const { always, sometimes, never, surelyAlways, surelyNever } = solved;
  const lines = passes.length === 0 ? [] : [
    `solved always ${whole(always)}, sometimes ${whole(sometimes)}, never ${whole(never)}`,
    `surely always ${whole(surelyAlways)}, surely never ${
      whole(surelyNever)
    }: the 95 % limit of the task's own rate is ` +
    `above 0.9, or below 0.1, which takes 18 rewards`,
  ];
  if (never > 0) lines.push(`never: ${named(unsolved, never)}`);
  if (unmeasured.count > 0) lines.push(`without a reward: ${named(unmeasured.listed, unmeasured.count)}`);
  return lines.flatMap((line) => wrap(line, room));
}

/** Tasks by number and id, the first of so many. */
function named(tasks: readonly Named[], count: number): string {
  const names = tasks.map(({ task, id }) => id === null ? String(task) : `${task} (${cut(oneLine(id), 40)})`);
  const more = count - tasks.length;
  return names.join(", ") + (more > 0 ? ` and ${whole(more)} more` : "");
}

function metricLines({ metrics }: GroupProfile): string[] {
  const shown = [...metrics].slice(0, SHOWN_METRICS);
  const rows = shown.map(([name, one]) => [
    cut(`mean/${oneLine(name)}`, 40),
    metric(one.mean),
    one.interval === null ? "" : `${metric(one.interval[0])} to ${metric(one.interval[1])}`,
  ]);
  const more = metrics.size - shown.length;
  return [...table(rows), ...(more > 0 ? [`… and ${whole(more)} more`] : [])];
}

function durationLines(durations: Quantiled | undefined, results: number): string[] {
  if (!durations) return [];
  const { count, sum, median, p90, p99, max } = durations;
  const of = count < results ? `, of ${plural(count, "result")} that say so` : "";
  return [
    `median ${duration(median)}, p90 ${duration(p90)}, p99 ${duration(p99)}, max ${duration(max)}, ` +
    `together ${duration(sum)}${of}`,
  ];
}

function truncatedLines({ truncated, outcomes }: GroupProfile): string[] {
  const results = outcomes.measured + outcomes.masked + outcomes.unscored;
  return truncated === 0 ? [] : [
    `${whole(truncated)} of ${plural(results, "answer")} ended at the length limit (${
      metric(100 * truncated / results)
    } %)`,
  ];
}
