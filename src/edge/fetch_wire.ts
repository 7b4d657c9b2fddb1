/** {@link Wire} over native fetch. */
import { join } from "../json/edit.ts";
import { RunFault } from "../kit/fault.ts";
import type { Wire, WireAnswer, WireOptions, WireRequest } from "../ports/wire.ts";
import { ByteRoom } from "../wire/byte_room.ts";

/** A kept connection is given up after so long without use: sooner than servers close theirs. */
const IDLE_MS = 1000;

const MOST_REDIRECTS = 5;

const HEADERS: [string, string][] = [["content-type", "application/json"]];

/**
 * A wire over fetch. Connections are kept between requests as `reuse` says; `auto` keeps them while they have been
 * idle for no longer than a second, and stops keeping them for a server that has once closed a kept one
 * unannounced, since such a break cannot be told from a request that was delivered.
 */
export function fetchWire(options: WireOptions): Wire & Disposable {
  const settings = {
    http2: false,
    caCerts: [...options.authorities],
  };
  // An object of its own for each client: the runtime writes into it.
  const proxy = () => options.proxy === null ? {} : { proxy: { url: options.proxy } };
  const keeping = httpClient({
    ...settings,
    ...proxy(),
    poolIdleTimeout: IDLE_MS,
    poolMaxIdlePerHost: 65536,
  });
  const fresh = httpClient({ ...settings, ...proxy(), poolMaxIdlePerHost: 0 });
  const closers = new Set<string>();
  const room = new ByteRoom(options.maxBufferedBytes ?? Infinity);

  /** Origins by URL: there are as many as servers, and each request asks. */
  const origins = new Map<string, string>();
  function originOf(url: string): string {
    let origin = origins.get(url);
    if (origin === undefined) origins.set(url, origin = new URL(url).origin);
    return origin;
  }

  function unkeep(origin: string): void {
    // Requests that were in flight together find out together.
    if (closers.has(origin)) return;
    closers.add(origin);
    options.onUnkept?.(origin);
  }

  async function once(url: string, { body, signal }: WireRequest): Promise<WireAnswer> {
    const kept = options.reuse !== "never" && !closers.has(originOf(url));
    let response: Response;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: HEADERS,
        body: body instanceof Uint8Array ? body : await withLength(body),
        redirect: "manual",
        client: kept ? keeping : fresh,
        signal,
      });
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      const fault = faultOf(error);
      if (fault.kind === "possibly_delivered" && kept && options.reuse === "auto") unkeep(originOf(url));
      return fault;
    }
    try {
      return await answered(response, options, room, signal);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      return { kind: "answered", status: response.status, body: new Uint8Array(), broken: plain(error) };
    }
  }

  async function following(answer: WireAnswer, request: WireRequest): Promise<WireAnswer> {
    let url = request.url;
    for (let hop = 0; hop < MOST_REDIRECTS; hop++) {
      const next = redirect(answer, url);
      if (next === undefined) return answer;
      url = next;
      answer = await once(url, request);
    }
    return answer;
  }

  async function post(request: WireRequest): Promise<WireAnswer> {
    const answer = await once(request.url, request);
    return isRedirect(answer) && request.body instanceof Uint8Array
      ? await following(answer, request)
      : answer;
  }

  return {
    post,
    [Symbol.dispose]() {
      keeping.close();
      fresh.close();
    },
  };
}

/** A body up to this size is sent with its length in front, which also the simplest servers read. */
const WITH_LENGTH = 1 << 22;

/** A body that is made as it is needed: as one piece when it is small, else as a stream. */
async function withLength(
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>> {
  const rest = body[Symbol.asyncIterator](), pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size <= WITH_LENGTH;) {
    const { value, done } = await rest.next();
    if (done) return join(pieces);
    pieces.push(value);
    size += value.length;
  }
  return ReadableStream.from((async function* () {
    yield* pieces;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  })());
}

/** @throws {RunFault} when the proxy's URL or a certificate cannot be used */
function httpClient(options: Deno.CreateHttpClientOptions): Deno.HttpClient {
  try {
    return Deno.createHttpClient(options);
  } catch (error) {
    const certificates = /certificate/i.test(String(error));
    throw new RunFault(
      `Cannot use ${
        certificates ? "the certificates of --ca or SSL_CERT_FILE" : "the network as it is set up"
      }: ` +
        `${(error as Error).message.replace(/\.$/, "")}. Nothing was sent.`,
      { cause: error },
    );
  }
}

function isRedirect(answer: WireAnswer): answer is WireAnswer & { kind: "answered" } {
  return answer.kind === "answered" && (answer.status === 307 || answer.status === 308);
}

/** Where a redirect that may be followed leads: 307 and 308 on the same origin keep method and body. */
function redirect(answer: WireAnswer, url: string): string | undefined {
  if (!isRedirect(answer)) return undefined;
  const target = answer.location === undefined ? null : URL.parse(answer.location, url);
  return target && target.origin === new URL(url).origin ? target.href : undefined;
}

