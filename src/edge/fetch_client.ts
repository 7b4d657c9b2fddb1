/** {@link HttpClient} over native fetch. */
import { RunFault } from "../kit/fault.ts";
import type {
  Body,
  BodyReader,
  HttpAnswer,
  HttpClient,
  HttpClientOptions,
  HttpRequest,
  Unanswered,
} from "../ports/http.ts";
import { UnseenConnects } from "../wire/unseen_connects.ts";
import { denoClock } from "./deno_clock.ts";
import { sendsBytesOnce } from "./runtime.ts";

/** An idle connection is closed after this long: sooner than servers close theirs. */
const IDLE_MS = 1000;

/**
 * A client over fetch. Kept connections are reused if idle for no longer than a second.
 *
 * @throws {RunFault} when the proxy's URL or a certificate cannot be used
 */
export function fetchClient({ proxy, authorities }: HttpClientOptions): HttpClient {
  // A new object for each client: the runtime writes into it.
  const settings = () => ({
    http2: false,
    caCerts: [...authorities],
    ...(proxy === null ? {} : { proxy: { url: proxy } }),
  });
  const keeping = httpClient({ ...settings(), poolIdleTimeout: IDLE_MS, poolMaxIdlePerHost: 65536 });
  const fresh = httpClient({ ...settings(), poolMaxIdlePerHost: 0 });
  const connects = new UnseenConnects({
    keptMs: IDLE_MS / 2,
    probe: (url) => probe(proxy === null ? url : new URL(proxy)),
    clock: denoClock,
  });
  return {
    async send(
      { method, url, headers, body, isKept, onConnected, signal }: HttpRequest,
    ): Promise<HttpAnswer> {
      let response: Response;
      if (onConnected) await connects.turn(url, isKept, signal);
      const connecting = onConnected && connects.sent(url, isKept, onConnected);
      try {
        response = await fetch(url, {
          method,
          headers,
          body: body === undefined ? null : sent(body),
          redirect: "manual",
          client: isKept ? keeping : fresh,
          signal,
        });
      } catch (error) {
        return signal.aborted ? { kind: "aborted" } : faultOf(error);
      } finally {
        connecting?.settle();
      }
      return {
        kind: "answered",
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        body: bodyOf(response, isKept && connecting ? () => connects.freed(url) : () => {}),
      };
    },
    [Symbol.dispose]() {
      keeping.close();
      fresh.close();
    },
  };
}

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

/**
 * A body for fetch. Since 2.7 the runtime sends a request a second time when a connection breaks after it, as
 * long as it has the bytes to do so. From a blob it reads them once, and still knows their length.
 */
function sent(body: Body): BodyInit {
  if (!(body instanceof Uint8Array)) return ReadableStream.from(body);
  return sendsBytesOnce(Deno.version.deno) ? body : new Blob([body]);
}

/** Opens a connection and closes it. @throws {Error} when that cannot be done */
async function probe({ hostname, port, protocol }: URL): Promise<void> {
  const ports = protocol === "https:" ? 443 : protocol.startsWith("socks") ? 1080 : 80;
  const connection = await Deno.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? ports : Number(port),
  });
  connection.close();
}

/** Bytes that are read at once: at first, and at most once so many come. */
const FIRST_PIECE = 1 << 12, PIECE = 1 << 16;

/**
 * The body piece by piece. Never `response.bytes()`, which takes the announced length at once, and ends the process when
 * that is more than there is. Nor is it read into the buffer directly: the runtime copies all of the buffer with each
 * piece, which makes 100 MB take half a minute.
 */
function bodyOf({ body }: Response, onEnd: () => void): BodyReader {
  const reader = body?.getReader({ mode: "byob" });
  let piece = new ArrayBuffer(FIRST_PIECE);
  return {
    async read(buffer, from) {
      if (!reader) return { buffer, count: 0 };
      try {
        const most = buffer.byteLength - from;
        const { value } = await reader.read(new Uint8Array(piece, 0, Math.min(most, piece.byteLength)));
        if (!value?.length) {
          onEnd();
          return { buffer, count: 0 };
        }
        new Uint8Array(buffer, from).set(value);
        // One that was too small is replaced; small pieces stay cheap, since each copies it.
        piece = value.length === value.buffer.byteLength && value.length < PIECE
          ? new ArrayBuffer(value.length * 4)
          : value.buffer;
        return { buffer, count: value.length };
      } catch (error) {
        throw new Error(reasonOf(error), { cause: error });
      }
    },
    cancel() {
      reader?.cancel().catch(() => {});
    },
  };
}

/** What the resolvers of Linux (two C libraries) and macOS report for a name that does not exist; other errors may be temporary. */
const UNKNOWN_NAME =
  /Name or service not known|No address associated with hostname|Name does not resolve|nodename nor servname/;

/**
 * What an error of fetch means for the request. The runtime distinguishes its errors only by their text: everything
 * about connecting happened before a byte was sent.
 */
function faultOf(error: unknown): Unanswered {
  const text = textOf(error), reason = reasonOf(error);
  if (error instanceof Error && error.name === "NotCapable") {
    return { kind: "not_sent", reason: `the sandbox does not allow it (${text})`, hopeless: true };
  }
  if (/certificate|UnknownIssuer/i.test(text)) {
    return {
      kind: "not_sent",
      reason:
        `${reason}. If the server's certificate comes from an authority of your own, give it with --ca FILE`,
      hopeless: true,
    };
  }
  if (UNKNOWN_NAME.test(text) || /Requests to port \d+ are blocked/.test(text)) {
    return { kind: "not_sent", reason, hopeless: true };
  }
  if (/\(Connect\)|dns error|tcp connect error|Too many open files/i.test(text)) {
    return { kind: "not_sent", reason };
  }
  return { kind: "possibly_delivered", reason };
}

/** The text of an error; since 2.8 the runtime puts what happened into the cause of an empty error. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? textOf(error.cause) : error.message;
}

/** The text of an error of fetch without numbers and the parts that differ from request to request: the local port, the URL. */
export function reasonOf(error: unknown): string {
  return textOf(error)
    .replace(/^error sending request (from \S+ )?for (url \()?[^ )]+\)?( \([^)]*\))?: /, "")
    .replace(/^client error \(\w+\): /, "")
    .replace(/^tcp connect error: /, "")
    .replace(/^dns error: (failed to lookup address information: )?/, "")
    .replace(/ \(os error \d+\)/g, "")
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
