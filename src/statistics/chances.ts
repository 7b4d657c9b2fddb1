/** Chance that a seed decides, quickly: for resampling, where millions of numbers are drawn. */
import { seeded } from "../kit/seeded.ts";

/** Numbers from 0 up to 1, without 1. xorshift128 (Marsaglia 2003), started from the seed. */
export function chances(seed: number): () => number {
  let [x, y, z, w] = [1, 2, 3, 4].map((n) => seeded(seed, n) | 1) as [number, number, number, number];
  return () => {
    const t = x ^ (x << 11);
    x = y, y = z, z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return (w >>> 0) / 2 ** 32;
  };
}
