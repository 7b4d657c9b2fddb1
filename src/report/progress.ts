/** A run's tally as one line of text: redrawn on a terminal, or written now and then where there is none. */
import { accountOf } from "../collect/accounting.ts";
import type { Paused, Tally } from "../collect/tally.ts";
import { mostFrequent } from "./classes.ts";
import { type Palette, palette } from "./colour.ts";
import { width } from "./columns.ts";
import { cut, oneLine } from "./text.ts";
import { reasonText } from "./event_text.ts";
import { duration, frequency, plural, whole } from "../kit/phrases.ts";

/** How a progress line is to look. */
export interface LineOptions {
  /** Columns it may take at most. */
  readonly columns: number;
  /** Whether colours may be used. */
  readonly colour: boolean;
  /** Rollouts per second over the last while; 0 when unknown. */
  readonly rate: number;
}

/**
 * Seconds until nothing is in flight and nothing waits, at the present rate; null when that cannot be said (nothing
 * finished yet, nothing moves, or nothing new is started any more) or nothing is left.
 */
export function secondsLeft(tally: Tally, rate: number): number | null {
  const { left } = accountOf(tally), { stopping, standstill } = tally;
  return left > 0 && rate > 0 && stopping === null && standstill === null ? left / rate : null;
}

/** The parts of the line in the order they stand in. */
type Part =
  | "bar"
  | "count"
  | "rate"
  | "latency"
  | "flight"
  | "failures"
  | "unscored"
  | "paused"
  | "stopping"
  | "left";

/**
 * What goes when the line is too wide, first things first: each step takes the next shorter form of a part,
 * the last of which is nothing. How far the run is goes last of all.
 */
const SHRINK: readonly Part[] = [
  ...["bar", "paused", "flight", "failures", "bar", "latency", "paused", "latency", "unscored"] as const,
  ...["failures", "paused", "rate", "stopping", "count", "left", "failures", "stopping"] as const,
];

/**
 * One line without a line break, never wider than `columns`: a bar, finished of owed, rate, latencies, requests in
 * flight, failures by class, servers that dispatch waits for, time left. A narrow line leaves out the less important
 * of these.
 */
export function progressLine(tally: Tally, { columns, colour, rate }: LineOptions): string {
  const forms = formsOf(tally, rate, palette(colour));
  const level: Partial<Record<Part, number>> = {};
  const form = (part: Part) => forms[part][level[part] ?? 0] ?? "";
  const line = () => (Object.keys(forms) as Part[]).map(form).filter((text) => text !== "").join("  ");
  const fits = () => width(line()) <= columns;

  const steps: [Part, number][] = [];
  for (const part of SHRINK) {
    if (fits()) break;
    steps.push([part, level[part] ?? 0]);
    level[part] = (level[part] ?? 0) + 1;
  }
  // What went early may fit again after a longer part has gone.
  for (const [part, before] of steps.reverse()) {
    if (level[part] !== before + 1) continue;
    level[part] = before;
    if (!fits()) level[part] = before + 1;
  }
  return fits() ? line() : cut(ratio(tally), columns);
}

function formsOf(tally: Tally, rate: number, paint: Palette): Record<Part, string[]> {
  const { latency: { median, p90 }, inFlight } = tally;
  const p50 = median === null ? "" : `${paint.dim("p50")} ${duration(median)}`;
  return {
    bar: [bar(tally, 20, paint), bar(tally, 10, paint)],
    count: [`${paint.bold(ratio(tally))} ${percent(tally)}%`, paint.bold(ratio(tally))],
    rate: rate > 0 ? [frequency(rate)] : [],
    latency: p90 === null ? [p50] : [`${p50} ${paint.dim("p90")} ${duration(p90)}`, p50],
    flight: inFlight > 0 ? [`${whole(inFlight)} in flight`] : [],
    failures: failureForms(tally, paint),
    unscored: tally.unscored > 0 ? [paint.yellow(`${whole(tally.unscored)} unscored`)] : [],
    paused: pausedForms(tally.paused).map(paint.yellow),
    stopping: stoppingForms(tally.stopping).map(paint.yellow),
    left: outlook(tally, rate),
  };
}

// In whole seconds: it is a guess.
function timeLeft(seconds: number): string {
  return `${seconds < 10 ? `${Math.ceil(seconds)}s` : duration(seconds)} left`;
}

