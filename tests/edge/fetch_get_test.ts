import assert from "node:assert/strict";
import { denoClock } from "../../src/edge/deno_clock.ts";
import { fetchClient } from "../../src/edge/fetch_client.ts";
import { httpGet } from "../../src/wire/http_get.ts";
import { deadPort, type Serve, TcpServer, write } from "./_tcp_server.ts";

async function get(url: string, limits: { timeoutMs?: number; maxBytes?: number | null } = {}) {
  using client = fetchClient({ proxy: null, authorities: [] });
  return await httpGet(client, url, { timeoutMs: 60_000, maxBytes: null, ...limits }, denoClock);
}

const announcing = (status: string): Serve => () => (connection) =>
  write(connection, `HTTP/1.1 ${status}\r\ncontent-length: 30000000000\r\n\r\n"a: 1"`);

for (const status of ["200 OK", "500 Oops"]) {
  Deno.test(`a GET whose answer ${status} announces 30 GB is an error, and takes no memory`, async () => {
    await using server = new TcpServer(announcing(status));
    await assert.rejects(get(server.url), /its response is incomplete/);
    await assert.rejects(get(server.url, { maxBytes: 2 ** 30 }), /30000000000 bytes, more than/);
  });
}

Deno.test("a GET brings status and text, and follows no redirect", async () => {
  await using server = new TcpServer(() => ({ status: 302, headers: { location: "/" }, body: "ä" }));
  assert.deepEqual(await get(server.url), { status: 302, text: "ä" });
  assert.equal(server.seen.length, 1);
});

Deno.test("a GET says why there is no response", async () => {
  await assert.rejects(get(`http://127.0.0.1:${deadPort()}`), /^Error: connection refused$/);
  await using server = new TcpServer(() => new Promise(() => {}));
  await assert.rejects(get(server.url, { timeoutMs: 200 }), /^Error: no response within 0\.2 s$/);
});
