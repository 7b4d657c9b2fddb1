/** A client that adds the user's headers to every request. */
import type { Headers, HttpClient } from "../ports/http.ts";

/**
 * `client`, with `headers` on each of its requests; those of a request win. It follows no redirect, so the headers go to
 * the URLs that it is given and nowhere else.
 */
export function withHeaders(client: HttpClient, headers: Headers): HttpClient {
  if (Object.keys(headers).length === 0) return client;
  return {
    send: (request) => client.send({ ...request, headers: { ...headers, ...request.headers } }),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}
