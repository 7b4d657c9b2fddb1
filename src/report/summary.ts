/** What a run did, as a text for people. Pure: the same text for the same summary. */
import { accountOf } from "../collect/accounting.ts";
import type { OutageTold, Summary, Tally, WidthTold } from "../collect/tally.ts";
import { classTexts } from "./classes.ts";
import { type Palette, palette } from "./colour.ts";
import { errorText } from "./error_text.ts";
import { eventText } from "./event_text.ts";
import { healthSentence } from "./health_text.ts";
import { metricsLines } from "./metrics_table.ts";
import {
  counted,
  coverageSentence,
  fileLines,
  type Labelled,
  layOut,
  noteLines,
  roomOf,
  type TextOptions,
  unscoredTasks,
} from "./summary_layout.ts";
import { cut, manyLines, oneLine, wrap } from "./text.ts";
import { duration, figures, frequency, plural, size, whole } from "../kit/phrases.ts";

export type { TextOptions };

/** How a summary is to look. */
export interface SummaryOptions extends TextOptions {
  /** Whether nothing was shown during the run, so that what was found before it is told now. Default false. */
  readonly quiet?: boolean;
  /** Whether the run's budget was what was left of the Slurm job. Default false. */
  readonly bySlurm?: boolean;
}

/**
 * How the run ended, where every rollout is, what went wrong, latencies, key metrics, notes, files, and how to continue
 * where something is left. Ends with a line break. What there is nothing to tell of has no line: a clean run
 * takes half a dozen. What was shown during the run is not told again.
 */
export function summaryText(summary: Summary, options: SummaryOptions): string {
  const paint = palette(options.colour), room = roomOf(options);
  const { tally } = summary, { bySlurm = false } = options, error = errorText(summary, bySlurm);
  const notes = [...(options.quiet ? summary.found.map(eventText) : []), ...summary.notes];
  const sentence = (text: string) => text === "" ? [] : wrap(text, room);
  const rows: Labelled[] = [
    ["error", error === null ? [] : manyLines(error).map(paint.red)],
    ["rollouts", sentence(earlier(tally))],
    ["failures", sentence(failures(summary)).map(paint.yellow)],
    ["retries", sentence(retries(tally))],
    ["outages", tally.outages.flatMap((outage) => sentence(outageText(outage)))],
    ["concurrency", (tally.widths ?? []).flatMap((one) => sentence(widthText(one)))],
    ["tokens", sentence(tokens(tally))],
    ["coverage", summary.coverage ? sentence(coverageSentence(summary.coverage)).map(paint.yellow) : []],
    ["tasks", summary.coverage ? sentence(unscoredTasks(summary.coverage)).map(paint.yellow) : []],
    ["unscored", sentence(unscored(summary)).map(paint.yellow)],
    ["latency", sentence(latency(tally))],
    ["throughput", sentence(throughput(tally))],
    ["so far", summary.metrics?.length ? [] : soFar(summary, room)],
    ["metrics", summary.metrics?.length ? metricsLines(summary.metrics, room) : []],
    [
      "health",
      sentence(healthSentence(summary.health)).map(summary.health?.unhealthy ? paint.yellow : plain),
    ],
    ["notes", noteLines(notes, room)],
    ["files", fileLines(summary.files)],
    ["next step", sentence(nextStep(tally))],
  ];
  return layOut(headline(summary, bySlurm), tone(summary, paint), rows, options);
}

function plain(text: string): string {
  return text;
}

/** The ending, and what became of all that was owed. */
function headline({ ending, signal, tally }: Summary, bySlurm: boolean): string {
  const { expected, failed, left } = accountOf(tally), { owed, done } = tally;
  const took = duration(tally.elapsedS);
  const budget = tally.limit
    ? tally.limit.what === "tokens" ? "the token budget is used up" : "too many rollouts failed"
    : bySlurm
    ? "the Slurm job ends too soon"
    : "the dispatch budget is used up";
  const others = counted([
    [tally.failed, "failed"],
    [tally.notPersisted, "not kept (as the server asked)"],
    [tally.drained, ending === "stopped" || ending === "failed" ? `not run: ${budget}` : "not run"],
    [left - tally.givenUp, "not run"],
    [tally.givenUp, "abandoned in flight"],
  ]);
  const told = `${whole(done)} of ${plural(owed, "rollout")} done in ${took}${others && `; ${others}`}.`;
  switch (ending) {
    case "complete":
      if (expected === 0) return "Nothing to do: the input has no rows.";
      if (owed === 0) {
        return failed === 0
          ? "Nothing to do: every rollout is done."
          : `Nothing to do: every rollout is done, except ${
            whole(failed)
          } that failed permanently or reached ` +
            `the attempt limit.`;
      }
      return `${tally.failed > 0 ? "Finished" : "Complete"}: ${
        done === owed ? `${plural(done, "rollout")} done in ${took}.` : told
      }`;
    case "too_many_failures":
      return `Too many failures: ${told}`;
    case "drained":
    case "token_budget":
      return `${budget[0]!.toUpperCase()}${budget.slice(1)}: ${told}`;
    case "stopped":
      return `Stopped${signal === null ? "" : ` by ${oneLine(signal)}`}: ${told}`;
    case "failed":
      return `Failed: ${told}`;
  }
}

function tone({ ending, error, tally }: Summary, paint: Palette) {
  if (ending === "failed" || error !== null) return paint.red;
  return ending === "complete" && tally.done === tally.owed ? paint.green : paint.yellow;
}

