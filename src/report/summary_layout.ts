/** What the summaries of commands have in common: how they are laid out, and what is said in each of them. */
import type { Coverage } from "../collect/tally.ts";
import { LISTED } from "../kit/fault.ts";
import { classTexts } from "./classes.ts";
import { palette } from "./colour.ts";
import { table } from "./table.ts";
import { cut, manyLines, oneLine, pad, wrap } from "./text.ts";
import { plural, whole } from "../kit/phrases.ts";

/** How a summary is to look. */
export interface TextOptions {
  /** Columns to wrap sentences at; paths and error messages stay whole. */
  readonly columns: number;
  /** Whether colours may be used. */
  readonly colour: boolean;
}

/** Lines under a label. */
export type Labelled = readonly [label: string, lines: readonly string[]];

const LABEL = 12;

/** The columns beside the labels. */
export function roomOf({ columns }: TextOptions): number {
  return Math.max(30, columns - LABEL);
}

/** A headline, an empty line, and the labelled lines; labels without lines stay away. Ends with a line break. */
export function layOut(
  headline: string,
  tone: (text: string) => string,
  rows: readonly Labelled[],
  { columns, colour }: TextOptions,
): string {
  const paint = palette(colour);
  const body = rows.flatMap(([label, lines]) =>
    lines.map((line, i) => `${pad(i === 0 ? paint.dim(label) : "", LABEL)}${line}`.trimEnd())
  );
  return [...wrap(headline, Math.max(30, columns)).map(tone), "", ...body].join("\n").trimEnd() + "\n";
}

/** The counts that are not 0, each with its words. */
export function counted(counts: readonly (readonly [number, string])[], between = ", "): string {
  return counts.filter(([n]) => n > 0).map(([n, words]) => `${whole(n)} ${words}`).join(between);
}

/** Notes, wrapped; the first ones, and how many more there are. */
export function noteLines(texts: readonly string[], room: number): string[] {
  const more = texts.length - LISTED;
  const shown = texts.slice(0, LISTED).flatMap((text) =>
    manyLines(text).flatMap((line) => /^\s/.test(line) ? [line] : wrap(line, room))
  );
  return more > 0 ? [...shown, `… and ${whole(more)} more`] : shown;
}

/** What files there are, by what they hold. */
export function fileLines(files: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(files).map((
    [name, path],
  ) => [oneLine(name).replaceAll("_", " "), oneLine(path)]);
  return table(rows, { left: true });
}

/**
 * How much of what was owed is in the metrics, where that is not all of it: what counts without a result, failures by
 * class, and where all of it is.
 *
 * @param sidecar where failures are told, if the files that are named with it do not say so
 */
export function coverageSentence(coverage: Coverage, sidecar?: string): string {
  const { expected, scored, counted: failedAsZero, imputed, missing, failures, withoutTrace } = coverage;
  const asZero = failedAsZero + imputed;
  if (missing + asZero === 0) return "";
  const zeros = counted([[failedAsZero, "failed"], [imputed, "not recorded"]], " and ");
  const classes = classTexts(failures);
  const where = classes.length === 0
    ? ""
    : `${classes.join(", ")}${sidecar === undefined ? "" : `, see ${oneLine(sidecar)}`}`;
  const places = [where, withoutTrace > 0 ? `${whole(withoutTrace)} not recorded` : ""].filter((text) =>
    text !== ""
  );
  return `${whole(scored)} of ${plural(expected, "rollout")} scored` +
    (asZero > 0 ? `, ${whole(asZero)} of these as zero (${zeros})` : "") +
    (missing > 0 ? `, ${whole(missing)} missing: ${places.join("; ")}` : "");
}

/** How many tasks without a score are named in the summary; the JSON lists more of them. */
const NAMED = 12;

/** Tasks that no metric is about, by the group that would have scored them. */
export function unscoredTasks({ unscoredTasks: { count, listed } }: Coverage): string {
  if (count === 0) return "";
  const byGroup = new Map<string, string[]>();
  for (const { task, group } of listed.slice(0, NAMED)) {
    byGroup.set(group, [...byGroup.get(group) ?? [], String(task)]);
  }
  const names = [...byGroup].map(([group, tasks]) => `${tasks.join(", ")} (${cut(oneLine(group), 60)})`);
  const more = count - Math.min(listed.length, NAMED);
  return `${plural(count, "task")} without a scored rollout: ${names.join(", ")}${
    more > 0 ? ` and ${whole(more)} more` : ""
  }`;
}
