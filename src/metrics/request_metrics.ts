/** Asks one server for the metrics of its rollouts. */
import type { Route } from "../config/topology.ts";
import { join } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { RunFault } from "../kit/fault.ts";
import type { Wire } from "../ports/wire.ts";
import type { Scoring } from "./scoring.ts";
import { strip } from "./without_bulk.ts";

/** The body of a request is sent in chunks of about this size. */
const CHUNK = 1 << 16;

const encoder = new TextEncoder();
const OPEN = encoder.encode('{"verify_responses":['),
  COMMA = encoder.encode(","),
  CLOSE = encoder.encode("]}");

/**
 * The server's answer; `undefined` when it has no such route (404).
 *
 * @param rows of the group in order, read anew for each chunk of the request, so that memory does not grow with them
 * @throws {RunFault} naming the server that did not answer as it should; the rollouts are untouched
 */
export async function askServer(
  route: Route,
  rows: Iterable<JsonObject>,
  wire: Wire,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const url = `${route.url}/aggregate_metrics`;
  const wrong = (what: string, cause?: unknown) =>
    new RunFault(
      `No metrics from server ${route.server}: ${url} ${what}. The rollouts are kept; mend the server, then ask it ` +
        `again with \`rollcall aggregate\`, or \`rollcall collect\` with --resume.`,
      { cause },
    );
  let broken: unknown;
  const answer = await wire.post({ url, body: body(rows, (error) => broken = error), signal });
  // A file that cannot be read is not the server's fault.
  if (broken) throw broken;
  if (answer.kind === "aborted") throw new RunFault("Stopped before the metrics were there.");
  if (answer.kind !== "answered") throw wrong(`could not be asked: ${answer.reason}`);
  if (answer.broken !== undefined) throw wrong(`broke off its answer: ${answer.broken}`);
  if (answer.status === 404) return undefined;
  if (answer.status < 200 || answer.status > 299) {
    throw wrong(`answered ${answer.status}: ${new TextDecoder().decode(answer.body.subarray(0, 200))}`);
  }
  try {
    return readObject(answer.body);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw wrong(`answered with what is not a JSON object: ${fault.message}`, fault);
  }
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
    // Handed over for good: the runtime may hold it until the server takes it.
    yield chunk.subarray(0, filled);
    chunk = new Uint8Array(CHUNK * 2);
    filled = 0;
  }
  yield join([chunk.subarray(0, filled), CLOSE]);
}

/** The servers' answers; `undefined` of those that have no such route. The first that goes wrong ends the others. */
export async function askAll(
  scorings: readonly Scoring[],
  { wire, signal }: { readonly wire: Wire; readonly signal: AbortSignal },
): Promise<(JsonObject | undefined)[]> {
  const others = new AbortController(), either = AbortSignal.any([signal, others.signal]);
  let fault: unknown;
  const answers = await Promise.all(scorings.map(async ({ route, rowsInOrder }) => {
    try {
      return await askServer(route!, rowsInOrder(), wire, either);
    } catch (error) {
      fault ??= error;
      others.abort();
      return undefined;
    }
  }));
  if (fault) throw fault;
  return answers;
}
