/** A text stream that never blocks its writer: what is pushed is written in order, as the stream accepts it. */

/** Milliseconds until a stream that would block (another process has made it so) is tried again. */
const AGAIN_MS = 20;

/** Settings of a {@link TextPump}. */
export interface PumpOptions {
  /** Maximum characters queued; beyond that the oldest texts are dropped, never the last one. Default: no limit. */
  readonly limit?: number;
  /** What is written instead of dropped lines. */
  readonly dropped?: (lines: number) => string;
}

/**
 * Writes on Deno's blocking pool, so that a terminal that is paused or that nobody reads holds up neither signals nor
 * timers. Nothing that a stream does (a reader or a terminal that has gone away, a full disk) is thrown.
 */
export class TextPump {
  readonly #write: (bytes: Uint8Array) => Promise<number>;
  readonly #limit: number;
  readonly #dropped: (lines: number) => string;
  #waiting: string[] = [];
  #size = 0;
  #lines = 0;
  #pumping: Promise<void> | undefined;
  /** What the stream said when it did not take a text; nothing of a reader that has gone away. */
  fault: unknown;

  /** A pump over a stream's `write`, which may take a part only. */
  constructor(
    write: (bytes: Uint8Array) => Promise<number>,
    { limit = Infinity, dropped = () => "" }: PumpOptions = {},
  ) {
    this.#write = write;
    this.#limit = limit;
    this.#dropped = dropped;
  }

  /** Whether there is text that the stream has not taken yet. */
  get busy(): boolean {
    return this.#pumping !== undefined;
  }

  /** Queues text. */
  push(text: string): void {
    this.#waiting.push(text);
    this.#size += text.length;
    while (this.#size > this.#limit && this.#waiting.length > 1) {
      const gone = this.#waiting.shift()!;
      this.#size -= gone.length;
      this.#lines += gone.split("\n").length - 1;
    }
    this.#pumping ??= this.#pump();
  }

  /** Resolves once everything is written or has failed; never, while a stream takes nothing. */
  async flush(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    await undefined; // what is pushed in one go is written in one go
    while (this.#waiting.length > 0) {
      const before = this.#lines > 0 ? this.#dropped(this.#lines) : "";
      const bytes = new TextEncoder().encode(before + this.#waiting.join(""));
      this.#waiting = [];
      this.#size = this.#lines = 0;
      await this.#put(bytes);
    }
    this.#pumping = undefined;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      try {
        at += await this.#write(bytes.subarray(at));
      } catch (error) {
        if (!(error instanceof Deno.errors.WouldBlock)) {
          if (!(error instanceof Deno.errors.BrokenPipe)) this.fault ??= error;
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }
}
