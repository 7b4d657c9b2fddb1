/** Files that are made in one go, to be renamed in by whoever asked for them. */
import { gathering } from "../kit/gathering.ts";
import type { Files } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/**
 * Makes a file and syncs it; whatever was there goes. When anything fails nothing of it stays.
 *
 * @param fill writes it, in texts
 * @throws the system's error, or what `fill` throws
 */
export async function makeFile(
  files: Files,
  path: string,
  fill: (write: (text: string) => void) => Promise<void>,
): Promise<void> {
  files.remove(path);
  try {
    const file = files.append(path), encoder = new TextEncoder();
    try {
      const { sink, flush } = gathering((bytes) => writeAll(file, bytes));
      await fill((text) => sink(encoder.encode(text)));
      flush();
      await file.sync();
    } finally {
      file.close();
    }
  } catch (error) {
    try {
      files.remove(path);
    } catch {
      // The first error is the one to report; the next attempt begins by removing the file.
    }
    throw error;
  }
}
