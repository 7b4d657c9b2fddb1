/** A rollout in words. Pure; every foreign text is made harmless, and cut unless all of it is wanted. */
import type { Finding } from "../health/check.ts";
import { palette } from "./colour.ts";
import { width } from "./columns.ts";
import type { RolloutView } from "./rollout_view.ts";
import { table } from "./table.ts";
import { manyLines, oneLine, wrap } from "./text.ts";

/** Of a text, and of a conversation, so much is shown. */
const CHARACTERS = 4000, ITEMS = 200;

/** What the health checks say of it. */
export interface Checked {
  readonly verdict: string;
  readonly findings: readonly Finding[];
}

/** How it is shown. */
export interface RolloutTextOptions {
  readonly columns: number;
  readonly colour: boolean;
  /** Whether nothing is cut. */
  readonly full: boolean;
}

/** The text; ends with a line break. */
export function rolloutText(view: RolloutView, checked: Checked | null, options: RolloutTextOptions): string {
  const paint = palette(options.colour), { full, columns } = options;
  const { task, rollout, attempt, agent, reward, failure, tokens } = view;
  const facts = [
    ...(agent === null ? [] : [oneLine(agent)]),
    ...(attempt === 0 ? [] : [`attempt ${scalar(attempt)}`]),
    ...(failure ? [] : [`reward ${reward === null ? "none" : scalar(reward)}`]),
    ...(tokens.prompt === null && tokens.completion === null
      ? []
      : [`${tokens.prompt ?? "?"} tokens in, ${tokens.completion ?? "?"} out`]),
  ];
  const lines = joined([paint.bold(`Rollout ${scalar(task)}-${scalar(rollout)}`), ...facts], columns);
  if (failure) {
    lines.push(paint.red(`failed: ${oneLine(bounded(failure.class, full))}`));
    if (failure.message !== null) lines.push(...indentedLines(failure.message, options));
  }
  if (checked) {
    lines.push(`health: ${checked.verdict}`);
    for (const { check, locator, detail } of checked.findings) {
      const said = bounded(`${check} ${JSON.stringify({ ...locator, ...detail })}`, full);
      lines.push(...wrap(oneLine(said), Math.max(20, columns - 2)).map((line) => `  ${line}`));
    }
  }
  const items = full ? view.conversation : view.conversation.slice(0, ITEMS);
  for (const { who, text } of items) {
    lines.push("", paint.bold(oneLine(bounded(who, full))), ...indentedLines(text, options));
  }
  const left = view.conversation.length - items.length;
  if (left > 0) lines.push("", `… ${left} more; --full shows all`);
  if (view.calls.length > 0) {
    const rows = view.calls.map((call, k) => [
      oneLine(bounded(call.id ?? `call ${k + 1}`, full)),
      oneLine(bounded(call.model ?? "", full)),
      oneLine(bounded(call.status ?? "", full)),
      call.duration_ms === null ? "" : `${Math.round(call.duration_ms)} ms`,
      call.prompt_tokens === null ? "" : `${call.prompt_tokens} in`,
      call.completion_tokens === null ? "" : `${call.completion_tokens} out`,
    ]);
    lines.push("", paint.bold("model calls"), ...callLines(rows, columns));
  }
  return `${lines.join("\n")}\n`;
}

/** In columns, or where the terminal is too narrow for them, each call by itself. */
function callLines(rows: readonly string[][], columns: number): string[] {
  const lines = table(rows).map((line) => `  ${line}`);
  if (lines.every((line) => width(line) <= columns)) return lines;
  return rows.flatMap((row) => joined(["", ...row.filter((cell) => cell !== "")], columns));
}

/** Cells one after the other, in as many lines as it takes; those after the first are indented. */
function joined([first, ...cells]: readonly string[], columns: number): string[] {
  const lines = [first!];
  for (const cell of cells) {
    const line = `${lines.at(-1)}  ${cell}`;
    if (width(line) <= columns || lines.at(-1) === "") lines[lines.length - 1] = line;
    else lines.push(`    ${cell}`);
  }
  return lines;
}

function indentedLines(text: string, { columns, full }: RolloutTextOptions): string[] {
  const room = Math.max(20, columns - 2);
  return manyLines(bounded(text, full)).flatMap((line) => wrap(line, room)).map((line) =>
    line && `  ${line}`
  );
}

function bounded(text: string, full: boolean): string {
  if (full || text.length <= CHARACTERS) return text;
  return `${text.slice(0, CHARACTERS).toWellFormed()}… (${
    text.length - CHARACTERS
  } more characters; --full shows all)`;
}

/** An index or a reward: mostly a number, possibly anything. */
function scalar(value: unknown): string {
  return oneLine(bounded(typeof value === "string" ? value : JSON.stringify(value) ?? "", false));
}
