/**
 * The percentile bootstrap over tasks (Efron 1979): for medians and ratios of sums, which have no formula. Whole tasks
 * are drawn, with their rollouts, as many as there are; the interval is the middle 95 % of what the draws give.
 */
import { chances } from "./chances.ts";

/** So many draws, fewer where there are so many tasks that they would take minutes. */
const DRAWS = 10_000, WORK = 2e8, FEWEST = 500;

/** An interval, and how it was drawn. */
export interface Bootstrapped {
  /** Null for fewer than two tasks. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly draws: number;
  readonly seed: number;
}

/**
 * The interval of a ratio of sums over tasks; of a mean where every divisor is 1.
 *
 * @param of what is summed above, and below
 */
export function bootstrapRatio(
  above: ArrayLike<number>,
  below: ArrayLike<number>,
  seed: number,
): Bootstrapped {
  const tasks = above.length, draws = drawsFor(tasks);
  if (tasks < 2) return { interval: null, draws: 0, seed };
  const chance = chances(seed), made = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    let top = 0, bottom = 0;
    for (let n = 0; n < tasks; n++) {
      const task = Math.floor(chance() * tasks);
      top += above[task]!;
      bottom += below[task]!;
    }
    made[draw] = top / bottom;
  }
  return { interval: middle(made), draws, seed };
}

/** The interval of a median over tasks. */
export function bootstrapMedian(values: ArrayLike<number>, seed: number): Bootstrapped {
  const tasks = values.length, draws = Math.min(drawsFor(tasks * 10), DRAWS);
  if (tasks < 2) return { interval: null, draws: 0, seed };
  const sorted = Float64Array.from(values).sort(), chance = chances(seed);
  const made = new Float64Array(draws), drawn = new Uint32Array(tasks);
  for (let draw = 0; draw < draws; draw++) {
    drawn.fill(0);
    for (let n = 0; n < tasks; n++) drawn[Math.floor(chance() * tasks)]!++;
    made[draw] = medianOf(sorted, drawn);
  }
  return { interval: middle(made), draws, seed };
}

function drawsFor(tasks: number): number {
  return Math.max(FEWEST, Math.min(DRAWS, Math.floor(WORK / tasks)));
}

/** The median of values in order, each as often as it was drawn. */
function medianOf(sorted: Float64Array, drawn: Uint32Array): number {
  const half = sorted.length / 2;
  let seen = 0;
  for (let k = 0; k < sorted.length; k++) {
    seen += drawn[k]!;
    if (seen > half) return sorted[k]!;
    if (seen === half) return (sorted[k]! + nextOf(sorted, drawn, k)) / 2;
  }
  return sorted[sorted.length - 1]!;
}

function nextOf(sorted: Float64Array, drawn: Uint32Array, k: number): number {
  do k++; while (drawn[k] === 0);
  return sorted[k]!;
}

function middle(made: Float64Array): readonly [low: number, high: number] {
  made.sort();
  const at = (q: number) => {
    const place = q * (made.length - 1), k = Math.floor(place), next = Math.min(k + 1, made.length - 1);
    return made[k]! + (place - k) * (made[next]! - made[k]!);
  };
  return [at(0.025), at(0.975)];
}
