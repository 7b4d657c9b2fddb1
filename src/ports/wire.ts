/**
 * One request, and what became of it. The outcome distinguishes what a collector must treat differently:
 * whether a server may have run the rollout or not. `wire/http_wire.ts` implements it over a client of `ports/http.ts`.
 */
import type { Body, Headers, Unanswered } from "./http.ts";

export type { Body };

/** One POST of JSON. */
export interface WireRequest {
  /** Where to, absolute. */
  readonly url: string;
  /** The body. */
  readonly body: Body;
  /** Additional headers. They are never sent to an origin other than that of `url`. */
  readonly headers?: Headers;
  /** Cancels the request when it fires; the outcome is then `aborted`. */
  readonly signal: AbortSignal;
  /** Called when the request has a connection: at once where one was kept, and again for each redirect. */
  readonly onConnected?: () => void;
  /**
   * Called with true when a response must wait for others (`max_buffered_bytes`), and with false when it continues: that
   * time does not count against the server.
   */
  readonly onWait?: (isWaiting: boolean) => void;
}

/** What became of a request. */
export type WireAnswer =
  /**
   * A status came. If the body is incomplete, `broken` says why; `body` may then lack some of what arrived.
   */
  | {
    readonly kind: "answered";
    readonly status: number;
    readonly body: Uint8Array<ArrayBuffer>;
    readonly broken?: string;
    /** The Retry-After header as it came. */
    readonly retryAfter?: string;
    /** The target of a redirect that was not followed. */
    readonly location?: string;
  }
  | Unanswered;

/** Sends requests. Never repeats one that may have been delivered, never judges a response, never throws. */
export interface Wire {
  /** One exchange. Redirects are followed only when they are 307 or 308 and stay on the same origin. */
  post(request: WireRequest): Promise<WireAnswer>;
}

/** The limits within which a wire works. */
export interface WireOptions {
  /** Whether connections are kept between requests. */
  readonly reuse: "auto" | "never" | "always";
  /** Longest silence within a response, in milliseconds, or none. */
  readonly idleTimeoutMs: number | null;
  /** Maximum size of a body, decompressed, in bytes, or none. */
  readonly maxBytes: number | null;
  /**
   * Maximum bytes of responses being read; no limit when absent. The first 64 KB of each response, and one response
   * beyond that, are always read. A finished response's bytes no longer count, so it must be handled at once.
   */
  readonly maxBufferedBytes?: number;
  /** Called once per server, when it closes kept connections unannounced. */
  readonly onUnkept?: (origin: string) => void;
}
