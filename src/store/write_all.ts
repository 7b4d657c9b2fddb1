/** Writes everything, however many calls it takes. */
import type { AppendFile } from "../ports/files.ts";

/** Appends all bytes. @throws the system's error; part of them may be in the file by then */
export function writeAll(file: Pick<AppendFile, "write">, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    const written = file.write(bytes.subarray(at));
    if (written === 0) throw new Error("it accepts no more bytes"); // or this would loop forever
    at += written;
  }
}
