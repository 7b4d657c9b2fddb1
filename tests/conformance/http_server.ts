/**
 * A small HTTP/1.1 server on a free port of 127.0.0.1.
 *
 * It exists because a case may close a connection without an answer: Deno.serve cannot, and with Deno's
 * node:http destroying a request's socket leaves the connection open.
 */
import { STATUS_CODES } from "node:http";
import { ByteReader } from "./byte_reader.ts";

/** A request, read to its end. */
export interface HttpRequest {
  readonly method: string;
  /** As it stands in the request line, with the query. */
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** An answer; its length is added to the headers. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Answers a request, or closes its connection. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer | "drop">;

/** The running server. Connections are kept alive until the client or {@linkcode close} ends them. */
export class HttpServer {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #handler: HttpHandler;
  readonly #connections = new Map<Deno.TcpConn, Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(handler: HttpHandler) {
    this.#handler = handler;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept();
  }

  /** Stops listening and cuts every connection; done when every handler has returned. */
  async close(): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    const connections = [...this.#connections];
    for (const [connection] of connections) hangUp(connection);
    await Promise.all(connections.map(([, serving]) => serving));
  }

  async #accept(): Promise<void> {
    // The iterator ends when the listener is closed.
    for await (const connection of this.#listener) {
      connection.setNoDelay();
      this.#connections.set(connection, this.#serve(connection));
    }
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    const reader = new ByteReader(connection);
    try {
      while (await this.#exchange(connection, reader));
    } catch {
      // A client that hangs up, as an aborted run does, is no news.
    } finally {
      hangUp(connection);
      this.#connections.delete(connection);
    }
  }

  /** One request and its answer; whether the connection stays open. */
  async #exchange(connection: Deno.TcpConn, reader: ByteReader): Promise<boolean> {
    const head = await reader.until("\r\n\r\n");
    if (head === undefined) return false;
    const [requestLine, ...lines] = head.split("\r\n");
    const [method, path, version] = requestLine!.split(" ");
    if (!method || !path) return false;
    const headers = new Headers(lines.map((line) => splitOnce(line, ":")));
    if (headers.get("expect")?.toLowerCase() === "100-continue") {
      await writeAll(connection, encoder.encode("HTTP/1.1 100 Continue\r\n\r\n"));
    }
    const answer = await this.#handler({ method, path, body: await readBody(reader, headers) });
    if (answer === "drop") return false;
    await writeAll(connection, serialize(answer));
    return version !== "HTTP/1.0" && headers.get("connection")?.toLowerCase() !== "close";
  }
}

const encoder = new TextEncoder();

async function readBody(reader: ByteReader, headers: Headers): Promise<Uint8Array<ArrayBuffer>> {
  if (!headers.get("transfer-encoding")?.toLowerCase().includes("chunked")) {
    return await reader.exactly(Number(headers.get("content-length") ?? 0));
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  while (true) {
    const size = parseInt(await reader.until("\r\n") ?? "", 16);
    if (!(size > 0)) break;
    chunks.push(await reader.exactly(size));
    await reader.until("\r\n");
  }
  while (await reader.until("\r\n")); // trailers, then the empty line
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function serialize(answer: HttpAnswer): Uint8Array {
  const headers = { ...answer.headers, "content-length": String(answer.body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}\r\n`;
  const head = encoder.encode(`${status}${lines.join("")}\r\n`);
  const bytes = new Uint8Array(head.length + answer.body.length);
  bytes.set(head);
  bytes.set(answer.body, head.length);
  return bytes;
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

function hangUp(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error; // closed from the other place already
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length).trim()];
}
