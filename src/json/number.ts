/** Numbers straight from JSON bytes. */

/** Powers of ten that are exact. */
const TENS = Array.from({ length: 23 }, (_, k) => 10 ** k);
/** This many digits always fit a double's 53 bits. */
const DIGITS = 15;
const decoder = new TextDecoder();

/**
 * The number in the JSON value from `start` to `end`; true and false are 1 and 0. `undefined` for anything else, and
 * for numbers too large for a double.
 */
export function numberAt(bytes: Uint8Array, start: number, end: number): number | undefined {
  const first = bytes[start]!;
  if (first === 0x74) return 1;
  if (first === 0x66) return 0;
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return undefined;
  const from = first === 0x2d ? start + 1 : start;
  if (end - from <= DIGITS + 1) {
    // Few digits and perhaps a point: both the digits and the power of ten are exact, so one division is too.
    let digits = 0, places = -1;
    let at = from;
    for (; at < end; at++) {
      const c = bytes[at]!;
      if (c === 0x2e) places = 0;
      else if (c < 0x30 || c > 0x39) break;
      else {
        digits = digits * 10 + (c - 0x30);
        if (places >= 0) places++;
      }
    }
    if (at === end && (places >= 0 || end - from <= DIGITS)) {
      const size = places > 0 ? digits / TENS[places]! : digits;
      return first === 0x2d ? -size : size;
    }
  }
  const number = Number(decoder.decode(bytes.subarray(start, end)));
  return Number.isFinite(number) ? number : undefined;
}