/** How long it will take, or for how long nothing has moved, with and without the rollout that has been in flight longest. */
function outlook(tally: Tally, rate: number): string[] {
  const { standstill, stopping } = tally, left = secondsLeft(tally, rate);
  if (left !== null) return [timeLeft(left)];
  if (!standstill || stopping !== null || accountOf(tally).left === 0) return [];
  const { seconds, oldest } = standstill;
  const text = `stalled ${seconds < 60 ? `${Math.floor(seconds)} s` : duration(seconds)}`;
  return oldest ? [`${text}, oldest ${oldest.task}-${oldest.rollout}`, text] : [text];
}

function bar(tally: Tally, columns: number, paint: Palette): string {
  const full = Math.floor(share(tally) * columns);
  return paint.green("█".repeat(full)) + paint.dim("░".repeat(columns - full));
}

function failureForms(tally: Tally, paint: Palette): string[] {
  const { listed, others } = mostFrequent(tally.failures, 3);
  if (listed.length === 0) return [];
  const total = listed.reduce((sum, [, count]) => sum + count, others.count);
  const texts = listed.map(([name, count]) =>
    colourOf(name, paint)(`${whole(count)} ${cut(oneLine(name), 24)}`)
  );
  if (others.classes > 0) texts.push(paint.dim(`${whole(others.classes)} more`));
  return [texts.join(", "), paint.red(plural(total, "failure"))];
}

/** A request that failed, a server that broke, and what a server itself declares are told apart at a glance. */
function colourOf(failureClass: string, paint: Palette) {
  if (failureClass === "agent_run_error") return paint.red;
  return failureClass === "agent_request_failed" ? paint.magenta : paint.yellow;
}

function pausedForms(paused: readonly Paused[]): string[] {
  const first = paused[0];
  if (!first) return [];
  const more = paused.length > 1 ? ` +${whole(paused.length - 1)}` : "";
  const name = cut(oneLine(first.server), 24);
  const why = `${cut(oneLine(reasonText(first.reason)), 32)}, ${duration(first.seconds)}`;
  return [`paused: ${name} (${why})${more}`, `paused: ${name}${more}`, `${whole(paused.length)} paused`];
}

function stoppingForms(reason: string | null): string[] {
  return reason === null ? [] : [`stopping: ${cut(oneLine(reason), 40)}`, "stopping"];
}

/**
 * The same for a log: one line of plain words, of any width, that begins with how long the run has gone on.
 * Names every failure class and every server that dispatch waits for, up to five of each.
 */
export function plainLine(tally: Tally, { rate }: { readonly rate: number }): string {
  const { latency: { median, p90 }, inFlight } = tally;
  const { listed, others } = mostFrequent(tally.failures, 5);
  const failures = listed.map(([name, count]) => `${whole(count)} ${cut(oneLine(name), 60)}`);
  const paused = tally.paused.map(({ server, reason, seconds }) =>
    `${cut(oneLine(server), 60)} (${cut(oneLine(reasonText(reason)), 80)}, ${duration(seconds)})`
  );
  const parts = [
    `${whole(accountOf(tally).finished)} of ${whole(tally.owed)} (${percent(tally)}%)`,
    rate > 0 && frequency(rate),
    median !== null && `p50 ${duration(median)}`,
    p90 !== null && `p90 ${duration(p90)}`,
    inFlight > 0 && `${whole(inFlight)} in flight`,
    failures.length > 0 &&
    `failures: ${failures.join(", ")}${others.classes > 0 ? ` and ${whole(others.classes)} more` : ""}`,
    tally.unscored > 0 && `${whole(tally.unscored)} unscored`,
    paused.length > 0 && `paused: ${someOf(paused)}`,
    tally.stopping !== null && `stopping: ${cut(oneLine(tally.stopping), 120)}`,
    ...outlook(tally, rate).slice(0, 1),
  ];
  return `[${duration(tally.elapsedS)}] ${parts.filter((part) => part !== false).join(", ")}`;
}

function someOf(texts: readonly string[]): string {
  const more = texts.length - 5;
  return texts.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function share(tally: Tally): number {
  return tally.owed > 0 ? Math.min(1, accountOf(tally).finished / tally.owed) : 1;
}

// Rounded down: 100 % is said when it is true.
function percent(tally: Tally): string {
  return String(Math.floor(share(tally) * 100)).padStart(2);
}

// Padded, so that what stands behind does not move with every digit.
function ratio(tally: Tally): string {
  const owed = whole(tally.owed);
  return `${whole(accountOf(tally).finished).padStart(owed.length)}/${owed}`;
}