async function answered(
  response: Response,
  { maxBytes, idleTimeoutMs }: WireOptions,
  room: ByteRoom,
  signal: AbortSignal,
): Promise<WireAnswer> {
  const { status } = response, length = lengthOf(response);
  const head = { kind: "answered" as const, status, ...(status < 300 ? {} : headersOf(response)) };
  if (maxBytes !== null && length !== undefined && length > maxBytes) {
    await response.body?.cancel();
    return {
      ...head,
      body: new Uint8Array(),
      broken: `${length} bytes, more than max_response_bytes=${maxBytes}`,
    };
  }
  const place = room.enter(length ?? 0);
  try {
    if (place.ready) await unlessAborted(place.ready, signal);
    if (length !== undefined && idleTimeoutMs === null) return { ...head, body: await response.bytes() };
    const took = async (bytes: number) => {
      if (length === undefined) room.grow(place, bytes);
      if (place.ready) await unlessAborted(place.ready, signal);
    };
    return { ...head, ...await readWithin(response, maxBytes, idleTimeoutMs, took) };
  } finally {
    room.leave(place);
  }
}

/** The length that the headers announce, if they do. */
function lengthOf({ headers }: Response): number | undefined {
  const text = headers.get("content-length");
  return text === null ? undefined : Number(text);
}

/** Waits for a promise, or for the signal if that comes first; what is done next is then found to be aborted. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort);
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", onAbort);
}

function headersOf({ headers }: Response): { retryAfter?: string; location?: string } {
  const retryAfter = headers.get("retry-after"), location = headers.get("location");
  return { ...(retryAfter === null ? {} : { retryAfter }), ...(location === null ? {} : { location }) };
}

/** Reads a body piece by piece, so that a limit stops it as soon as it is passed. `took` may ask to wait. */
async function readWithin(
  response: Response,
  maxBytes: number | null,
  idleTimeoutMs: number | null,
  took: (bytes: number) => Promise<void>,
): Promise<{ body: Uint8Array<ArrayBuffer>; broken?: string }> {
  const pieces: Uint8Array[] = [];
  let size = 0, broken: string | undefined;
  const reader = response.body?.getReader();
  while (reader) {
    const piece = idleTimeoutMs === null ? await reader.read() : await readSoon(reader, idleTimeoutMs);
    if (piece === "silence") broken = `no byte for idle_timeout_s=${idleTimeoutMs! / 1000}`;
    else if (piece.done) break;
    else {
      pieces.push(piece.value);
      size += piece.value.length;
      if (maxBytes !== null && size > maxBytes) broken = `more than max_response_bytes=${maxBytes}`;
      await took(piece.value.length);
    }
    if (broken === undefined) continue;
    reader.cancel().catch(() => {});
    break;
  }
  if (pieces.length === 1 && pieces[0]!.byteLength === pieces[0]!.buffer.byteLength) {
    return { body: pieces[0] as Uint8Array<ArrayBuffer>, ...(broken === undefined ? {} : { broken }) };
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return broken === undefined ? { body } : { body, broken };
}

async function readSoon(reader: ReadableStreamDefaultReader<Uint8Array>, withinMs: number) {
  const { promise: silence, resolve } = Promise.withResolvers<"silence">();
  const timer = setTimeout(() => resolve("silence"), withinMs);
  return await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
}

/** What the resolvers of Linux (two C libraries) and macOS say of a name that does not exist; others may come back. */
const UNKNOWN_NAME =
  /Name or service not known|No address associated with hostname|Name does not resolve|nodename nor servname/;

/**
 * What an error of fetch says about the request. The runtime tells its errors apart only in their text: everything
 * that names the connecting happened before a byte was sent.
 */
function faultOf(error: unknown): WireAnswer {
  const reason = plain(error);
  if (error instanceof Error && error.name === "NotCapable") {
    return { kind: "not_sent", reason: `the sandbox does not allow it (${error.message})`, hopeless: true };
  }
  if (/certificate|UnknownIssuer/i.test(reason)) {
    return {
      kind: "not_sent",
      reason:
        `${reason}. If the server's certificate comes from an authority of your own, give it with --ca FILE`,
      hopeless: true,
    };
  }
  if (UNKNOWN_NAME.test(reason)) return { kind: "not_sent", reason, hopeless: true };
  if (/\(Connect\)|dns error|tcp connect error|Too many open files/i.test(reason)) {
    return { kind: "not_sent", reason };
  }
  return { kind: "possibly_delivered", reason };
}

/** The text of an error without the parts that differ from request to request: the local port, the URL. */
function plain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^error sending request (from \S+ )?for (url \()?[^ )]+\)?( \([^)]*\))?: /, "")
    .replace(/^client error \((?!Connect)\w+\): /, "")
    .replace(/^client error \(Connect\): (?=dns|tcp)/, "");
}
