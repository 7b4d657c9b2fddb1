/** What the doctor found, as a table for people and as JSON for programs. Pure. */
import type { Finding, Verdict } from "../doctor/finding.ts";
import { plural } from "../kit/phrases.ts";
import { width } from "./columns.ts";
import { cut, manyLines, pad, wrap } from "./text.ts";

/** Columns of the longest name that is not cut. */
const NAME = 32;

/** A row a finding, and what it comes to. Ends with a line break. */
export function doctorText(findings: readonly Finding[], { columns }: { readonly columns: number }): string {
  const names = Math.min(NAME, Math.max(...findings.map(({ check }) => width(check))));
  const indent = 9 + names + 2, room = Math.max(30, columns - indent);
  const lines = findings.flatMap(({ check, verdict, text }) =>
    manyLines(text).flatMap((line) => wrap(line, room)).map((line, k) =>
      `${k === 0 ? `${verdict.padEnd(9)}${pad(cut(check, names), names)}  ` : " ".repeat(indent)}${line}`
    )
  );
  return `${lines.join("\n")}\n\n${outcome(findings)}\n`;
}

function outcome(findings: readonly Finding[]): string {
  const count = (wanted: Verdict) => findings.filter(({ verdict }) => verdict === wanted).length;
  const failed = count("fail"), warnings = count("warning");
  if (failed > 0) return `A run would fail: ${plural(failed, "problem")} to fix.`;
  return warnings > 0 ? `A run can start, with ${plural(warnings, "warning")}.` : "A run can start.";
}

/** The same as one line of JSON. */
export function doctorJson(findings: readonly Finding[]): string {
  return JSON.stringify({ ok: !findings.some(({ verdict }) => verdict === "fail"), findings });
}
