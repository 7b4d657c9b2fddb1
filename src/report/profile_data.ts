/** What a profile is, as data for its text, JSON and CSV. */
import type { GroupProfile } from "../results/profile.ts";
import type { Prices } from "../results/prices.ts";

export interface Profile {
  /** The rollouts files. */
  readonly files: readonly string[];
  readonly agents: readonly GroupProfile[];
  /** By the values of the field. */
  readonly groups: readonly GroupProfile[];
  readonly by: string | undefined;
  readonly passAt: number | undefined;
  readonly prices: Prices | undefined;
  /** Further results of a rollout that has one, and results that were not planned: they do not count. */
  readonly leftOut: { readonly duplicates: number; readonly unplanned: number };
  readonly notes: readonly string[];
}
