/** Rates as people write them: `60/min`. */

const SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, min: 60, m: 60, h: 3600, hour: 3600 };

/** How often a second `60/min`, `2/s` or `1000/h` is; `undefined` when it is not a rate above 0. */
export function perSecond(text: string): number | undefined {
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*\/\s*([a-z]+)\s*$/.exec(text) ?? [];
  const seconds = unit === undefined || !Object.hasOwn(SECONDS, unit) ? undefined : SECONDS[unit];
  const rate = seconds === undefined ? 0 : Number(count) / seconds;
  return rate > 0 ? rate : undefined;
}
