/**
 * A folder that other programs write into while a run goes on: the captures of the model servers. `edge/deno_captures.ts`
 * implements it. Paths are absolute; errors are those of the system.
 */
import type { ReadFile } from "./files.ts";

/** What there is at a path. `other` is a folder, a pipe, a device. */
export type Kind = "file" | "link" | "other";

/** The folder's files, as the collector sees them. */
export interface CaptureFiles {
  /** What there is at a path, without following a link; `undefined` when there is nothing. */
  kindAt(path: string): Kind | undefined;
  /** The names of all files and links in a folder, in no order; none when there is no such folder. */
  namesIn(folder: string): string[];
  /**
   * Opens an ordinary file for reading, under a shared lock that its writers respect: resolves once none of them holds
   * theirs. Closing the file gives up the lock.
   *
   * @throws {Error} when the path leads through a link, or to anything but an ordinary file: it is not opened then
   */
  open(path: string): Promise<ReadFile>;
}
