/**
 * Token counts out of a response's `usage`, in each of the three dialects: Responses (`input_tokens`), chat completions
 * (`prompt_tokens`), Anthropic messages (`input_tokens` without those from the cache). Names and rules are Gym's.
 */
import { NumberText, type Tree } from "../../rows/tree.ts";

/** Null is unknown, not zero. */
export interface Tokens {
  /** The whole prompt, cached tokens included. */
  readonly in: bigint | null;
  readonly out: bigint | null;
  readonly reasoning: bigint | null;
  readonly total: bigint | null;
  /** Read from the cache. */
  readonly cached: bigint | null;
  /** Written to the cache. */
  readonly cacheCreation: bigint | null;
}

const NONE: Tokens = { in: null, out: null, reasoning: null, total: null, cached: null, cacheCreation: null };

/** The counts of a usage. Anything but whole numbers from 0 up is no count. */
export function tokensOf(usage: Tree | undefined): Tokens {
  if (!(usage instanceof Map)) return NONE;
  const at = (...names: readonly string[]) => first(names.map((name) => countOf(usage.get(name))));
  const detail = (groups: readonly string[], ...names: readonly string[]) =>
    first(groups.flatMap((group) => {
      const details = usage.get(group);
      return details instanceof Map ? names.map((name) => countOf(details.get(name))) : [];
    }));
  const cacheRead = at("cache_read_input_tokens"), cacheCreation = at("cache_creation_input_tokens");
  const beside = (cacheRead ?? 0n) + (cacheCreation ?? 0n), prompt = at("input_tokens", "prompt_tokens");
  // Only Anthropic names these two, and its input_tokens are those beside them. Two zeros are no prompt.
  const tokensIn = prompt === null && beside === 0n ? null : (prompt ?? 0n) + beside;
  const out = at("output_tokens", "completion_tokens");
  return {
    in: tokensIn,
    out,
    reasoning: detail(["output_tokens_details", "completion_tokens_details"], "reasoning_tokens") ??
      at("reasoning_output_tokens"),
    total: at("total_tokens") ?? (tokensIn === null || out === null ? null : tokensIn + out),
    cached:
      detail(["prompt_tokens_details", "input_tokens_details"], "cached_tokens", "cached_input_tokens") ??
        cacheRead ?? at("cached_input_tokens"),
    cacheCreation,
  };
}

/** Python's reader makes a float of a longer number. */
const MOST = 2n ** 64n;

/** A count of tokens: a whole number from 0 up; null for anything else. */
export function countOf(value: Tree | undefined): bigint | null {
  if (!(value instanceof NumberText) || !/^(\d{1,20}|-0)$/.test(value.text)) return null;
  const count = BigInt(value.text);
  return count < MOST ? count : null;
}

function first(counts: readonly (bigint | null)[]): bigint | null {
  return counts.find((count) => count !== null) ?? null;
}
