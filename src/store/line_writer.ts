/**
 * The only way lines get into a file: whole or not at all. Lines are batched, so that a line costs about a
 * microsecond; a write that fails half-way is undone by truncating; the file is synced at least every second, and
 * as often checked to still be the one at its path.
 */
import { WriteFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { Clock } from "../ports/clock.ts";
import type { AppendFile } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/** A batch of this many bytes is written at once. */
const BATCH = 1 << 18;
const SYNC_EVERY_MS = 1000;
const NEWLINE = 0x0a;

/** Appends lines to one file. There is one writer per file and run. */
export class LineWriter {
  readonly #file: AppendFile;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #defer: (call: () => void) => void;
  /** The length of the file up to the last complete write. */
  #size: number;
  #batch: Uint8Array = new Uint8Array(BATCH);
  #filled = 0;
  /** Called in order once the current batch is written. */
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
   * Appends one line, given in pieces without its line break. `done` is called once the line is in the file
   * (from then on it survives a kill; a power cut, once it is synced), or with the reason why it never will be.
   */
  append(pieces: readonly Uint8Array[], done: (fault?: WriteFault) => void): void {
    let length = 1;
    for (const piece of pieces) length += piece.length;
    if (this.#fault || this.#filled + length > this.#batch.length) this.flush();
    if (this.#fault) return done(this.#fault);
    this.#waiting.push(done);
    if (length > this.#batch.length) {
      // Longer than a whole batch: written directly. The batch before it is in the file already.
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

  /** Writes the batch. */
  flush(): void {
    this.#flushDue = false;
    if (this.#filled === 0) return;
    const bytes = this.#batch.subarray(0, this.#filled);
    this.#filled = 0;
    this.#put(() => this.#write(bytes));
  }

  /** Resolves once everything appended is on disk. @throws {WriteFault} */
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

  /** Runs a write; afterwards all of it is in the file, or none. */
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

  /** Syncs what is not yet synced, after any sync under way, so that waiting for the last waits for all. */
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

  /** A file that was removed, replaced or truncated while open still accepts every line, and loses some. */
  #checkPlace(): void {
    const isThere = this.#file.isInPlace();
    if (isThere && this.#file.size() >= this.#size) return;
    this.#fault ??= new WriteFault(
      `${this.#path} was ${isThere ? "truncated" : "removed or replaced"} while the run was writing to it: ` +
        `${isThere ? "some of what was written" : "what was written since then"} is lost. ` +
        `Restore the file if you can; --resume runs what is missing again.`,
    );
  }

  #fail(cause: unknown, verb: string): void {
    this.#fault ??= new WriteFault(
      `Cannot ${verb} ${this.#path}: ${
        systemReason(cause)
      }. What was written before is intact; free space or fix the cause, ` +
        `then continue with --resume.`,
      { cause },
    );
  }
}
