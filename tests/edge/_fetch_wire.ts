/** A wire over fetch, as the collector's. */
import { denoClock } from "../../src/edge/deno_clock.ts";
import { fetchClient } from "../../src/edge/fetch_client.ts";
import type { HttpClientOptions } from "../../src/ports/http.ts";
import type { Wire, WireOptions } from "../../src/ports/wire.ts";
import { httpWire } from "../../src/wire/http_wire.ts";

/** Everything that is not given is as usual: kept connections, no proxy, no limits. */
export type FetchWireOptions = Partial<WireOptions & HttpClientOptions>;

/** See the module's comment. */
export function fetchWire(
  { proxy = null, authorities = [], ...options }: FetchWireOptions = {},
): Wire & Disposable {
  return httpWire(
    fetchClient({ proxy, authorities }),
    { reuse: "auto", idleTimeoutMs: null, maxBytes: null, ...options },
    denoClock,
  );
}
