/** How often a rollout may fail before it is not retried any more. */

/** Gym's default. */
const DEFAULT = 3;

/** The variable that overrides it. */
export const ATTEMPTS_VARIABLE = "NEMO_GYM_MAX_ROLLOUT_ATTEMPTS";

/** Attempts are counted in 16 bits (see `plan/row_index.ts`). */
const MOST = 0xffff;

/**
 * The cap from {@link ATTEMPTS_VARIABLE}: a whole number, 1 or more. Anything else means Gym's default and a warning, as
 * in Gym; unset or empty means the default without a warning.
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
