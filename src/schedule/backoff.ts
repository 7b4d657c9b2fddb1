/** How long to wait before the next try: twice as long each time, up to a cap, jittered so that many do not coincide. */

const FIRST_MS = 500, MAX_MS = 15_000;

/**
 * The wait before try `n` (0 for the first repeat) in milliseconds: half of it fixed, half by `chance` (0 to 1).
 */
export function waitMs(n: number, chance: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(n, 20)) * (0.5 + chance / 2);
}
