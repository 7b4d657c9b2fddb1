/** The file system of the machine. */
import type { AppendFile, Files, ReadFile } from "../ports/files.ts";

/** {@link Files} over Deno. Needs exactly the permissions of the paths it is used with. */
export const denoFiles: Files = {
  append(path: string): AppendFile {
    refuseLink(path);
    const file = Deno.openSync(path, { append: true, create: true });
    try {
      refuseLink(path);
    } catch (error) {
      file.close();
      throw error;
    }
    return {
      size: () => file.statSync().size,
      isInPlace() {
        try {
          const there = statOf(path), { dev, ino } = file.statSync();
          return there?.ino === ino && there.dev === dev;
        } catch {
          return true; // a failed lookup does not mean that it is gone
        }
      },
      write: (bytes) => file.writeSync(bytes),
      truncate: (size) => file.truncateSync(size),
      sync: () => file.syncData(),
      close: () => file.close(),
    };
  },
  read(path: string): ReadFile {
    return readFileOf(Deno.openSync(path, { read: true }));
  },
  size: (path: string) => statOf(path)?.size,
  rename: (from, to) => Deno.renameSync(from, to),
  copyMode(from, to) {
    const { mode } = Deno.statSync(from);
    if (mode !== null) Deno.chmodSync(to, mode & 0o7777);
  },
  remove(path: string): void {
    try {
      Deno.removeSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  },
};

/** An open file that is read at given offsets. */
export function readFileOf(file: Deno.FsFile): ReadFile {
  return {
    size: () => file.statSync().size,
    readAt(into, offset) {
      file.seekSync(offset, Deno.SeekMode.Start);
      let filled = 0;
      while (filled < into.length) {
        const n = file.readSync(into.subarray(filled));
        if (n === null) break;
        filled += n;
      }
      return filled;
    },
    close: () => file.close(),
  };
}

/**
 * Refuses to write where a link leads: whoever put it there, or moved a folder away and put one in its place, would
 * decide what is written to. The permissions are no help, as they compare paths as they are spelled.
 */
function refuseLink(path: string): void {
  let real: string;
  try {
    real = Deno.realPathSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    if (!isLink(path)) return;
    real = "nowhere";
  }
  if (real !== path) throw new Error(`${path} leads through a link to ${real}, which is not written to`);
}

/** Whether there is a link of that name, whatever it leads to. */
export function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
