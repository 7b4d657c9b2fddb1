/**
 * The one way lines get into a file: whole or not at all. Lines are gathered and written together, so that a
 * line costs about a microsecond; a write that fails half-way is cut off again; what was written is synced at
 * least every second, and as often checked to be the file that others still see.
 */
import { WriteFault } from "../kit/fault.ts";
import type { Clock } from "../ports/clock.ts";
import type { AppendFile } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/** A batch is written when it has grown to this many bytes, whatever else is going on. */
const BATCH = 1 << 18;
const SYNC_EVERY_MS = 1000;
const NEWLINE = 0x0a;

/** Appends lines to one file. One per file and run. */
export class LineWriter {
  readonly #file: AppendFile;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #defer: (call: () => void) => void;
  /** How long the file is with everything that was written whole. */
  #size: number;
  #batch: Uint8Array = new Uint8Array(BATCH);
  #filled = 0;
  /** Called in order once the lines gathered so far are written. */
  #waiting: ((fault?: WriteFault) => void)[] = [];
  #flushDue = false;
  #fault: WriteFault | undefined;
  #dirty = false;
  #cancelSync: (() => void) | undefined;
  #syncing: Promise<void> = Promise.resolve();

  /**
   * @param file opened for appending, ending in a line break or empty
   * @param path for messages
   * @param defer runs a call once the events at hand are dealt with, so that lines arriving together are
   * written together
   */
  constructor(
    file: AppendFile,
    path: string,
    clock: Clock,
    defer: (call: () => void) => void = queueMicrotask,
  ) {
    this.#file = file;
    this.#size = file.size();
    this.#path = path;
    this.#clock = clock;
    this.#defer = defer;
  }

  /**
   * Appends one line, given in pieces without its line break. `done` is called once the line is in the file (it
   * outlives the process from then on; a power cut, once it is synced), or with the reason why it never will be.
   */
  append(pieces: readonly Uint8Array[], done: (fault?: WriteFault) => void): void {
    let length = 1;
    for (const piece of pieces) length += piece.length;
    if (this.#fault || this.#filled + length > this.#batch.length) this.flush();
    if (this.#fault) return done(this.#fault);
    this.#waiting.push(done);
    if (length > this.#batch.length) {
      // Longer than a whole batch: written as it is. What was gathered before is in the file already.
      this.#put(() => {
        for (const piece of pieces) this.#write(piece);
        this.#write(new Uint8Array([NEWLINE]));
      });
      return;
    }
    for (const piece of pieces) {
      this.#batch.set(piece, this.#filled);
      this.#filled += piece.length;
    }
    this.#batch[this.#filled++] = NEWLINE;
    if (this.#flushDue) return;
    this.#flushDue = true;
    this.#defer(() => this.flush());
  }

  /** Writes what was gathered. */
  flush(): void {
    this.#flushDue = false;
    if (this.#filled === 0) return;
    const bytes = this.#batch.subarray(0, this.#filled);
    this.#filled = 0;
    this.#put(() => this.#write(bytes));
  }

  /** Everything appended is on the disk. @throws {WriteFault} */
  async sync(): Promise<void> {
    this.flush();
    this.#cancelSync?.();
    this.#cancelSync = undefined;
    await this.#syncNow();
    if (this.#fault) throw this.#fault;
  }

  /** Writes, syncs and closes. @throws {WriteFault} when the last lines could not be written or synced. */
  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      this.#file.close();
    }
  }

  /** Runs a write; afterwards either all of it is in the file, or none of it. */
  #put(write: () => void): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const before = this.#size;
    try {
      if (!this.#fault) write();
    } catch (cause) {
      this.#fail(cause, "write to");
      try {
        this.#file.truncate(this.#size = before);
      } catch {
        // The torn line stays; a resume cuts it off.
      }
    }
    if (!this.#fault) this.#touched();
    for (const done of waiting) done(this.#fault);
  }

  #write(bytes: Uint8Array): void {
    writeAll(this.#file, bytes);
    this.#size += bytes.length;
  }

  #touched(): void {
    this.#dirty = true;
    this.#cancelSync ??= this.#clock.after(SYNC_EVERY_MS, () => {
      this.#cancelSync = undefined;
      this.#syncNow();
    });
  }

  /** Syncs what is not, after a sync that is still under way, so that who waits for the last waits for all. */
  #syncNow(): Promise<void> {
    return this.#syncing = this.#syncing.then(async () => {
      try {
        if (this.#dirty) {
          this.#dirty = false;
          await this.#file.sync();
        }
        this.#checkPlace();
      } catch (cause) {
        this.#fail(cause, "sync");
      }
    });
  }

  /** A file that was removed, replaced or cut while it was open takes every line, and some cannot be found again. */
  #checkPlace(): void {
    const isThere = this.#file.isInPlace();
    if (isThere && this.#file.size() >= this.#size) return;
    this.#fault ??= new WriteFault(
      `${this.#path} was ${isThere ? "cut short" : "removed or replaced"} while the run was writing to it: ` +
        `${isThere ? "some of what was written" : "what was written since then"} is lost. ` +
        `Put the file back if you can; --resume runs again what is missing.`,
    );
  }

  #fail(cause: unknown, verb: string): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#fault ??= new WriteFault(
      `Cannot ${verb} ${this.#path}: ${reason}. What was written before is whole; free space or fix the cause, ` +
        `then continue with --resume.`,
      { cause },
    );
  }
}
