/** Whole numbers as people list them: `17,20-29`. */

/** From the first to the last, both included. */
export type Range = readonly [first: number, last: number];

/** The ranges of a list, in order and without overlaps; `undefined` when it is not one. Spaces do not matter. */
export function parseRanges(text: string): Range[] | undefined {
  const ranges: Range[] = [];
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? [];
    const range = [Number(first), Number(last)] as const;
    if (first === undefined || !range.every(Number.isSafeInteger) || range[0] > range[1]) return undefined;
    ranges.push(range);
  }
  const joined: [number, number][] = [];
  for (const [first, last] of ranges.sort(([a], [b]) => a - b)) {
    const before = joined.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** The same as a list. */
export function rangesText(ranges: readonly Range[]): string {
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(",");
}

/** Which of the ranges, in order and without overlaps, a number is in; -1 for none. */
export function findRange(ranges: readonly Range[], n: number): number {
  let low = 0, high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1, [first, last] = ranges[middle]!;
    if (n < first) high = middle - 1;
    else if (n > last) low = middle + 1;
    else return middle;
  }
  return -1;
}
