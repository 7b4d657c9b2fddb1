/** Strings of JSON where they stand: compared without making a string of them, or read. */
import { parse } from "./object.ts";

const BACKSLASH = 0x5c;

/** Whether the string between two quotes, at `from` and before `to`, is this text of plain ASCII, spelled without escapes. */
export function isText(bytes: Uint8Array, from: number, to: number, text: string): boolean {
  if (to - from - 2 !== text.length) return false;
  for (let k = 0; k < text.length; k++) if (bytes[from + 1 + k] !== text.charCodeAt(k)) return false;
  return true;
}

/** Whether these bytes stand there. */
export function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let k = 0; k < wanted.length; k++) if (bytes[at + k] !== wanted[k]) return false;
  return true;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Up to so many characters it is cheaper to take them one by one than to call the decoder. */
const SHORT = 48;

/** The string between two quotes. */
export function stringAt(bytes: Uint8Array, from: number, to: number): string {
  if (to - from - 2 <= SHORT) {
    const short = shortAt(bytes, from + 1, to - 1);
    if (short !== undefined) return short;
  }
  const raw = bytes.subarray(from, to);
  return raw.includes(BACKSLASH) ? parse(raw) as string : decoder.decode(raw.subarray(1, -1));
}

/** Plain ASCII without escapes; `undefined` for anything else. */
function shortAt(bytes: Uint8Array, from: number, to: number): string | undefined {
  let text = "", at = from;
  for (; at + 4 <= to; at += 4) {
    const a = bytes[at]!, b = bytes[at + 1]!, c = bytes[at + 2]!, d = bytes[at + 3]!;
    if ((a | b | c | d) >= 0x80 || a === BACKSLASH || b === BACKSLASH || c === BACKSLASH || d === BACKSLASH) {
      return undefined;
    }
    text += String.fromCharCode(a, b, c, d);
  }
  for (; at < to; at++) {
    const c = bytes[at]!;
    if (c >= 0x80 || c === BACKSLASH) return undefined;
    text += String.fromCharCode(c);
  }
  return text;
}
