/**
 * A server on a free port of 127.0.0.1 that can misbehave in every way a socket allows, and keeps a record of what it
 * has seen, so that tests wait for that and never for a time.
 */
import { ByteReader } from "../conformance/byte_reader.ts";

/** A request that was read to its end. */
export interface Seen {
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** Which connection it came over, from 0. */
  readonly connection: number;
}

/** What the server does about a request. */
export type Reply =
  /** Answers; the connection is kept unless `last`. */
  | {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly last?: boolean;
  }
  /** Closes the connection without a word. */
  | "hang up"
  /** Writes whatever it likes; the connection is closed afterwards. */
  | ((connection: Deno.TcpConn) => Promise<void>);

/** Decides about a request. */
export type Serve = (request: Seen) => Reply | Promise<Reply>;

/** Settings of a {@link TcpServer}. */
export interface TcpServerOptions {
  /** Does something to a connection instead of reading requests from it; closed afterwards. */
  readonly accepted?: (connection: Deno.TcpConn) => Promise<void>;
  /** Answers before the body is read, which is then left unread: closing resets the connection. */
  readonly leaveBody?: boolean;
  /** Default: one that is free. */
  readonly port?: number;
}

const encoder = new TextEncoder();

/** See the module's comment. */
export class TcpServer implements AsyncDisposable {
  readonly port: number;
  /** All requests, in the order in which they were read to their end. */
  readonly seen: Seen[] = [];
  /** How many connections were accepted. */
  connections = 0;
  readonly #listener: Deno.TcpListener;
  readonly #serve: Serve;
  readonly #options: TcpServerOptions;
  readonly #open = new Map<Deno.TcpConn, Promise<void>>();
  readonly #accepting: Promise<void>;
  /** Resolves when the server is closed: handlers that still hold a request release it. */
  readonly #end = Promise.withResolvers<"hang up">();
  readonly #waiting: { enough: () => boolean; resolve: () => void }[] = [];

  constructor(serve: Serve = () => ({}), options: TcpServerOptions = {}) {
    this.#serve = serve;
    this.#options = options;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: options.port ?? 0 });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept();
  }

  /** `http://127.0.0.1:PORT`. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves once so many requests were read to their end. */
  hasSeen(count: number): Promise<void> {
    return this.#until(() => this.seen.length >= count);
  }

  /** Resolves once so many connections were accepted. */
  hasAccepted(count: number): Promise<void> {
    return this.#until(() => this.connections >= count);
  }

  /** Resolves once no connection is open. */
  isQuiet(): Promise<void> {
    return this.#until(() => this.#open.size === 0);
  }

  /** Stops listening and cuts every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#listener.close();
    } catch {
      // closed already
    }
    await this.#accepting;
    this.#end.resolve("hang up");
    const open = [...this.#open];
    for (const [connection] of open) hangUp(connection);
    await Promise.all(open.map(([, served]) => served));
  }

  #until(enough: () => boolean): Promise<void> {
    if (enough()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ enough, resolve }));
  }

  #changed(): void {
    for (const { enough, resolve } of this.#waiting) if (enough()) resolve();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      connection.setNoDelay();
      this.#open.set(connection, this.#talk(connection, this.connections++));
      this.#changed();
    }
  }

  async #talk(connection: Deno.TcpConn, number: number): Promise<void> {
    try {
      if (this.#options.accepted) {
        return void await Promise.race([this.#options.accepted(connection), this.#end.promise]);
      }
      const reader = new ByteReader(connection);
      while (await this.#exchange(connection, reader, number));
    } catch {
      // a client that hangs up is no news
    } finally {
      hangUp(connection);
      this.#open.delete(connection);
      this.#changed();
    }
  }

  async #exchange(connection: Deno.TcpConn, reader: ByteReader, number: number): Promise<boolean> {
    const head = await reader.until("\r\n\r\n");
    if (head === undefined) return false;
    const [first, ...lines] = head.split("\r\n");
    const [method, target] = first!.split(" ") as [string, string];
    const headers = new Headers(lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trim()] as [string, string];
    }));
    const body = this.#options.leaveBody ? "" : new TextDecoder().decode(await readBody(reader, headers));
    const { pathname: path } = new URL(target, this.url);
    const request = { method, target, path, headers, body, connection: number };
    this.seen.push(request);
    this.#changed();
    const reply = await Promise.race([this.#serve(request), this.#end.promise]);
    if (reply === "hang up") return false;
    if (typeof reply === "function") {
      await Promise.race([reply(connection), this.#end.promise]);
      return false;
    }
    await write(connection, answer(reply));
    return !reply.last;
  }
}

/** Writes all of it. */
export async function write(connection: Deno.TcpConn, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Resolves once the other side has closed the connection. */
export async function closed(connection: Deno.TcpConn): Promise<void> {
  const rest = new Uint8Array(1024);
  try {
    while (await connection.read(rest) !== null);
  } catch {
    // reset, or closed on this side
  }
}

/**
 * A port of 127.0.0.1 at which nobody listens. It lies below those that the system hands out, so nobody else gets it
 * in the middle of a test.
 */
export function deadPort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

function answer(
  { status = 200, headers = {}, body = "", last = false }: Exclude<
    Reply,
    string | ((c: Deno.TcpConn) => unknown)
  >,
): Uint8Array {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const length = status === 204 ? {} : { "content-length": String(bytes.length) };
  const all = { ...length, ...(last ? { connection: "close" } : {}), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = encoder.encode(`HTTP/1.1 ${status} Whatever\r\n${lines}\r\n`);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
}

async function readBody(reader: ByteReader, headers: Headers): Promise<Uint8Array<ArrayBuffer>> {
  if (!headers.get("transfer-encoding")?.includes("chunked")) {
    return await reader.exactly(Number(headers.get("content-length") ?? 0));
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const size = parseInt(await reader.until("\r\n") ?? "", 16);
    if (!(size > 0)) break;
    chunks.push(await reader.exactly(size));
    await reader.until("\r\n");
  }
  while (await reader.until("\r\n"));
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function hangUp(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
