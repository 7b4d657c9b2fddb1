/** A comparison of runs as a text for people. Pure. */
import { metric, plural, whole } from "../kit/phrases.ts";
import type { AgentComparison, Flip, GateResult } from "../results/compare.ts";
import type { MetricComparison } from "../results/metric_comparison.ts";
import type { Difference } from "../results/manifest_difference.ts";
import type { TaskEntry } from "../results/task_table.ts";
import { palette } from "./colour.ts";
import type { ComparedCandidate, Comparison } from "./comparison_data.ts";
import { counted, type Labelled, layOut, noteLines, roomOf, type TextOptions } from "./summary_layout.ts";
import { table } from "./table.ts";
import { cut, oneLine, wrap } from "./text.ts";

/** Metrics, tasks and differences that are shown; --json has all. */
const SHOWN_METRICS = 12, SHOWN_TASKS = 8, SHOWN_DIFFERENCES = 8;
const WIDEST = 60;

/** One block a candidate and agent. Ends with a line break. */
export function comparisonText(comparison: Comparison, options: TextOptions): string {
  const { base, candidates, notes } = comparison, room = roomOf(options);
  const blocks = candidates.flatMap((candidate) =>
    candidate.agents.map((agent, k) =>
      layOut(headline(comparison, candidate, agent), palette(options.colour).bold, [
        ["metrics", metricLines(agent, comparison, room)],
        ["power", powerLines(agent, room)],
        ["flips", flipLines(agent, room)],
        ["tasks", taskLines(agent, room)],
        ["gate", gateLines(candidate.gates.filter((gate) => gate.agent === agent.agent), room)],
        ["runs differ", k === 0 ? differenceLines(candidate.differences, room) : []],
      ] as Labelled[], options)
    )
  );
  const said = noteLines(notes, room);
  if (blocks.length === 0) blocks.push(`${base.name} has no rollouts.\n`);
  return blocks.join("\n") + (said.length > 0 ? `\n${said.join("\n")}\n` : "");
}

function headline({ base }: Comparison, { run }: ComparedCandidate, agent: AgentComparison): string {
  const agents = agent.agent === agent.candidateAgent
    ? agent.agent
    : `${agent.agent} and ${agent.candidateAgent}`;
  return `${oneLine(run.name)} against ${oneLine(base.name)}${agents ? `, ${oneLine(agents)}` : ""}: ` +
    plural(agent.pairs, "task") + " in both";
}

function metricLines({ metrics, pairs }: AgentComparison, comparison: Comparison, room: number): string[] {
  if (pairs === 0) return ["no task is in both runs: there is nothing to compare"];
  if (metrics.length === 0) return ["no metric is in both runs"];
  const shown = metrics.slice(0, SHOWN_METRICS), level = percent(comparison.level);
  // A metric that only some rollouts have is over fewer tasks.
  const isOfSome = shown.some((one) => one.pairs !== pairs);
  const rows = shown.map((one) => [
    cut(oneLine(one.name), WIDEST),
    metric(one.base),
    metric(one.candidate),
    signed(one.difference),
    one.interval === null ? "" : `${signed(one.interval[0])} to ${signed(one.interval[1])}`,
    pText(comparison.candidates.length > 1 ? one.corrected : one.p),
    ...(isOfSome ? [whole(one.pairs)] : []),
  ]);
  const more = metrics.length - shown.length, first = metrics[0]!;
  const several = comparison.candidates.length;
  return [
    ...table([["", "base", "candidate", "difference", level, "p", ...(isOfSome ? ["tasks"] : [])], ...rows]),
    ...(more > 0 ? [`… and ${plural(more, "more metric")}: --json has all`] : []),
    ...wrap(
      `paired t over tasks, a mean for each${
        several > 1
          ? `; ${several} candidates: intervals of ${level} (Bonferroni), p by Holm; not corrected for the number of metrics`
          : ""
      }`,
      room,
    ),
    ...testLines(first, comparison, room),
  ];
}

/** What is said of the first metric, the reward. */
function testLines(first: MetricComparison, { seed }: Comparison, room: number): string[] {
  const { pairs, error, signFlip, mcnemar, rough, name, differ } = first;
  if (pairs < 2) {
    return wrap(`${name}: a single pair says nothing of other tasks, so there is no interval`, room);
  }
  const texts = [
    `${name}: ${whole(differ)} of ${plural(pairs, "pair")} ${differ === 1 ? "differs" : "differ"}`,
    ...(error === 0 ? ["no spread: all pairs differ by the same"] : []),
    ...(mcnemar
      ? [`McNemar's exact test: p ${pText(mcnemar.p)} (${mcnemar.lost} lost, ${mcnemar.won} won)`]
      : []),
    ...(signFlip
      ? [
        `random signs: p ${pText(signFlip.p)}${signFlip.exact ? " (exact)" : ` (9,999 draws, seed ${seed})`}`,
      ]
      : []),
    ...(rough ? ["rough: fewer than 50 tasks"] : []),
  ];
  return wrap(texts.join("; "), room);
}

