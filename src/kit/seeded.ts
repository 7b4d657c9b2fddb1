/** Chance that a seed decides, so that it is the same every time. */

/**
 * A whole number below 2^53 for a seed and a number, as good as random: of two seeds, or two numbers, neither tells
 * anything of the other. Both are whole numbers, safe ones.
 */
export function seeded(seed: number, n: number): number {
  return half(0x9e3779b1, seed, n) * 2 ** 21 + (half(0x7feb352d, seed, n) >>> 11);
}

function half(salt: number, seed: number, n: number): number {
  let h = salt;
  for (const part of [low(seed), high(seed), low(n), high(n)]) h = mix(h ^ part);
  return h >>> 0;
}

function low(n: number): number {
  return n | 0;
}

function high(n: number): number {
  return Math.floor(n / 2 ** 32) | 0;
}

/** MurmurHash3's finalizer, and an odd number added so that zero does not stay zero. */
function mix(h: number): number {
  h = (h + 0x6a09e667) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