/** What there was before this run, where there was something. */
function earlier({ materialized, before, terminal, atCap, owed, failedBefore }: Tally): string {
  if (before + terminal + atCap + failedBefore === 0) return "";
  const parts = counted([
    [before, "done before"],
    [terminal, "had failed permanently"],
    [atCap, "had reached the attempt limit"],
    [owed, `to run${failedBefore > 0 ? ` (${whole(failedBefore)} of them had failed before)` : ""}`],
  ]);
  return `${whole(materialized)} in all: ${parts}`;
}

function failures({ tally }: Summary): string {
  const named = classTexts(tally.failures);
  if (named.length === 0) return "";
  const all = Object.values(tally.failures).reduce((sum, count) => sum + count, 0);
  const { unrecorded, newlyAtCap } = tally;
  const where = [
    newlyAtCap > 0 && `${plural(newlyAtCap, "rollout")} now at the attempt limit`,
    unrecorded > 0 &&
    (unrecorded < all
      ? `${whole(unrecorded)} of them not recorded: ${unrecorded === 1 ? "it" : "they"} ended the run`
      : `not recorded: ${unrecorded === 1 ? "it" : "they"} ended the run`),
  ].filter((text) => text !== false);
  return `${named.join(", ")}${where.map((text) => `, ${text}`).join("")}`;
}

function retries({ attemptsAgain, repeats }: Tally): string {
  return [
    attemptsAgain > 0 && `${plural(attemptsAgain, "attempt")} after a failed one`,
    repeats > 0 && `${plural(repeats, "request")} repeated that had not reached a server`,
  ].filter((text) => text !== false).join(", ");
}

/** How many requests a server turned out to take. */
function widthText({ server, width, widest, refused, slower }: WidthTold): string {
  const times = (n: number) => n === 1 ? "once" : `${whole(n)} times`;
  const fewer = [
    ...(refused > 0 ? [`${times(refused)} after a refusal`] : []),
    ...(slower > 0 ? [`${times(slower)} as it became slower`] : []),
  ].join(" and ");
  return `${cut(oneLine(server), 60)}: ${whole(width)} at once at the end, ${whole(widest)} at most` +
    (fewer && `; fewer ${fewer}`);
}

/** What a run with a token budget used of it. */
function tokens({ tokens }: Tally): string {
  if (!tokens) return "";
  const { used, budget, without } = tokens;
  return `${whole(used)} of ${whole(budget)} used` +
    (without > 0 ? `; ${plural(without, "answer")} without a response.usage` : "");
}

/** What it cost that something in front of a server turned rows away. */
function outageText({ server, rows, ranAgain, seconds }: OutageTold): string {
  const again = ranAgain === 0
    ? ""
    : `; ${plural(ranAgain, "attempt")} of these ${ranAgain === 1 ? "is" : "are"} in the sidecar`;
  return `${cut(oneLine(server), 60)} turned rows away ${
    rows === 1 ? "once" : `${whole(rows)} times`
  } and was paused for ` +
    `${duration(seconds)}${again}`;
}

/** What the rollouts file says, for a run without metrics. */
function soFar({ soFar }: Summary, room: number): string[] {
  const groups = soFar.filter(({ means }) => Object.keys(means).length > 0)
    .map(({ name, rows, expected, means, maskedPct, rewardUnmasked }) => ({
      label: name,
      rows,
      key_metrics: {
        of: expected,
        ...means,
        ...(maskedPct === undefined ? {} : { "masked %": maskedPct }),
        ...(rewardUnmasked === undefined ? {} : { "reward unmasked": rewardUnmasked }),
      },
    }));
  return groups.length === 0 ? [] : metricsLines(groups, room);
}

/** Of the whole file: with those of earlier runs. */
function unscored({ soFar }: Summary): string {
  const rows = soFar.reduce((sum, { unscored }) => sum + unscored, 0);
  return rows === 0 ? "" : `${plural(rows, "result")} whose reward is missing or not a number`;
}

function latency({ latency: { median, p90, p99, max } }: Tally): string {
  const known = Object.entries({ median, p90, p99, max }).filter(([, s]) => s !== null);
  return known.map(([name, s]) => `${name} ${duration(s!)}`).join(", ");
}

function throughput({ busyS, bytes, done, elapsedS }: Tally): string {
  return [
    busyS > 0 && `${figures(busyS / 3600)} task-hours`,
    done > 0 && elapsedS > 0 && frequency(done / elapsedS).replace("/", " rollouts/"),
    bytes > 0 && `${size(bytes)} of responses`,
  ].filter((text) => text !== false).join(", ");
}

/** What the same command with `--resume` would do, and which flags it needs for more; nothing when it would do nothing. */
function nextStep(tally: Tally): string {
  const { toRun, retryable, final } = accountOf(tally), { givenUp } = tally, unrun = toRun - retryable;
  const atLimit = tally.atCap + tally.newlyAtCap;
  const sent = givenUp > 0
    ? ` (${unrun === 1 ? "it" : `${whole(givenUp)} of them`} ${givenUp === 1 ? "was" : "were"} in flight; ` +
      `the server may have run ${givenUp === 1 ? "it" : "them"})`
    : "";
  const does = [
    unrun > 0 && `run the ${unrun === 1 ? "one that is" : `${whole(unrun)} that are`} left${sent}`,
    retryable > 0 && `retry ${plural(retryable, "failed rollout")}`,
  ].filter((text) => text !== false).join(" and ");
  const more = [
    atLimit > 0 && `--retry-exhausted for the ${whole(atLimit)} at the attempt limit`,
    final > atLimit && `--retry CLASS,… for the ${whole(final - atLimit)} that failed permanently`,
  ].filter((text) => text !== false).join(", ");
  if (does === "") return more && `rerun the same command with --resume and ${more}`;
  return `rerun the same command with --resume to ${does}${more && `; add ${more}`}`;
}
