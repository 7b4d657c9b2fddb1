/** What a signal does to a command. */
import type { World } from "../ports/world.ts";

/** A signal came before anything was sent; the message is its name. */
export class Interrupted extends Error {
  /** Not that of Deno's error for a system call that was interrupted: `isSystemError` knows errors by their names. */
  override name = "Stopped";
}

/** Signals, from the first one since the process began: the first drains, the second aborts. */
export class Signals {
  readonly #close: () => void;
  readonly #interruption = Promise.withResolvers<never>();
  #first: string | undefined;
  #hear: ((level: "drain" | "abort", why: string) => void) | undefined;

  /** Listens from now on, and hears of what came before. */
  constructor(world: Pick<World, "onSignal">) {
    this.#interruption.promise.catch(() => {});
    this.#close = world.onSignal((name) => {
      const level = this.#first ? "abort" : "drain";
      this.#first ??= name;
      this.#hear?.(level, this.#first);
      this.#interruption.reject(new Interrupted(this.#first));
    });
  }

  /** Rejects once a signal comes. */
  get interruption(): Promise<never> {
    return this.#interruption.promise;
  }

  /** Does nothing until a signal comes. @throws {Interrupted} when one has */
  check(): void {
    if (this.#first) throw new Interrupted(this.#first);
  }

  /** Hands signals on; one that has come already, at once. */
  on(hear: (level: "drain" | "abort", why: string) => void): void {
    this.#hear = hear;
    if (this.#first) hear("drain", this.#first);
  }

  /**
   * For a command that sends nothing and so may end in the middle: stops listening.
   *
   * @throws {Interrupted} when a signal has come already
   */
  giveUp(): void {
    this.close();
    this.check();
  }

  /** Stops listening: signals do what they always do from then on. More calls do nothing. */
  close(): void {
    this.#close();
  }
}
