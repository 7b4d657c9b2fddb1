/** Columns of text that line up. */
import { width } from "./columns.ts";
import { pad } from "./text.ts";

/**
 * Rows of cells as lines, two spaces between columns. The first column stands at the left; the others, as they hold
 * numbers, at the right, or at the left too where `left` says so. No spaces at line ends.
 */
export function table(rows: readonly (readonly string[])[], { left = false } = {}): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => widths[i] = Math.max(widths[i] ?? 0, width(cell)));
  }
  return rows.map((row) =>
    row.map((cell, i) => pad(cell, widths[i] ?? 0, i === 0 || left ? "start" : "end")).join("  ").trimEnd()
  );
}
