/** Lines of comma-separated values, as RFC 4180 has them, each ending with a line feed. */

/** A cell: a text, a number as it is, nothing for null. */
export type Cell = string | number | null;

/** One line. Texts with commas, quotes, line breaks or outer spaces are quoted. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(quoted).join(",")}\n`;
}

function quoted(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
