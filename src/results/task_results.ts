/** What the files of finished runs say of one task. */

/** Tokens of one model; null where no line says how many. */
export interface Tokens {
  /** The model, as `response.model` names it; null where only `ng_perf` tells of tokens. */
  readonly model: string | null;
  /** Of the prompts. */
  readonly input: number;
  /** Of the answers. */
  readonly output: number;
}

/** What became of a task's rollouts: `planned = measured + masked + unscored + failed + missing`. */
export interface Outcomes {
  /** Rollouts that the files know of. */
  readonly planned: number;
  /** With a reward that counts. */
  readonly measured: number;
  /** With a result that asks not to be measured (`mask_sample`). */
  readonly masked: number;
  /** With a result whose reward is absent or not a finite number. */
  readonly unscored: number;
  /** Without a result, and with a failure. */
  readonly failed: number;
  /** Only in the materialized inputs. */
  readonly missing: number;
}

/** One task of one agent, over all files in which it is the same task. */
export interface TaskResults {
  /** Who ran it: the agent's name, else the environment server's, else "". */
  readonly agent: string;
  /** `_ng_task_index`. */
  readonly task: number;
  /** Its dataset's name for it, of the input row; null without one. */
  readonly id: string | null;
  /** What distinguishes its input row from others, in hex; null without materialized inputs. See `row_identity.ts`. */
  readonly row: string | null;
  /** The value of the input row's field that was asked for; null where it has none, or none was asked for. */
  readonly by: string | null;
  /** Values of further fields that were asked for, by their paths; null where the input row has none. */
  readonly fields: ReadonlyMap<string, string | number | null>;
  readonly outcomes: Outcomes;
  /** The rewards of the measured rollouts, by file, then rollout index. */
  readonly rewards: readonly number[];
  /**
   * By the name of a numeric member of the results (or of `response.usage`): its values in the rollouts that are not
   * masked, in the same order. The reward is one of them. Without rollouts that have it, a name may be absent.
   */
  readonly metrics: ReadonlyMap<string, readonly number[]>;
  /** How long rollouts took, in seconds, of those that say so. */
  readonly durations: readonly number[];
  /** Rollouts whose answer ended at its length limit. */
  readonly truncated: number;
  /** Tokens of the results by model. */
  readonly tokens: readonly Tokens[];
  /** Results that do not say how many tokens they took. */
  readonly untold: number;
  /** Tokens of failed attempts by model, where their lines say so. */
  readonly failedTokens: readonly Tokens[];
  /** Failed attempts, and of these those that do not say how many tokens they took. */
  readonly attempts: { readonly failed: number; readonly untold: number };
}

/** The mean of a task's values; undefined without any. */
export function meanOf(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  // Shifted, so that equal values have exactly their own mean.
  const zero = values[0]!;
  let sum = 0;
  for (const value of values) sum += value - zero;
  const mean = zero + sum / values.length;
  return Number.isFinite(mean) ? mean : undefined;
}

/** Adds tokens to those of their model. */
export function addTokens(into: Map<string | null, Tokens>, { model, input, output }: Tokens): void {
  const before = into.get(model);
  into.set(model, { model, input: (before?.input ?? 0) + input, output: (before?.output ?? 0) + output });
}
