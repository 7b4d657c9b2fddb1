/** What a run did, as a text for people. Pure: the same text for the same summary. */
import type { Summary, Tally } from "../collect/tally.ts";
import { LISTED } from "../kit/fault.ts";
import { type Palette, palette } from "./colour.ts";
import { healthSentence } from "./health_text.ts";
import { metricsLines } from "./metrics_table.ts";
import { failuresByClass } from "./progress.ts";
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

/**
 * How the run ended, where every rollout is, what went wrong, latencies, key metrics, notes, files, and how to go on
 * where something is left. Ends with a line break. What there is nothing to tell of has no line: a clean run
 * takes half a dozen.
 *
 * The failures sidecar is named from `files.failures`.
 */
export function summaryText(summary: Summary, options: TextOptions): string {
  const paint = palette(options.colour), room = roomOf(options);
  const { tally } = summary;
  const sentence = (text: string) => text === "" ? [] : wrap(text, room);
  const rows: Labelled[] = [
    ["error", summary.error === null ? [] : manyLines(summary.error).map(paint.red)],
    ["rollouts", sentence(earlier(tally))],
    ["failures", sentence(failures(summary)).map(paint.yellow)],
    ["again", sentence(again(tally))],
    ["coverage", sentence(coverage(summary)).map(paint.yellow)],
    ["tasks", summary.coverage ? sentence(unscoredTasks(summary.coverage)).map(paint.yellow) : []],
    ["unscored", sentence(unscored(tally)).map(paint.yellow)],
    ["latency", sentence(latency(tally))],
    ["delivered", sentence(delivered(tally))],
    ["so far", summary.metrics?.length ? [] : soFar(tally, room)],
    ["metrics", summary.metrics?.length ? metricsLines(summary.metrics, room) : []],
    [
      "health",
      sentence(healthSentence(summary.health)).map(summary.health?.unhealthy ? paint.yellow : plain),
    ],
    ["notes", noteLines(summary.notes, room)],
    ["files", fileLines(summary.files)],
    ["to go on", sentence(toGoOn(tally))],
  ];
  return layOut(headline(summary), tone(summary, paint), rows, options);
}

/** Rollouts that are still to be run: waiting, or sent and given up. */
export function leftOf(tally: Tally): number {
  return tally.inFlight + tally.waiting;
}

/** Rollouts that a resume would run: those that are left, and those that failed and may be tried again. */
export function toRunOf(tally: Tally): number {
  return leftOf(tally) + tally.drained + tally.notPersisted + tally.failed - tally.exhausted;
}

/** How many rows were scored: those that metrics were computed over, or else the rows of the rollouts file. */
export function scoredOf({ coverage, metrics, tally }: Summary): number {
  if (coverage) return coverage.scored;
  return metrics?.length ? metrics.reduce((sum, { rows }) => sum + rows, 0) : tally.before + tally.done;
}

/** How many rollouts were not scored. */
export function missingOf(summary: Summary): number {
  return summary.coverage?.missing ?? Math.max(0, summary.tally.materialized - scoredOf(summary));
}

/** How many rows were scored that are in no rollouts file, because they are counted as zero. */
export function imputedOf(summary: Summary): number {
  if (summary.coverage) return summary.coverage.counted + summary.coverage.imputed;
  return Math.max(0, scoredOf(summary) - summary.tally.before - summary.tally.done);
}

function plain(text: string): string {
  return text;
}

/** The ending, and what became of all that was owed. */
function headline({ ending, signal, tally }: Summary): string {
  const { materialized, owed, done } = tally;
  const took = duration(tally.elapsedS);
  const others = counted([
    [tally.failed, "failed"],
    [tally.notPersisted, "not kept (as the server asked)"],
    [tally.drained, "not started"],
    [leftOf(tally), "left"],
  ]);
  const told = `${whole(done)} of ${plural(owed, "rollout")} done in ${took}${others && `; ${others}`}.`;
  switch (ending) {
    case "complete":
      if (materialized === 0) return "Nothing to do: the input has no rows.";
      if (owed === 0) {
        const failed = tally.terminal + tally.atCap;
        return failed === 0
          ? "Nothing to do: every rollout is done."
          : `Nothing to do: every rollout is done, or has failed for good or as often as it may (${
            whole(failed)
          }).`;
      }
      return `${tally.failed > 0 ? "Finished" : "Complete"}: ${
        done === owed ? `${plural(done, "rollout")} done in ${took}.` : told
      }`;
    case "drained":
      return `The dispatch budget is used up: ${told}`;
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
    [terminal, "failed before for good"],
    [atCap, "failed before as often as they may"],
    [owed, `owed${failedBefore > 0 ? ` (${whole(failedBefore)} of them failed before)` : ""}`],
  ]);
  return `${whole(materialized)}: ${parts}`;
}

