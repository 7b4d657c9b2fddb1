/** Which connections are kept between requests. */
import type { WireOptions } from "../ports/wire.ts";

/**
 * Whether a server's connections are kept, as `connection_reuse` says. `auto` stops keeping those of a server that has
 * once closed a kept one unannounced, since such a break looks the same as a delivered request.
 */
export class Connections {
  readonly #reuse: WireOptions["reuse"];
  readonly #onUnkept: (origin: string) => void;
  readonly #closers = new Set<string>();
  /** Origins by URL: there are as many as servers, and each request asks. */
  readonly #origins = new Map<string, string>();

  /** All are kept, unless `reuse` is `never`. */
  constructor({ reuse, onUnkept = () => {} }: Pick<WireOptions, "reuse" | "onUnkept">) {
    this.#reuse = reuse;
    this.#onUnkept = onUnkept;
  }

  /** Whether a request to this URL may use a kept connection and keep it. */
  areKept(url: string): boolean {
    return this.#reuse !== "never" && !this.#closers.has(this.#originOf(url));
  }

  /** A kept connection was closed instead of answering. */
  broke(url: string): void {
    const origin = this.#originOf(url);
    // Requests in flight together find out together.
    if (this.#reuse !== "auto" || this.#closers.has(origin)) return;
    this.#closers.add(origin);
    this.#onUnkept(origin);
  }

  #originOf(url: string): string {
    let origin = this.#origins.get(url);
    if (origin === undefined) this.#origins.set(url, origin = new URL(url).origin);
    return origin;
  }
}
