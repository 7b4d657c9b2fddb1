/**
 * Which tasks of two runs are the same. By their own ids first, as a prompt may have been changed on purpose; then by
 * their input rows; by their numbers only where both runs had the same input. What could be meant twice is not paired.
 */
import type { TaskEntry } from "./task_table.ts";

/** How a pair was found. */
export type PairedBy = "id" | "row" | "number";

/** Places of tasks, in the order of the base. */
export interface Pairs {
  readonly pairs: readonly (readonly [base: number, candidate: number])[];
  readonly by: Readonly<Record<PairedBy, number>>;
  /** Places of those without a partner. */
  readonly baseOnly: readonly number[];
  readonly candidateOnly: readonly number[];
}

/**
 * @param base places of its tasks to pair, and likewise of the candidate
 * @param sameInput whether both runs are over the same input file
 */
export function pairTasks(
  base: { readonly tasks: readonly TaskEntry[]; readonly places: readonly number[] },
  candidate: { readonly tasks: readonly TaskEntry[]; readonly places: readonly number[] },
  sameInput: boolean,
): Pairs {
  const partners = new Map<number, number>(), taken = new Set<number>();
  const by = { id: 0, row: 0, number: 0 };
  const keys: [PairedBy, (task: TaskEntry) => string | number | null][] = [
    ["id", ({ id }) => id],
    ["row", ({ row }) => row],
    ...(sameInput ? [["number", ({ task }) => task] as [PairedBy, (task: TaskEntry) => number]] : []),
  ];
  for (const [way, keyOf] of keys) {
    const left = base.places.filter((place) => !partners.has(place));
    const right = candidate.places.filter((place) => !taken.has(place));
    const those = once(right, (place) => keyOf(candidate.tasks[place]!));
    for (const [key, place] of once(left, (place) => keyOf(base.tasks[place]!))) {
      const partner = those.get(key);
      if (partner === undefined) continue;
      partners.set(place, partner);
      taken.add(partner);
      by[way]++;
    }
  }
  const paired = base.places.filter((place) => partners.has(place));
  return {
    pairs: paired.map((place) => [place, partners.get(place)!] as const),
    by,
    baseOnly: base.places.filter((place) => !partners.has(place)),
    candidateOnly: candidate.places.filter((place) => !taken.has(place)),
  };
}

/** Places by their key, of keys that occur once. */
function once<K>(places: readonly number[], keyOf: (place: number) => K | null): Map<K, number> {
  const found = new Map<K, number>(), twice = new Set<K>();
  for (const place of places) {
    const key = keyOf(place);
    if (key === null) continue;
    if (found.has(key)) twice.add(key);
    found.set(key, place);
  }
  for (const key of twice) found.delete(key);
  return found;
}
