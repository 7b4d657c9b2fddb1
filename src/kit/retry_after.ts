/** The Retry-After header of HTTP (RFC 9110, section 10.2.3). */

/** More than anybody waits; a number of any length may stand there. */
const MOST_MS = Number.MAX_SAFE_INTEGER;

/**
 * The wait that a Retry-After header asks for, in milliseconds; `undefined` when there is none or it says nothing that can be
 * understood. A date in the past asks for no wait.
 */
export function retryAfterMs(header: string | undefined, date: Date): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDate(text) - date.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MOST_MS);
}

/** The moment an HTTP date names, or NaN. */
function httpDate(text: string): number {
  // Without a time of day it is not an HTTP date, though `Date.parse` finds a date even in "-5".
  if (!/\d\d:\d\d:\d\d/.test(text)) return NaN;
  // The oldest of the three forms, which ends with the year, names no zone and means GMT.
  return Date.parse(/:\d\d \d{4}$/.test(text) ? `${text} GMT` : text);
}
