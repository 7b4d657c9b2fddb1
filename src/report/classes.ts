/** Counts by failure class, bounded: a server may invent a class for every row. */
import { LISTED } from "../kit/fault.ts";
import { whole } from "../kit/phrases.ts";
import { cut, oneLine } from "./text.ts";

/** The classes above the first twenty, together. */
export interface Others {
  /** How many classes. */
  readonly classes: number;
  /** The sum of their counts. */
  readonly count: number;
}

/** The most frequent classes, by name where as frequent, and the others together. Classes that count 0 are left out. */
export function mostFrequent(
  counts: Readonly<Record<string, number>>,
  most = LISTED,
): { readonly listed: readonly (readonly [name: string, count: number])[]; readonly others: Others } {
  const all = Object.entries(counts).filter(([, count]) => count > 0)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const rest = all.slice(most);
  return {
    listed: all.slice(0, most),
    others: { classes: rest.length, count: rest.reduce((sum, [, count]) => sum + count, 0) },
  };
}

/** `12 agent_run_error`, one a class, and at last `4,321 of 300 more classes`. */
export function classTexts(counts: Readonly<Record<string, number>>): string[] {
  const { listed, others } = mostFrequent(counts);
  const texts = listed.map(([name, count]) => `${whole(count)} ${cut(oneLine(name), 60)}`);
  if (others.classes > 0) {
    texts.push(
      `${whole(others.count)} of ${whole(others.classes)} more ${others.classes === 1 ? "class" : "classes"}`,
    );
  }
  return texts;
}
