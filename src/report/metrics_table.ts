/** The key metrics of a run's groups, as a table or, where that is too wide, as a list. */
import type { GroupMetrics } from "../collect/tally.ts";
import { table } from "./table.ts";
import { width } from "./columns.ts";
import { cut, oneLine } from "./text.ts";
import { metric, plural, whole } from "../kit/phrases.ts";

/** What is shown of a group. */
export type Shown = Pick<GroupMetrics, "label" | "rows" | "key_metrics">;

/** How many groups, and how many metrics of a group, are shown before the rest is only counted. */
const SHOWN = 20;

/**
 * One line a group under a heading of metric names, when all fits in `columns`; else each group with its metrics
 * below it, one a line. Numbers of one column have the same number of decimal places. Groups and metrics keep the
 * order they come in. The number of each group stands under `counted`.
 */
export function metricsLines(groups: readonly Shown[], columns: number, counted = "rows"): string[] {
  const shown = groups.slice(0, SHOWN);
  const wide = asTable(shown, counted);
  const lines = wide.every((line) => width(line) <= columns)
    ? wide
    : shown.flatMap((group) => asList(group, columns));
  const more = groups.length - shown.length;
  return more > 0 ? [...lines, `… and ${plural(more, "more group")}`] : lines;
}

function asTable(groups: readonly Shown[], counted: string): string[] {
  const names = [...new Set(groups.flatMap((group) => Object.keys(group.key_metrics)))];
  const columns = names.map((name) => {
    const values = groups.map((group) => own(group.key_metrics, name));
    return [cut(oneLine(name), 60), ...cells(values)];
  });
  const labels = ["group", ...groups.map((group) => cut(oneLine(group.label), 60))];
  const rows = [counted, ...groups.map((group) => whole(group.rows))];
  return table(labels.map((label, i) => [label, rows[i]!, ...columns.map((column) => column[i]!)]));
}

function asList(group: Shown, columns: number): string[] {
  const names = Object.keys(group.key_metrics), shown = names.slice(0, SHOWN);
  const values = shown.map((name) => cells([own(group.key_metrics, name)])[0]!);
  const lines = table(shown.map((name, i) => [`  ${cut(oneLine(name), 60)}`, values[i]!]));
  const more = names.length - shown.length;
  return [
    `${cut(oneLine(group.label), 60)}, ${plural(group.rows, "row")}`,
    ...lines.map((line) => cut(line, columns)),
    ...(more > 0 ? [`  … and ${whole(more)} more`] : []),
  ];
}

/** Values of one metric as texts; the numbers among them with as many places as the most precise needs. */
function cells(values: readonly unknown[]): string[] {
  const texts = values.map(cell);
  const places = texts.map((text) => /^-?[\d,]*\.(\d+)$/.exec(text)?.[1]?.length ?? 0);
  const most = Math.max(0, ...places);
  return texts.map((text, i) => {
    if (typeof values[i] !== "number" || most === places[i] || !/^-?[\d.,]+$/.test(text)) return text;
    return (places[i] === 0 ? `${text}.` : text) + "0".repeat(most - places[i]!);
  });
}

function cell(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "number") return metric(value);
  return cut(oneLine(typeof value === "string" ? value : JSON.stringify(value) ?? ""), 40);
}

// A server may well call a metric "constructor".
function own(metrics: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(metrics, name) ? metrics[name] : undefined;
}
