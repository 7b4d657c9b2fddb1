/** Texts that come from servers and files, made fit for a terminal; widths are columns (`columns.ts`), not characters. */
import { stripVTControlCharacters } from "node:util";
import { width } from "./columns.ts";

/**
 * A foreign text with nothing in it that moves the cursor, colours, or turns the writing direction; each run of
 * line breaks and other controls becomes one space.
 */
export function oneLine(text: string): string {
  return foreign(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** The same, line by line: line breaks are kept, trailing ones dropped. */
export function manyLines(text: string): string[] {
  return foreign(text).trimEnd().split(/\r?\n/).map((line) =>
    line.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trimEnd()
  );
}

/** The same as one text. */
export function cleaned(text: string): string {
  return manyLines(text).join("\n");
}

/** The same as one text whose further lines are indented by at least two columns: they belong to the first. */
export function indented(text: string): string {
  return manyLines(text).map((line, k) => k === 0 || /^( {2}|$)/.test(line) ? line : `  ${line}`).join("\n");
}

/** What is not seen but turns, joins or hides what is; between emoji the joiner makes one of several. */
const UNSEEN = /(?!\u200d)\p{Cf}|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d/gu;

// A server's words reach the terminal; without this a message could repaint it or hide its own end.
function foreign(text: string): string {
  // Most are ASCII, and the patterns below take their time to be made.
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return text;
  return stripVTControlCharacters(text.toWellFormed()).replace(UNSEEN, "");
}

/** JSON that says the same, with nothing in it that a terminal obeys or that is not seen there. */
export function printableJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer).replace(
    /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) =>
      character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

let graphemes: Intl.Segmenter | undefined;

/** The text, or as much of its beginning as fits with a `…` behind it. Meant for texts without colours. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (!(columns >= 1)) return "";
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let kept = "", room = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    room -= width(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Filled with spaces to so many columns, on the right (`"start"`: the text stands at the start) or on the left. */
export function pad(text: string, columns: number, side: "start" | "end" = "start"): string {
  const space = " ".repeat(Math.max(0, columns - width(text)));
  return side === "start" ? text + space : space + text;
}

/** Broken at spaces into lines of at most so many columns; a longer word (a path) stays whole on its own line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
