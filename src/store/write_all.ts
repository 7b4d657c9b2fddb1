/** Writing that takes as many writes as it needs. */
import type { AppendFile } from "../ports/files.ts";

/** Appends all of it. @throws the system's error, when a part may be in the file already */
export function writeAll(file: Pick<AppendFile, "write">, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    const written = file.write(bytes.subarray(at));
    if (written === 0) throw new Error("it takes no more bytes"); // or this would loop for ever
    at += written;
  }
}