function failures({ tally, files }: Summary): string {
  const classes = failuresByClass(tally);
  if (classes.length === 0) return "";
  const named = classes.slice(0, LISTED).map(([name, count]) => `${whole(count)} ${cut(oneLine(name), 60)}`);
  const more = classes.length > LISTED ? ` and ${whole(classes.length - LISTED)} more` : "";
  const all = classes.reduce((sum, [, count]) => sum + count, 0), { unrecorded } = tally;
  const where = [
    unrecorded < all && files.failures !== undefined && `in ${oneLine(files.failures)}`,
    unrecorded > 0 &&
    `${unrecorded < all ? `${whole(unrecorded)} of them ` : ""}in no file, having ended the run`,
  ].filter((text) => text !== false);
  return `${named.join(", ")}${more}${where.map((text) => `, ${text}`).join("")}`;
}

function again({ attemptsAgain, repeats }: Tally): string {
  return counted([
    [attemptsAgain, "attempts after a failed one"],
    [repeats, "requests sent again that no server had run"],
  ]);
}

/** How many were scored, where that is not all there are; and where those are that have no rollout. */
function coverage(summary: Summary): string {
  if (summary.coverage) return coverageSentence(summary.coverage, summary.files.failures);
  const { tally, files } = summary;
  const { materialized, before, done, failed, unrecorded, terminal, atCap, notPersisted, drained } = tally;
  const scored = scoredOf(summary), missing = missingOf(summary), imputed = imputedOf(summary);
  if (missing + imputed === 0) return "";
  const path = (file: string | undefined) => file === undefined ? "in no file" : `see ${oneLine(file)}`;
  const where = ([
    [before + done - scored, `not scored, ${path(files.rollouts)}`],
    [failed - unrecorded + terminal + atCap, `failed, ${path(files.failures)}`],
    [unrecorded + notPersisted + drained + leftOf(tally), "not run to an end"],
  ] as const).filter(([n]) => n > 0);
  const places = where.length === 1 && imputed === 0 ? where[0]![1] : counted(where, "; ");
  const sentence = counted([[imputed, "of these as zero"], [missing, "missing"]]);
  return `${whole(scored)} of ${whole(materialized)} scored, ${sentence}` +
    (places && `${imputed > 0 ? "; without a rollout: " : ": "}${places}`);
}

/** What the results said, for a run without metrics. */
function soFar({ live }: Tally, room: number): string[] {
  const groups = live.filter(({ means }) => Object.keys(means).length > 0)
    .map(({ name, finished, owed, means, maskedPct, rewardUnmasked }) => ({
      label: name,
      rows: finished,
      key_metrics: {
        owed,
        ...means,
        ...(maskedPct === undefined ? {} : { "masked %": maskedPct, "reward unmasked": rewardUnmasked }),
      },
    }));
  return groups.length === 0 ? [] : metricsLines(groups, room, "run");
}

function unscored({ unscored }: Tally): string {
  return unscored === 0 ? "" : `${plural(unscored, "result")} whose reward is missing or no number`;
}

function latency({ latency: { median, p90, p99, max } }: Tally): string {
  const known = Object.entries({ median, p90, p99, max }).filter(([, s]) => s !== null);
  return known.map(([name, s]) => `${name} ${duration(s!)}`).join(", ");
}

function delivered({ busyS, bytes, done, elapsedS }: Tally): string {
  return [
    busyS > 0 && `${figures(busyS / 3600)} task-hours`,
    done > 0 && elapsedS > 0 && frequency(done / elapsedS).replace("/", " rollouts/"),
    bytes > 0 && `${size(bytes)} of answers`,
  ].filter((text) => text !== false).join(", ");
}

/** What the same command with `--resume` would do; nothing when it would do nothing. */
function toGoOn(tally: Tally): string {
  const again = tally.failed - tally.exhausted, unrun = toRunOf(tally) - again;
  const does = [
    unrun > 0 && `runs the ${unrun === 1 ? "one that is" : `${whole(unrun)} that are`} left`,
    again > 0 && `tries ${plural(again, "failed rollout")} again`,
  ].filter((text) => text !== false);
  if (does.length === 0) return "";
  const sent = tally.givenUp > 0
    ? ` (${whole(tally.givenUp)} of them were in flight; their servers may have run them)`
    : "";
  const not = tally.exhausted > 0 ? `; ${plural(tally.exhausted, "failed rollout")} may not run again` : "";
  return `the same command with --resume ${does.join(" and ")}${sent}${not}`;
}
