/** One of several equal parts of numbered things: those whose number mod `count` is `index`. */

/** A part. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** Reads `3/64`. Undefined when it is not that; {@link shardFault} says why. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index < shard.count ? shard : undefined;
}

/** A part as it is written. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** What is wrong with a text that is not a part. */
export function shardFault(text: string): string {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (count === undefined) return "must be i/n, as in 3/64, or auto";
  if (Number(count) === 0) return "must be i/n with n 1 or more";
  return `must be less than its count: shards count from 0, so the last of ${Number(count)} is ` +
    `${Number(count) - 1}/${Number(count)}, and there is no ${Number(index)}/${Number(count)}`;
}

/** Whether the part has a number, which may be negative. */
export function isInShard(n: number, { index, count }: Shard): boolean {
  return ((n % count) + count) % count === index;
}

/** `-shard-0003-of-0064`: what the names of a part's files have before their ending. They sort as the parts do. */
export function shardSuffix({ index, count }: Shard): string {
  const width = Math.max(4, String(count).length), padded = (n: number) => String(n).padStart(width, "0");
  return `-shard-${padded(index)}-of-${padded(count)}`;
}

/** The part that a name without its ending is of, and the name without that; undefined when it is not a part's. */
export function shardOfName(stem: string): { readonly stem: string; readonly shard: Shard } | undefined {
  const found = /^(.*)-shard-(\d{4,9})-of-(\d{4,9})$/s.exec(stem);
  const shard = found ? parseShard(`${found[2]}/${found[3]}`) : undefined;
  return found && shard && shardSuffix(shard) === stem.slice(found[1]!.length)
    ? { stem: found[1]!, shard }
    : undefined;
}
