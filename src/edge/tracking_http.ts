/** {@link Tracking} over native fetch. */
import { reasonOf } from "./fetch_client.ts";
import type { Tracking, TrackingAnswer } from "../ports/tracking.ts";

/** How long a server may be silent, in milliseconds: while it answers, and while it takes a file. */
const SILENCE = 60_000;
/** Of a response, no more is read. */
const LARGEST = 1 << 20;

/** A tracking server at this address, which gets the token with each request. */
export function trackingHttp(uri: string, token: string | null): Tracking {
  const headers = (type: string) => ({
    "content-type": type,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  });
  return {
    call: (method, path, body) =>
      exchange(uri + path, (signal) => ({
        method,
        headers: headers("application/json"),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      })),
    put: (path, body) =>
      exchange(uri + path, (signal, alive) => ({
        method: "PUT",
        headers: headers("application/octet-stream"),
        body: ReadableStream.from(told(body, alive)),
        signal,
      })),
  };
}

/** Sends it, and gives up when nothing moves for a while. */
async function exchange(
  url: string,
  request: (signal: AbortSignal, alive: () => void) => RequestInit,
): Promise<TrackingAnswer> {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(new Error(`no answer within ${SILENCE / 1000} s`)), SILENCE);
  };
  alive();
  try {
    // A redirect could lead the token elsewhere, and the sandbox would not let it.
    const response = await fetch(url, { ...request(silent.signal, alive), redirect: "manual" });
    return { status: response.status, text: await textOf(response) };
  } catch (error) {
    throw new Error(silent.signal.aborted ? (silent.signal.reason as Error).message : reasonOf(error), {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function* told<T>(pieces: AsyncIterable<T>, alive: () => void): AsyncIterable<T> {
  for await (const piece of pieces) {
    alive();
    yield piece;
  }
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: string[] = [], decoder = new TextDecoder();
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > LARGEST) break;
    pieces.push(decoder.decode(piece, { stream: true }));
  }
  return pieces.join("");
}
