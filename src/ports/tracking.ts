/** What an exporter asks of a tracking server. `edge/tracking_http.ts` implements it with fetch. */

/** The response of a server, read whole: the bodies are small. */
export interface TrackingAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The body. */
  readonly text: string;
}

/** A tracking server. Both calls throw an {@link Error} whose message says why there was no response. */
export interface Tracking {
  /** Sends JSON, or asks for some. `path` begins with a slash. */
  call(method: "GET" | "POST", path: string, body?: unknown): Promise<TrackingAnswer>;
  /** Sends a file as it is generated. */
  put(path: string, body: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<TrackingAnswer>;
}
