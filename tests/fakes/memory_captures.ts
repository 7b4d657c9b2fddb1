/** A folder of captures in memory. */
import { basename } from "node:path";
import type { CaptureFiles, Kind } from "../../src/ports/captures.ts";
import type { ReadFile } from "../../src/ports/files.ts";

/** {@link CaptureFiles} over a map of names to contents. */
export class MemoryCaptures implements CaptureFiles {
  readonly files = new Map<string, Uint8Array>();
  /** Names of what is not an ordinary file. */
  readonly odd = new Map<string, Kind>();
  /** What has been opened and not closed. */
  isOpen = 0;
  /** Opening waits for it. */
  lock: Promise<void> = Promise.resolve();

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(files)) this.put(name, text);
  }

  put(name: string, text: string): void {
    this.files.set(name, new TextEncoder().encode(text));
  }

  kindAt(path: string): Kind | undefined {
    return this.odd.get(basename(path)) ?? (this.files.has(basename(path)) ? "file" : undefined);
  }

  namesIn(): string[] {
    return [...this.files.keys(), ...this.odd.keys()];
  }

  async open(path: string): Promise<ReadFile> {
    const odd = this.odd.get(basename(path)), bytes = this.files.get(basename(path));
    if (odd) throw new Error(`it is a ${odd}`);
    if (!bytes) throw new Deno.errors.NotFound(`No such file or directory (os error 2): open '${path}'`);
    await this.lock;
    this.isOpen++;
    return {
      size: () => bytes.length,
      readAt(into, offset) {
        const part = bytes.subarray(offset, offset + into.length);
        into.set(part);
        return part.length;
      },
      close: () => this.isOpen--,
    };
  }
}
