/** What an observation lacks. */
import type { Tree } from "../rows/tree.ts";

/** As in Gym: a code, what it is about, and what there is to say. */
export interface Gap {
  readonly code: string;
  readonly invocation: string | null;
  readonly detail: string | null;
}

/** A gap that is about no invocation. */
export function gap(code: string, detail: string | null = null): Gap {
  return { code, invocation: null, detail };
}

/** A gap with its nulls, as in observations. */
export function wholeGap({ code, invocation, detail }: Gap): Map<string, Tree> {
  return new Map<string, Tree>([["code", code], ["invocation_id", invocation], ["detail", detail]]);
}

/** A gap without its nulls, as in captures. */
export function briefGap(gap: Gap): Map<string, Tree> {
  return new Map([...wholeGap(gap)].filter(([, value]) => value !== null));
}

/** Without those that say the same. */
export function distinct(gaps: readonly Gap[]): Gap[] {
  const named = gaps.map((gap) => [JSON.stringify([gap.code, gap.invocation, gap.detail]), gap] as const);
  return [...new Map(named).values()];
}
