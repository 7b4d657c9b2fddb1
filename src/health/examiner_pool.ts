/** Workers that examine batches beside one another. They may touch nothing: lines come in, findings go out. */
import type { Sandboxed } from "../ports/sandbox.ts";
import type { Batch, Examiners } from "./batch.ts";
import type { Examined } from "./examine.ts";

/** To a Worker. */
export interface ToExaminer {
  readonly batch: Batch;
  /** Checks to skip. */
  readonly ignored: readonly string[];
}

/** From a Worker: that it listens, what is in the oldest batch that it was given, or that it died. */
export type FromExaminer =
  | { readonly kind: "ready" }
  | { readonly kind: "examined"; readonly lines: readonly Examined[] }
  | { readonly kind: "crashed"; readonly message: string };

/** Starts a Worker, which then says what it does to `hear`. */
export type StartExaminer = (hear: (message: FromExaminer) => void) => Sandboxed;

/** Batches are given to the Worker that has the fewest. */
export class ExaminerPool implements Examiners {
  readonly #workers: readonly Examiner[];

  /** @param count of Workers, 1 or more */
  constructor(start: StartExaminer, count: number, ignored: readonly string[]) {
    this.#workers = Array.from({ length: count }, () => new Examiner(start, ignored));
  }

  /** While a Worker examines one batch, the next one waits for it. */
  get width(): number {
    return 2 * this.#workers.length;
  }

  /** @throws {Error} when the Worker died */
  examine(batch: Batch): Promise<readonly Examined[]> {
    const [idlest] = this.#workers.toSorted((one, other) => one.waiting - other.waiting);
    return idlest!.examine(batch);
  }

  /** Ends all Workers. */
  close(): void {
    for (const worker of this.#workers) worker.close();
  }
}

class Examiner {
  readonly #worker: Sandboxed;
  readonly #ignored: readonly string[];
  readonly #ready = Promise.withResolvers<void>();
  readonly #waiting: PromiseWithResolvers<readonly Examined[]>[] = [];

  constructor(start: StartExaminer, ignored: readonly string[]) {
    this.#ignored = ignored;
    this.#worker = start((message) => this.#hear(message));
    this.#ready.promise.catch(() => {}); // whoever has a batch here is told
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async examine(batch: Batch): Promise<readonly Examined[]> {
    const result = Promise.withResolvers<readonly Examined[]>();
    this.#waiting.push(result);
    await this.#ready.promise;
    const message: ToExaminer = { batch, ignored: this.#ignored };
    this.#worker.send(message, [batch.bytes.buffer]);
    return await result.promise;
  }

  close(): void {
    this.#worker.terminate();
  }

  #hear(message: FromExaminer): void {
    switch (message.kind) {
      case "ready":
        return this.#ready.resolve();
      case "examined":
        return this.#waiting.shift()!.resolve(message.lines);
      case "crashed": {
        const error = new Error(`a Worker died: ${message.message}`);
        this.#ready.reject(error);
        for (const { promise, reject } of this.#waiting.splice(0)) {
          promise.catch(() => {});
          reject(error);
        }
      }
    }
  }
}
