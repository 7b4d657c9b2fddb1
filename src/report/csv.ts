/** Lines of comma-separated values, as RFC 4180 has them, each ending with a line feed. */

/** A cell: a text, a number as it is, nothing for null. */
export type Cell = string | number | null;

/**
 * One line. Texts with commas, quotes, line breaks or outer spaces are quoted. What would turn a terminal or a
 * spreadsheet against whoever looks at it is not left as it is: a control character becomes \ufffd, and the beginning of a
 * formula gets an apostrophe in front.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(quoted).join(",")}\n`;
}

/** Controls but line breaks and tabs, and what turns the direction of writing. */
const CONTROL = /(?![\t\n\r])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const FORMULA = /^[=@+-](?!\d+(\.\d+)?$)/;

function quoted(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const shown = cell.replace(CONTROL, "\ufffd"), text = FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
