/**
 * The end of a file that was being appended to when its process died: a torn last line is dropped, a complete one
 * without a line break gets one. Afterwards the file ends in a line break, so that appending starts on a new line.
 */
import { readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { isBlank } from "../kit/lines.ts";
import type { Files, ReadFile } from "../ports/files.ts";
import { writeAll } from "../store/write_all.ts";

const CHUNK = 1 << 16, NEWLINE = 0x0a;

/** What was done to a file's end. */
export type Repair =
  /** It ended in a line break, was empty, or does not exist. */
  | { readonly kind: "none" }
  /** Its last line was complete and got its line break. */
  | { readonly kind: "ended" }
  /** Its last line was torn and was dropped. */
  | { readonly kind: "dropped"; readonly bytes: number };

/** Whether a last line without a line break is a complete row. The beginning of a row never is: its brace does not close. */
function isWholeRow(line: Uint8Array): boolean {
  try {
    readObject(line);
    return true;
  } catch (fault) {
    if (fault instanceof JsonFault) return false;
    throw fault;
  }
}

/** Repairs the end of a file, and syncs it when something was done. @throws the system's error */
export async function repairTail(files: Files, path: string): Promise<Repair> {
  if (!files.size(path)) return { kind: "none" };
  const reader = files.read(path);
  let start: number, line: Uint8Array;
  try {
    start = startOfLastLine(reader);
    line = new Uint8Array(reader.size() - start);
    reader.readAt(line, start);
  } finally {
    reader.close();
  }
  if (line.length === 0) return { kind: "none" };
  const file = files.append(path);
  try {
    const whole = isWholeRow(line);
    if (whole) writeAll(file, new Uint8Array([NEWLINE]));
    else file.truncate(start);
    await file.sync();
    if (whole) return { kind: "ended" };
    return isBlank(line) ? { kind: "none" } : { kind: "dropped", bytes: line.length };
  } finally {
    file.close();
  }
}

/** Where the part after the last line break begins. */
function startOfLastLine(file: ReadFile): number {
  const chunk = new Uint8Array(CHUNK);
  for (let end = file.size(); end > 0;) {
    const from = Math.max(0, end - CHUNK);
    const bytes = chunk.subarray(0, end - from);
    file.readAt(bytes, from);
    const at = bytes.lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}
