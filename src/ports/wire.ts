/**
 * One request, and what became of it. The answer tells apart what a collector must treat differently: whether a
 * server can have run the rollout or not. `wire/http_wire.ts` is the real one, over a client of `ports/http.ts`.
 */
import type { Body, Headers, Unanswered } from "./http.ts";

export type { Body };

/** One POST of JSON. */
export interface WireRequest {
  /** Where to, absolute. */
  readonly url: string;
  /** What. */
  readonly body: Body;
  /** Further headers. They never go to another origin than that of `url`. */
  readonly headers?: Headers;
  /** Gives up at once when it fires; the outcome is then `aborted`. */
  readonly signal: AbortSignal;
  /**
   * Told true when an answer that has begun must wait for others (`max_buffered_bytes`), and false when it goes on:
   * that time is not the server's.
   */
  readonly onWait?: (isWaiting: boolean) => void;
}

/** What became of a request. */
export type WireAnswer =
  /**
   * A status came. When the body did not arrive whole, `broken` says why; `body` may then lack what had arrived of it.
   */
  | {
    readonly kind: "answered";
    readonly status: number;
    readonly body: Uint8Array<ArrayBuffer>;
    readonly broken?: string;
    /** The Retry-After header as it came. */
    readonly retryAfter?: string;
    /** Where a redirect that was not followed points. */
    readonly location?: string;
  }
  | Unanswered;

/** Sends requests. Never repeats one that may have been delivered, never judges an answer, never throws. */
export interface Wire {
  /** One exchange. Redirects are followed only when they are 307 or 308 and stay on the same origin. */
  post(request: WireRequest): Promise<WireAnswer>;
}

/** The limits within which a wire works. */
export interface WireOptions {
  /** Whether connections are kept between requests. */
  readonly reuse: "auto" | "never" | "always";
  /** Longest silence inside an answer that has begun, in milliseconds, or none. */
  readonly idleTimeoutMs: number | null;
  /** Largest body that is taken, unpacked, in bytes, or none. */
  readonly maxBytes: number | null;
  /**
   * Bytes of answers that are being read, at most; no limit when absent. The first 64 KB of each answer and one answer
   * beyond it are always read. Who is told of an answer must take care of it at once: its bytes count no longer.
   */
  readonly maxBufferedBytes?: number;
  /** Told once a server, when it is seen to close kept connections unannounced. */
  readonly onUnkept?: (origin: string) => void;
}
