/** A GET within limits. */
import type { Clock } from "../ports/clock.ts";
import type { HttpClient } from "../ports/http.ts";
import type { GetLimits, Got } from "../ports/world.ts";
import { announcedLength, readBody } from "./read_body.ts";
import { timeLimit } from "./time_limit.ts";

/** A GET without redirects. @throws {Error} whose message says why there is no complete response */
export async function httpGet(
  client: HttpClient,
  url: string,
  { timeoutMs, maxBytes, headers = {} }: Omit<GetLimits, "client">,
  clock: Clock,
): Promise<Got> {
  const abort = new AbortController(), { signal } = abort;
  const limit = timeLimit(clock, timeoutMs, () => abort.abort());
  try {
    const answer = await client.send({ method: "GET", url, headers, isKept: false, signal });
    if (answer.kind === "answered") {
      const { body, broken } = await readBody(answer.body, announcedLength(answer), {
        maxBytes,
        idleTimeoutMs: null,
        clock,
        signal,
      });
      const date = answer.header("date");
      if (broken === undefined) {
        const text = new TextDecoder().decode(body);
        return { status: answer.status, text, ...(date === undefined ? {} : { date }) };
      }
      if (!signal.aborted) throw new Error(`its response is incomplete: ${broken}`);
    } else if (answer.kind !== "aborted") throw new Error(answer.reason);
    throw new Error(`no response within ${timeoutMs / 1000} s`);
  } finally {
    limit.cancel();
  }
}
