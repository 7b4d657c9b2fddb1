/** A wire without a network: the real policy over a client in which a function plays all servers. */
import type { Body, BodyReader, Headers, HttpAnswer, HttpClient, HttpRequest } from "../../src/ports/http.ts";
import type { Wire, WireAnswer, WireOptions, WireRequest } from "../../src/ports/wire.ts";
import { httpWire } from "../../src/wire/http_wire.ts";
import { ManualClock } from "./manual_clock.ts";

/** A request as the server saw it. */
export interface Post {
  readonly url: string;
  readonly path: string;
  readonly headers: Headers;
  /** The body as text. */
  readonly body: string;
}

/** What a server does about a request. */
export type Scripted =
  | {
    readonly status?: number;
    readonly body?: string | Uint8Array<ArrayBuffer>;
    /** Lower case names. */
    readonly headers?: Readonly<Record<string, string>>;
    /** The connection breaks when the body is through. */
    readonly broken?: string;
  }
  /** Nobody listens there: the request is never seen. */
  | "refuse"
  /** Reads the request and closes the connection. */
  | "hang up";

/** Plays all servers; one that returns a promise holds its request until that resolves. */
export type Script = (post: Post) => Scripted | Promise<Scripted>;

/** {@link HttpClient} under a test's hand. */
export class ScriptedClient implements HttpClient {
  /** What the servers have seen, in order. */
  readonly posts: Post[] = [];
  readonly #script: Script;
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  constructor(script: Script) {
    this.#script = script;
  }

  async send(request: HttpRequest): Promise<HttpAnswer> {
    const { signal } = request;
    if (signal.aborted) return { kind: "aborted" };
    request.onConnected?.();
    const aborted = Promise.withResolvers<HttpAnswer>();
    const abort = () => aborted.resolve({ kind: "aborted" });
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([this.#exchange(request), aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Resolves once so many requests were seen. */
  hasSeen(count: number): Promise<void> {
    if (this.posts.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  [Symbol.dispose](): void {}

  async #exchange({ url, headers, body }: HttpRequest): Promise<HttpAnswer> {
    let text: string;
    try {
      text = body === undefined ? "" : await textOf(body);
    } catch (error) {
      return { kind: "possibly_delivered", reason: String(error) };
    }
    const post = { url, path: new URL(url).pathname, headers, body: text };
    const does = this.#script(post);
    if (does === "refuse") return { kind: "not_sent", reason: "Connection refused" };
    this.posts.push(post);
    for (const { count, resolve } of this.#waiting) if (this.posts.length >= count) resolve();
    const reply = await does;
    if (reply === "refuse") throw new Error("A held request was seen: it cannot be refused any more");
    if (reply === "hang up") return { kind: "possibly_delivered", reason: "connection closed" };
    const answered = reply.headers ?? {};
    return {
      kind: "answered",
      status: reply.status ?? 200,
      header: (name) => answered[name],
      body: new ScriptedBody(bytesOf(reply.body ?? ""), reply.broken),
    };
  }
}

/** {@link Wire} over a {@link ScriptedClient}. */
export class ScriptedWire implements Wire {
  /** Requests that are being dealt with. */
  open = 0;
  /** The most that were open at a time. */
  mostOpen = 0;
  readonly #client: ScriptedClient;
  readonly #wire: Wire;

  constructor(script: Script, options: Partial<WireOptions> = {}) {
    this.#client = new ScriptedClient(script);
    this.#wire = httpWire(
      this.#client,
      { reuse: "auto", idleTimeoutMs: null, maxBytes: null, ...options },
      new ManualClock(),
    );
  }

  /** What the servers have seen, in order. */
  get posts(): Post[] {
    return this.#client.posts;
  }

  async post(request: WireRequest): Promise<WireAnswer> {
    this.open++;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    try {
      return await this.#wire.post(request);
    } finally {
      this.open--;
    }
  }

  /** Resolves once so many requests were seen. */
  hasSeen(count: number): Promise<void> {
    return this.#client.hasSeen(count);
  }
}

class ScriptedBody implements BodyReader {
  #rest: Uint8Array;
  readonly #broken: string | undefined;
  #isCancelled = false;

  constructor(bytes: Uint8Array, broken: string | undefined) {
    this.#rest = bytes;
    this.#broken = broken;
  }

  read(buffer: ArrayBuffer, from: number): Promise<{ buffer: ArrayBuffer; count: number }> {
    if (this.#isCancelled) return Promise.reject(new Error("cancelled"));
    const count = Math.min(this.#rest.length, buffer.byteLength - from);
    if (count === 0 && this.#broken !== undefined) return Promise.reject(new Error(this.#broken));
    new Uint8Array(buffer).set(this.#rest.subarray(0, count), from);
    this.#rest = this.#rest.subarray(count);
    return Promise.resolve({ buffer, count });
  }

  cancel(): void {
    this.#isCancelled = true;
  }
}

function bytesOf(body: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

async function textOf(body: Body): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  if (body instanceof Uint8Array) pieces.push(body);
  else for await (const piece of body) pieces.push(piece);
  return await new Blob(pieces).text();
}
