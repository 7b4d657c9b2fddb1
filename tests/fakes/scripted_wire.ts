/** A wire without a network: a function plays all servers. */
import type { Wire, WireAnswer, WireRequest } from "../../src/ports/wire.ts";

/** A request as the server saw it. */
export interface Post {
  readonly url: string;
  readonly path: string;
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

const MOST_REDIRECTS = 5;

/** {@link Wire} under a test's hand. A script that returns a promise holds its request until that resolves. */
export class ScriptedWire implements Wire {
  /** What the servers have seen, in order. */
  readonly posts: Post[] = [];
  /** Requests that are being dealt with. */
  open = 0;
  /** The most that were open at a time. */
  mostOpen = 0;
  readonly #script: (post: Post) => Scripted | Promise<Scripted>;
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  constructor(script: (post: Post) => Scripted | Promise<Scripted>) {
    this.#script = script;
  }

  async post(request: WireRequest): Promise<WireAnswer> {
    const { signal } = request;
    if (signal.aborted) return { kind: "aborted" };
    const aborted = Promise.withResolvers<WireAnswer>();
    const abort = () => aborted.resolve({ kind: "aborted" });
    signal.addEventListener("abort", abort);
    this.open++;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    try {
      return await Promise.race([this.#exchange(request), aborted.promise]);
    } finally {
      this.open--;
      signal.removeEventListener("abort", abort);
    }
  }

  /** Resolves once so many requests were seen. */
  hasSeen(count: number): Promise<void> {
    if (this.posts.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  async #exchange(request: WireRequest): Promise<WireAnswer> {
    let body: string;
    try {
      body = await textOf(request.body);
    } catch (error) {
      return { kind: "possibly_delivered", reason: String(error) };
    }
    let url = request.url;
    for (let hop = 0;; hop++) {
      const answer = await this.#once(url, body);
      if (answer.kind !== "answered" || answer.location === undefined) return answer;
      const next = new URL(answer.location, url);
      const follows = (answer.status === 307 || answer.status === 308) && next.origin === new URL(url).origin;
      if (!follows || hop === MOST_REDIRECTS || !(request.body instanceof Uint8Array)) return answer;
      url = next.href;
    }
  }

  async #once(url: string, body: string): Promise<WireAnswer> {
    const post = { url, path: new URL(url).pathname, body };
    const does = this.#script(post);
    if (does === "refuse") return { kind: "not_sent", reason: "Connection refused" };
    this.posts.push(post);
    for (const { count, resolve } of this.#waiting) if (this.posts.length >= count) resolve();
    const reply = await does;
    if (reply === "refuse") throw new Error("A held request was seen: it cannot be refused any more");
    if (reply === "hang up") return { kind: "possibly_delivered", reason: "connection closed" };
    const { status = 200, headers = {}, broken } = reply;
    return {
      kind: "answered",
      status,
      body: bytesOf(reply.body ?? ""),
      ...(broken === undefined ? {} : { broken }),
      ...(headers["retry-after"] === undefined ? {} : { retryAfter: headers["retry-after"] }),
      ...(headers.location === undefined ? {} : { location: headers.location }),
    };
  }
}

function bytesOf(body: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

async function textOf(body: WireRequest["body"]): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  if (body instanceof Uint8Array) pieces.push(body);
  else for await (const piece of body) pieces.push(piece);
  return await new Blob(pieces).text();
}
