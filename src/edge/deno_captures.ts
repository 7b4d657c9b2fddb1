/** The capture folder on the machine's disk. */
import { dirname } from "node:path";
import type { CaptureFiles, Kind } from "../ports/captures.ts";
import { readFileOf } from "./deno_files.ts";

/** {@link CaptureFiles} over Deno. Needs permission to read the folder. */
export const denoCaptures: CaptureFiles = {
  kindAt: (path) => kindOf(lstat(path)),
  namesIn(folder) {
    try {
      return [...Deno.readDirSync(folder)]
        .filter(({ isFile, isSymlink }) => isFile || isSymlink)
        .map(({ name }) => name);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  },
  async open(path) {
    // The permission compares paths as they are spelled, so it does not stop a link that leads out of the folder.
    const before = lstat(path), folder = dirname(path);
    if (!before) throw new Error("it is gone");
    if (before.isSymlink) throw new Error("it is a link, which is not followed");
    if (!before.isFile) throw new Error("it is not an ordinary file");
    if (Deno.realPathSync(folder) !== folder) throw new Error("its folder is a link, which is not followed");
    const file = await Deno.open(path, { read: true });
    try {
      const { dev, ino } = file.statSync();
      if (dev !== before.dev || ino !== before.ino) throw new Error("it was replaced while it was opened");
      await file.lock(false);
    } catch (error) {
      file.close();
      throw error;
    }
    return readFileOf(file);
  },
};

function lstat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function kindOf(info: Deno.FileInfo | undefined): Kind | undefined {
  return info && (info.isSymlink ? "link" : info.isFile ? "file" : "other");
}
