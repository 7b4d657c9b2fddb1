/** {@link Wire} over any client: redirects, limits and which connections are kept. */
import type { Clock } from "../ports/clock.ts";
import type { Body, HttpAnswer, HttpClient } from "../ports/http.ts";
import type { Wire, WireAnswer, WireOptions, WireRequest } from "../ports/wire.ts";
import { ByteRoom } from "./byte_room.ts";
import { Connections } from "./connections.ts";
import { announcedLength, readBody } from "./read_body.ts";
import { withLength } from "./request_body.ts";

const MOST_REDIRECTS = 5;

/** A wire over `client`, which it disposes. */
export function httpWire(client: HttpClient, options: WireOptions, clock: Clock): Wire & Disposable {
  const connections = new Connections(options);
  const room = new ByteRoom(options.maxBufferedBytes ?? Infinity, clock);

  async function once(url: string, body: Body, request: WireRequest): Promise<WireAnswer> {
    const isKept = connections.areKept(url);
    const answer = await client.send({
      method: "POST",
      url,
      headers: { "content-type": "application/json", ...request.headers },
      body,
      isKept,
      ...(request.onConnected ? { onConnected: request.onConnected } : {}),
      signal: request.signal,
    });
    if (answer.kind === "possibly_delivered" && isKept) connections.broke(url);
    return answer.kind === "answered" ? await read(answer, request) : answer;
  }

  async function read(answer: Answered, { signal, onWait }: WireRequest): Promise<WireAnswer> {
    const { status } = answer;
    const { body, broken } = await readBody(answer.body, announcedLength(answer), {
      ...options,
      clock,
      room,
      signal,
      ...(onWait ? { onWait } : {}),
    });
    if (broken !== undefined && signal.aborted) return { kind: "aborted" };
    const retryAfter = status < 300 ? undefined : answer.header("retry-after");
    const location = status < 300 ? undefined : answer.header("location");
    return {
      kind: "answered",
      status,
      body,
      ...(broken === undefined ? {} : { broken }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(location === undefined ? {} : { location }),
    };
  }

  return {
    async post(request) {
      if (request.signal.aborted) return { kind: "aborted" };
      let body: Body;
      try {
        body = await withLength(request.body);
      } catch (error) {
        return { kind: "not_sent", reason: `the request could not be made: ${(error as Error).message}` };
      }
      let { url } = request, answer = await once(url, body, request);
      // A streamed body cannot be sent again.
      const redirects = body instanceof Uint8Array ? MOST_REDIRECTS : 0;
      for (let hop = 0; hop < redirects; hop++) {
        const next = redirect(answer, url);
        if (next === undefined) break;
        url = next;
        answer = await once(url, body, request);
      }
      return answer;
    },
    [Symbol.dispose]() {
      client[Symbol.dispose]();
    },
  };
}

type Answered = HttpAnswer & { kind: "answered" };

/** Where a redirect that may be followed leads: 307 and 308 on the same origin keep method, headers and body. */
function redirect(answer: WireAnswer, url: string): string | undefined {
  if (answer.kind !== "answered" || (answer.status !== 307 && answer.status !== 308)) return undefined;
  const target = answer.location === undefined ? null : URL.parse(answer.location, url);
  return target && target.origin === new URL(url).origin ? target.href : undefined;
}
