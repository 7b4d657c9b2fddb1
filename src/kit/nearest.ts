/** "Did you mean …": the nearest of some names, for errors about misspelt ones. */
import { distance } from "levenshtein";

/** The name most like `wanted`, or `undefined` when none is close enough to be a typo: of one or two letters only one may differ. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  let best: string | undefined,
    smallest = (wanted.length < 3 ? 1 : Math.max(2, Math.floor(wanted.length / 3))) + 1;
  for (const name of names) {
    const d = distance(wanted, name);
    if (d < smallest) [best, smallest] = [name, d];
  }
  return best;
}

/** ` (did you mean "NAME"?)`, or nothing. */
export function suggestion(wanted: string, names: Iterable<string>): string {
  const name = nearest(wanted, names);
  return name === undefined ? "" : ` (did you mean ${JSON.stringify(name)}?)`;
}