function powerLines({ metrics }: AgentComparison, room: number): string[] {
  const first = metrics[0], power = first?.power;
  if (!first || !power) return [];
  const noise = power.noise === null
    ? ""
    : power.noise > 0.5
    ? `; ${
      percent(power.noise)
    } of the variance is chance within tasks, which more rollouts a task would make smaller`
    : `; more rollouts a task would change little`;
  return wrap(
    `to see a difference of ${metric(power.delta)} in ${first.name} you need about ${
      plural(power.tasks, "task")
    }; ` +
      `these ${whole(first.pairs)} show ${metric(power.smallest)} and more (80 times of 100)${noise}`,
    room,
  );
}

function flipLines({ flips, pairs }: AgentComparison, room: number): string[] {
  if (pairs === 0) return [];
  if (!flips) {
    return wrap(
      "unknown: some rewards are neither 0 nor 1; --pass-at X makes rewards of X and more passes",
      room,
    );
  }
  const line = (what: string, tasks: readonly Flip[]) =>
    tasks.length === 0 ? [] : wrap(`${plural(tasks.length, "task")} ${what}: ${listed(tasks)}`, room);
  const lines = [...line("lost", flips.lost), ...line("won", flips.won)];
  return lines.length > 0 ? lines : ["no task changed sides"];
}

function taskLines({ by, baseOnly, candidateOnly, pairs }: AgentComparison, room: number): string[] {
  const ways = counted([[by.id, "by their own ids"], [by.row, "by their input rows"], [
    by.number,
    "by their numbers",
  ]]);
  const alone = (where: string, tasks: readonly TaskEntry[]) =>
    tasks.length === 0
      ? []
      : wrap(`${plural(tasks.length, "task")} only in the ${where}: ${listed(tasks)}`, room);
  return [
    ...(pairs > 0 ? [`paired ${ways}`] : []),
    ...alone("base", baseOnly),
    ...alone("candidate", candidateOnly),
  ];
}

function listed(tasks: readonly { readonly task: number; readonly id: string | null }[]): string {
  const shown = tasks.slice(0, SHOWN_TASKS).map(({ task, id }) =>
    id === null ? String(task) : `${task} (${cut(oneLine(id), WIDEST)})`
  );
  const more = tasks.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${whole(more)} more` : "");
}

function gateLines(gates: readonly GateResult[], room: number): string[] {
  return gates.flatMap((gate) => wrap(gateText(gate), room));
}

/** What a gate says, as a sentence. */
export function gateText({ metric: name, threshold, fails, comparison }: GateResult): string {
  const limit = `--fail-below ${name}=${threshold}`;
  if (!comparison) return `${limit} passes: no task has it in both runs`;
  const { interval, pairs, error } = comparison;
  if (interval === null) return `${limit} passes: ${plural(pairs, "pair")}, so there is no interval`;
  const ends = `${signed(interval[0])} to ${signed(interval[1])}`;
  if (fails) return `${limit} FAILS: the whole interval, ${ends}, lies below ${threshold}`;
  if (error === 0 && interval[1] < threshold) {
    return `${limit} passes: fewer than 6 pairs without spread are too few to tell`;
  }
  return `${limit} passes: the interval, ${ends}, does not lie below ${threshold} as a whole`;
}

function differenceLines(differences: readonly Difference[] | null, room: number): string[] {
  if (!differences) return ["unknown: a run has no manifest"];
  if (differences.length === 0) return ["in nothing that their manifests say"];
  const shown = differences.slice(0, SHOWN_DIFFERENCES), more = differences.length - shown.length;
  return [
    ...shown.flatMap(({ what, base, candidate }) =>
      wrap(`${what}: ${value(base)} → ${value(candidate)}`, room)
    ),
    ...(more > 0 ? [`… and ${whole(more)} more: --json has all`] : []),
  ];
}

function value(given: unknown): string {
  return cut(oneLine(typeof given === "string" ? given : JSON.stringify(given) ?? "none"), WIDEST);
}

/** With its sign, so that a loss is seen at once. */
export function signed(n: number): string {
  const text = metric(Math.abs(n));
  return Number(text) === 0 ? text : `${n < 0 ? "−" : "+"}${text}`;
}

/** `0.031`; below a thousandth only that it is. */
export function pText(p: number | null): string {
  if (p === null) return "";
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

/** `95 %`, `98.3 %`. */
export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}
