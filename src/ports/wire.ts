/**
 * One HTTP exchange, and what became of the request. The answer tells apart what a collector must treat
 * differently: whether a server can have run the rollout or not.
 */

/** What is sent: bytes, or bytes made as they are needed (then without a length in front). */
export type Body = Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array<ArrayBuffer>>;

/** One POST of JSON. */
export interface WireRequest {
  /** Where to, absolute. */
  readonly url: string;
  /** What. */
  readonly body: Body;
  /** Gives up at once when it fires; the outcome is then `aborted`. */
  readonly signal: AbortSignal;
}

/** What became of a request. */
export type WireAnswer =
  /** A status came. `body` is what arrived of the body; when it did not arrive whole, `broken` says why. */
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
  /** No byte of it reached a server: connection refused, name unknown, certificate not trusted. */
  | { readonly kind: "not_sent"; readonly reason: string; readonly hopeless?: boolean }
  /** It was sent, or may have been, and no answer came. */
  | { readonly kind: "possibly_delivered"; readonly reason: string }
  /** The signal fired. The server may have seen it. */
  | { readonly kind: "aborted" };

/** Sends requests. Never repeats one that may have been delivered, never judges an answer, never throws. */
export interface Wire {
  /** One exchange. Redirects are followed only when they are 307 or 308 and stay on the same origin. */
  post(request: WireRequest): Promise<WireAnswer>;
}

/** How the connections of a wire are made. */
export interface WireOptions {
  /** Whether connections are kept between requests. */
  readonly reuse: "auto" | "never" | "always";
  /** Proxy URL, or none. */
  readonly proxy: string | null;
  /** Further certificate authorities, PEM texts. */
  readonly authorities: readonly string[];
  /** Longest silence inside an answer that has begun, in milliseconds, or none. */
  readonly idleTimeoutMs: number | null;
  /** Largest body that is taken, in bytes, or none. */
  readonly maxBytes: number | null;
  /**
   * Bytes of answers that are being read, at most; an answer larger than that is read alone. No limit when absent.
   * Who is told of an answer must take care of it at once: its bytes count no longer.
   */
  readonly maxBufferedBytes?: number;
  /** Told once a server, when it is seen to close kept connections unannounced. */
  readonly onUnkept?: (origin: string) => void;
}
