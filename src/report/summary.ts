/** What a run did, as a text for people. Pure: the same text for the same summary. */
import type { Summary, Tally } from "../collect/tally.ts";
import { LISTED } from "../kit/fault.ts";
import { type Palette, palette } from "./colour.ts";
import { metricsLines } from "./metrics_table.ts";
import { failuresByClass } from "./progress.ts";
import { table } from "./table.ts";
import { cut, manyLines, oneLine, pad, wrap } from "./text.ts";
import { duration, figures, frequency, plural, size, whole } from "./words.ts";

/** How a summary is to look. */
export interface TextOptions {
  /** Columns to wrap sentences at; paths and error messages stay whole. */
  readonly columns: number;
  /** Whether colours may be used. */
  readonly colour: boolean;
}

const LABEL = 12;

/**
 * How the run ended, where every rollout is, what went wrong, latencies, key metrics, notes, files, and how to go on
 * where something is left. Ends with a line break. What there is nothing to tell of has no line: a clean run
 * takes half a dozen.
 *
 * The failures sidecar is named from `files.failures`.
 */
export function summaryText(summary: Summary, { columns, colour }: TextOptions): string {
  const paint = palette(colour);
  const room = Math.max(30, columns - LABEL);
  const { tally } = summary;
  const sentence = (text: string) => text === "" ? [] : wrap(text, room);
  const rows: [label: string, lines: string[]][] = [
    ["error", summary.error === null ? [] : manyLines(summary.error).map(paint.red)],
    ["rollouts", sentence(earlier(tally))],
    ["failures", sentence(failures(summary)).map(paint.yellow)],
    ["again", sentence(again(tally))],
    ["coverage", sentence(coverage(summary)).map(paint.yellow)],
    ["unscored", sentence(unscored(tally)).map(paint.yellow)],
    ["latency", sentence(latency(tally))],
    ["delivered", sentence(delivered(tally))],
    ["metrics", summary.metrics?.length ? metricsLines(summary.metrics, room) : []],
    ["notes", notes(summary.notes, room)],
    [
      "files",
      table(
        Object.entries(summary.files).map((
          [name, path],
        ) => [oneLine(name).replaceAll("_", " "), oneLine(path)]),
        { left: true },
      ),
    ],
    ["to go on", sentence(toGoOn(tally))],
  ];
  const body = rows.flatMap(([label, lines]) =>
    lines.map((line, i) => `${pad(i === 0 ? paint.dim(label) : "", LABEL)}${line}`.trimEnd())
  );
  return [...wrap(headline(summary), Math.max(30, columns)).map(tone(summary, paint)), "", ...body]
    .join("\n").trimEnd() + "\n";
}

/** Rollouts that are still to be run: waiting, or sent and given up. */
export function leftOf(tally: Tally): number {
  return tally.inFlight + tally.waiting;
}

/** How many rows were scored: those that metrics were computed over, or else the rows of the rollouts file. */
export function scoredOf({ metrics, tally }: Summary): number {
  return metrics?.length ? metrics.reduce((sum, { rows }) => sum + rows, 0) : tally.before + tally.done;
}

/** How many rollouts were not scored. */
export function missingOf(summary: Summary): number {
  return Math.max(0, summary.tally.materialized - scoredOf(summary));
}

/** How many rows were scored that are in no rollouts file, because they are counted as zero. */
export function imputedOf(summary: Summary): number {
  return Math.max(0, scoredOf(summary) - summary.tally.before - summary.tally.done);
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
      if (owed === 0) return "Nothing to do: no rollout is owed.";
      return `Complete: ${done === owed ? `${plural(done, "rollout")} done in ${took}.` : told}`;
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
function earlier({ materialized, before, gated, owed }: Tally): string {
  if (before + gated === 0) return "";
  const parts = counted([
    [before, "done before"],
    [gated, "not to run again (terminal, or at the attempts cap)"],
    [owed, "owed"],
  ]);
  return `${whole(materialized)}: ${parts}`;
}

function failures({ tally, files }: Summary): string {
  const classes = failuresByClass(tally);
  if (classes.length === 0) return "";
  const named = classes.slice(0, LISTED).map(([name, count]) => `${whole(count)} ${cut(oneLine(name), 60)}`);
  const more = classes.length > LISTED ? ` and ${whole(classes.length - LISTED)} more` : "";
  return `${named.join(", ")}${more}${files.failures === undefined ? "" : `, in ${oneLine(files.failures)}`}`;
}

function again({ attemptsAgain, repeats }: Tally): string {
  return counted([
    [attemptsAgain, "attempts after a failed one"],
    [repeats, "requests sent again that had reached no server"],
  ]);
}

/** How many were scored, where that is not all there are; and where those are that have no rollout. */
function coverage(summary: Summary): string {
  const { tally: { materialized, before, done, failed, gated, notPersisted, drained }, files } = summary;
  const scored = scoredOf(summary), missing = missingOf(summary), imputed = imputedOf(summary);
  if (missing + imputed === 0) return "";
  const path = (file: string | undefined) => file === undefined ? "in no file" : `see ${oneLine(file)}`;
  const where = ([
    [before + done - scored, `not scored, ${path(files.rollouts)}`],
    [failed + gated, `failed, ${path(files.failures)}`],
    [notPersisted + drained + leftOf(summary.tally), "in no file"],
  ] as const).filter(([n]) => n > 0);
  const places = where.length === 1 && imputed === 0 ? where[0]![1] : counted(where, "; ");
  const sentence = counted([[imputed, "of these as zero"], [missing, "missing"]]);
  return `${whole(scored)} of ${whole(materialized)} scored, ${sentence}` +
    (places && `${imputed > 0 ? "; without a rollout: " : ": "}${places}`);
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

function notes(texts: readonly string[], room: number): string[] {
  const more = texts.length - LISTED;
  const shown = texts.slice(0, LISTED).flatMap((text) =>
    manyLines(text).flatMap((line) => /^\s/.test(line) ? [line] : wrap(line, room))
  );
  return more > 0 ? [...shown, `… and ${whole(more)} more`] : shown;
}

/** What the same command with `--resume` would do; nothing when it would do nothing. */
function toGoOn(tally: Tally): string {
  const unrun = leftOf(tally) + tally.drained + tally.notPersisted;
  const does = [
    unrun > 0 && `runs the ${unrun === 1 ? "one that is" : `${whole(unrun)} that are`} left`,
    tally.failed === 1 && "tries the failed one again, as far as its attempts allow",
    tally.failed > 1 && `tries the ${whole(tally.failed)} failed again, as far as their attempts allow`,
  ].filter((text) => text !== false);
  return does.length === 0 ? "" : `the same command with --resume ${does.join(" and ")}`;
}

/** The counts that are not 0, each with its words. */
function counted(counts: readonly (readonly [number, string])[], between = ", "): string {
  return counts.filter(([n]) => n > 0).map(([n, words]) => `${whole(n)} ${words}`).join(between);
}
