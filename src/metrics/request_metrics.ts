/** Asks the servers for the metrics of their rollouts. */
import type { Route } from "../config/topology.ts";
import { join } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { RunFault } from "../kit/fault.ts";
import { retryAfterMs } from "../kit/retry_after.ts";
import type { Clock } from "../ports/clock.ts";
import type { Wire } from "../ports/wire.ts";
import type { Scoring } from "./scoring.ts";
import { strip } from "./without_bulk.ts";

/** The body of a request is sent in chunks of about this size. */
const CHUNK = 1 << 16;

const SHORTEST_WAIT_MS = 1000;
/** The error when waiting for metrics was stopped. */
export const STOPPED = "Stopped before the metrics were there.";

const encoder = new TextEncoder();
const OPEN = encoder.encode('{"verify_responses":['),
  COMMA = encoder.encode(","),
  CLOSE = encoder.encode("]}");

/** What asking works with. */
export interface AskTools {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long after the first request a server that sends Retry-After is asked again, in milliseconds. */
  readonly retryWindowMs: number;
}

/** What became of asking one server: its response, `undefined` when it has no such route (404), or what went wrong. */
export type Asked =
  | { readonly answer: JsonObject | undefined }
  | { readonly fault: RunFault };

/** Asks all servers at once. One that fails does not affect the others; a file that cannot be read ends all. */
export async function askAll(scorings: readonly Scoring[], tools: AskTools): Promise<Asked[]> {
  const others = new AbortController(), signal = AbortSignal.any([tools.signal, others.signal]);
  let broken: unknown;
  const asked = await Promise.all(scorings.map(async ({ route, rowsInOrder }): Promise<Asked> => {
    try {
      return { answer: await askServer(route!, rowsInOrder, { ...tools, signal }) };
    } catch (fault) {
      if (fault instanceof RunFault && !signal.aborted) return { fault };
      broken ??= fault;
      others.abort();
      return { answer: undefined };
    }
  }));
  if (broken) throw broken;
  return asked;
}

/**
 * The server's answer; `undefined` when it has no such route (404).
 *
 * @param rows the group's, in order, read as the request is sent, so that memory does not grow with them
 * @throws {RunFault} naming the server and what it did; the rollouts are untouched
 */
export async function askServer(
  { url: base, server }: Route,
  rows: () => Iterable<JsonObject>,
  { wire, clock, signal, retryWindowMs }: AskTools,
): Promise<JsonObject | undefined> {
  const url = `${base}/aggregate_metrics`;
  const wrong = (what: string, cause?: unknown) =>
    new RunFault(
      `No metrics from server ${server}: ${url} ${what}. The rollouts are kept; fix the server, then ask it ` +
        `again with \`rollcall aggregate\`, or \`rollcall collect\` with --resume.`,
      { cause },
    );
  const until = clock.now() + retryWindowMs;
  for (;;) {
    let broken: unknown;
    const answer = await wire.post({ url, body: body(rows(), (error) => broken = error), signal });
    // An unreadable file is not the server's fault.
    if (broken) throw broken;
    if (answer.kind === "aborted") throw new RunFault(STOPPED);
    if (answer.kind !== "answered") throw wrong(`could not be reached: ${answer.reason}`);
    if (answer.broken !== undefined) throw wrong(`sent an incomplete response: ${answer.broken}`);
    const { status } = answer;
    if (status === 404) return undefined;
    const waitMs = status === 503 || status === 429
      ? retryAfterMs(answer.retryAfter, clock.date())
      : undefined;
    if (waitMs !== undefined && clock.now() + waitMs < until) {
      // A server with Retry-After: 0 must not be asked in a busy loop.
      await pause(Math.max(waitMs, SHORTEST_WAIT_MS), clock, signal);
      continue;
    }
    if (status === 413) {
      throw wrong(
        "answered 413: the rollouts are too large for it. `rollcall aggregate --offline` needs no server",
      );
    }
    if (status < 200 || status > 299) {
      throw wrong(`answered ${status}: ${new TextDecoder().decode(answer.body.subarray(0, 200))}`);
    }
    try {
      return readObject(answer.body);
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      throw wrong(`answered with something that is not a JSON object: ${fault.message}`, fault);
    }
  }
}

function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(new RunFault(STOPPED));
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

async function* body(
  rows: Iterable<JsonObject>,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield* chunks(rows);
  } catch (error) {
    failed(error);
    throw error;
  }
}

function* chunks(rows: Iterable<JsonObject>): Generator<Uint8Array<ArrayBuffer>> {
  let chunk = new Uint8Array(CHUNK * 2), filled = 0;
  const put = (bytes: Uint8Array) => {
    if (filled + bytes.length > chunk.length) {
      const longer = new Uint8Array(Math.max(filled + bytes.length, chunk.length * 2));
      longer.set(chunk.subarray(0, filled));
      chunk = longer;
    }
    chunk.set(bytes, filled);
    filled += bytes.length;
  };
  put(OPEN);
  let first = true;
  for (const row of rows) {
    if (!first) put(COMMA);
    first = false;
    for (const piece of strip(row)) put(piece);
    if (filled < CHUNK) continue;
    // Not reused: the runtime may hold it until the server takes it.
    yield chunk.subarray(0, filled);
    chunk = new Uint8Array(CHUNK * 2);
    filled = 0;
  }
  yield join([chunk.subarray(0, filled), CLOSE]);
}
