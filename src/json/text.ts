/** A value from elsewhere as a short string: for messages, and for names such as failure classes. */

const QUOTE = 0x22, BACKSLASH = 0x5c;

/** No character takes more bytes: two escapes of six, a surrogate pair. */
const LONGEST = 12;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The content of a string, or the JSON of any other value: at most `characters` code points, with an `…` if there were
 * more. Each run of control characters and line breaks becomes one space. Reads no more of the value than it needs,
 * however large or deep it is.
 *
 * @param json the bytes of one valid JSON value, without white space around it
 */
export function textOf(json: Uint8Array, characters: number): string {
  const isString = json[0] === QUOTE;
  const bytes = json.subarray(0, Math.min(json.length, 1 + (characters + 2) * LONGEST));
  const text = isString ? stringOf(bytes) : decoder.decode(bytes);
  const kept = firstOf(text, characters);
  const isWhole = kept.length === text.length && bytes.length === json.length;
  return printable(kept) + (isWhole ? "" : "…");
}

/** The content of a string, or as much of it as these first bytes hold. */
function stringOf(bytes: Uint8Array): string {
  const end = wholeCharacters(bytes);
  return JSON.parse(`"${decoder.decode(bytes.subarray(1, end))}"`);
}

/** The index of the string's closing quote, or of the end of the last whole character. */
function wholeCharacters(bytes: Uint8Array): number {
  let at = 1;
  while (at < bytes.length && bytes[at] !== QUOTE) {
    const next = at + lengthAt(bytes, at);
    if (next > bytes.length) break;
    at = next;
  }
  return at;
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const c = bytes[at]!;
  if (c === BACKSLASH) return bytes[at + 1] === 0x75 ? 6 : 2;
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

function firstOf(text: string, characters: number): string {
  let at = 0;
  for (let n = 0; n < characters && at < text.length; n++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return text.slice(0, at);
}

function printable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
