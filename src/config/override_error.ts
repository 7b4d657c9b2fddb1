/** The error of words: it shows the word with a caret under the place. */
import { UsageFault } from "../kit/fault.ts";
import { isSecret, SECRET_WORDS } from "../kit/secrets.ts";

/** Code points of a long word that are shown around the caret. */
const WINDOW = 72;

const SECRET_MEMBER = new RegExp(`(?:${SECRET_WORDS})[^,:{}\\[\\]]*:`, "i");

/** A word that cannot be read, or cannot be laid over the configuration. */
export class WordError extends UsageFault {
  /** Shown when the error is printed raw. */
  override name = "WordError";
  /** Where in the word, in code points from 1; one past its end when something is missing there. */
  readonly column: number;
  /** What is wrong and what to write instead, without the picture. Quotes one character of the value at most. */
  readonly reason: string;

  /** `points` is the word by code points, `index` the place in it from 0. */
  constructor(points: readonly string[], index: number, reason: string) {
    super(`Cannot use this argument, see column ${index + 1}: ${reason}\n${picture(points, index)}`);
    this.column = index + 1;
    this.reason = reason;
  }
}

/** The word, or the part of it around `index`, and a caret below. Takes one cell for each code point. */
function picture(points: readonly string[], index: number): string {
  const start = Math.max(0, Math.min(index - WINDOW / 2, points.length - WINDOW));
  const before = start > 0 ? "…" : "", after = start + WINDOW < points.length ? "…" : "";
  const shown = printable(points).slice(start, start + WINDOW).join("");
  return `  ${before}${shown}${after}\n  ${" ".repeat(before.length + index - start)}^`;
}

/** The code points as one line that is safe to print: control characters as symbols, secret values as dots. */
function printable(points: readonly string[]): string[] {
  const equals = points.indexOf("=");
  const key = points.slice(0, Math.max(equals, 0)).join(""), value = points.slice(equals + 1).join("");
  const secret = equals >= 0 && (isSecret(key) || SECRET_MEMBER.test(value));
  // Name and password stand before the @ of an address.
  const login = points.lastIndexOf("@"), address = points.join("").indexOf("//") >= 0;
  return points.map((point, at) => {
    // What the grammar gives a meaning stays, or the caret would point at nothing one can recognise.
    if (at > equals && (secret || address && at < login) && !/[[\]{}(),:='" ]/.test(point)) return "•";
    const code = point.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code >= 0x7f && code < 0xa0 ? "\u2421" : point;
  });
}
