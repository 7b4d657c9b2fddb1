/**
 * One HTTP exchange over one connection, without any policy: no redirects, no limits, no retries. `edge/fetch_client.ts`
 * implements it with fetch; `wire/` turns any implementation into a {@link Wire}.
 */

/** What is sent: bytes, or bytes generated as they are sent (then without a Content-Length). */
export type Body = Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Names and values of headers; names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** A request. */
export interface HttpRequest {
  /** The method. */
  readonly method: "GET" | "POST";
  /** Where to, absolute. */
  readonly url: string;
  /** All that are sent, besides those that HTTP itself needs. */
  readonly headers: Headers;
  /** None for a GET. */
  readonly body?: Body;
  /** Whether a kept connection may be used, and this one be kept afterwards. */
  readonly isKept: boolean;
  /**
   * Called when it has a connection: at once where one was kept. Who cannot see connections may be late, but no later than
   * the head of the response, and calls it also when there is no connection after all.
   */
  readonly onConnected?: () => void;
  /** Cancels it, even while its response is being read. */
  readonly signal: AbortSignal;
}

/** The body of a response, read on demand as it arrives. */
export interface BodyReader {
  /**
   * Reads what has arrived, or waits for some of it.
   *
   * @param buffer is handed over: what is returned holds its bytes, and may be another object
   * @param from where in the buffer to put what is read; there is room for a byte or more
   * @returns the buffer, and how many bytes were read; 0 at the end of a complete body
   * @throws {Error} whose message says why the rest does not come, and after `cancel`
   */
  read(buffer: ArrayBuffer, from: number): Promise<{ readonly buffer: ArrayBuffer; readonly count: number }>;
  /** Discards the rest: the connection is closed, and a pending read ends. Never throws. */
  cancel(): void;
}

/** No response came. */
export type Unanswered =
  /** No byte of the request reached a server: connection refused, name unknown, certificate not trusted. */
  | { readonly kind: "not_sent"; readonly reason: string; readonly hopeless?: boolean }
  /** It was sent, or may have been. */
  | { readonly kind: "possibly_delivered"; readonly reason: string }
  /** The signal fired. The server may have seen it. */
  | { readonly kind: "aborted" };

/** What became of a request: the head of a response, or why there is none. */
export type HttpAnswer =
  | {
    readonly kind: "answered";
    readonly status: number;
    /** The value of a header; its name in lower case. */
    header(name: string): string | undefined;
    readonly body: BodyReader;
  }
  | Unanswered;

/** Sends requests, each once. Never throws. */
export interface HttpClient extends Disposable {
  /** Resolves once the head of the response has arrived. The caller reads its body to the end, or cancels it. */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/** How a client reaches servers. */
export interface HttpClientOptions {
  /** Proxy URL, or none. */
  readonly proxy: string | null;
  /** Additional certificate authorities, in PEM. */
  readonly authorities: readonly string[];
}
