/** Numbers as people read them. Not for machines, which get the numbers themselves. */

/** `3 rows`, `1 row`, `12,000 rows`. */
export function plural(n: number, noun: string): string {
  return `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** A whole number, with commas between thousands from 10,000 up. */
export function whole(n: number): string {
  const digits = String(n);
  return Math.abs(n) < 10_000 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Seconds as `320ms`, `4.2s`, `42s`, `2m05s`, `1h05m` or `2d03h`. */
export function duration(seconds: number): string {
  if (seconds <= 0) return "0s";
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const s = Math.round(seconds), m = Math.round(seconds / 60), h = Math.round(seconds / 3600);
  const two = (n: number) => String(n).padStart(2, "0");
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${two(s % 60)}s`;
  if (m < 48 * 60) return `${Math.floor(m / 60)}h${two(m % 60)}m`;
  return `${whole(Math.floor(h / 24))}d${two(h % 24)}h`;
}

/** Events per second as `1200/s`, `34.2/s`, or `12/min` and `0.4/min` below one per second. */
export function frequency(perSecond: number): string {
  return perSecond >= 1 ? `${figures(perSecond)}/s` : `${figures(perSecond * 60)}/min`;
}

/** Bytes as `512 B`, `12 kB`, `3.4 MB`, … in steps of 1000. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let n = bytes, unit = 0;
  while (n >= 999.5 && unit < units.length - 1) [n, unit] = [n / 1000, unit + 1];
  return `${unit === 0 ? n : figures(n)} ${units[unit]}`;
}

/** Two or three significant figures: `0.026`, `3.4`, `34.2`, `1200`. */
export function figures(n: number): string {
  const x = Math.abs(n);
  if (x >= 99.95) return whole(Math.round(n));
  return String(Number(x >= 9.95 ? n.toFixed(1) : n.toPrecision(2)));
}

/** A metric: whole numbers whole, others with four significant figures (`0.8125`, `0.01235`, `123.5`). */
export function metric(n: number): string {
  if (Number.isInteger(n)) return Math.abs(n) < 1e15 ? whole(n) : String(n);
  if (!Number.isFinite(n)) return String(n);
  const x = Math.abs(n);
  if (x < 1e-4) return n.toExponential(2).replace(/\.?0+e/, "e");
  const places = Math.min(6, Math.max(1, 3 - Math.floor(Math.log10(x))));
  return String(Number(n.toFixed(places)));
}
