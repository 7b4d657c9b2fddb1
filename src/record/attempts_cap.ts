/** How often a rollout may fail before it is no longer retried. */

/** Gym's number. */
const DEFAULT = 3;

/** The variable that says otherwise. */
export const ATTEMPTS_VARIABLE = "NEMO_GYM_MAX_ROLLOUT_ATTEMPTS";

/** Attempts are counted in 16 bits (see `plan/row_index.ts`). */
const MOST = 0xffff;

/**
 * The cap as {@link ATTEMPTS_VARIABLE} gives it: a whole number, 1 or more. Anything else is answered with a warning and
 * Gym's default, as Gym does; unset or empty is the default without a word.
 */
export function attemptsCap(text: string | undefined): { readonly cap: number; readonly warning?: string } {
  if (text === undefined || text === "") return { cap: DEFAULT };
  const cap = /^\s*\+?\d+\s*$/.test(text) ? Number(text) : 0;
  if (cap >= 1) return { cap: Math.min(cap, MOST) };
  return {
    cap: DEFAULT,
    warning: `${ATTEMPTS_VARIABLE} must be a whole number, 1 or more, got ${JSON.stringify(text)}; ` +
      `a rollout is tried ${DEFAULT} times.`,
  };
}
