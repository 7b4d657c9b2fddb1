/** What the tests of this folder share: values, and the plain computations over all of them. */
import assert from "node:assert/strict";
import fc from "fast-check";

/** A zero without a sign, as everywhere in statistics/. */
export const value = fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((one) => one + 0);
export const values = fc.array(value, { minLength: 1, maxLength: 60 });

export function close(actual: number, expected: number, scale: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(scale, 1e-9), `${actual}, not ${expected}`);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function quantile(values: readonly number[], q: number): number {
  return quantileInOrder(values.toSorted((a, b) => a - b), q);
}

/** Linear interpolation between the two nearest ranks. */
export function quantileInOrder(sorted: ArrayLike<number>, q: number): number {
  const rank = q * (sorted.length - 1), below = Math.floor(rank);
  const above = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return sorted[below]! + (above - sorted[below]!) * (rank - below);
}
