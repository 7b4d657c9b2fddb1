import assert from "node:assert/strict";
import { fetchClient } from "../../src/edge/fetch_client.ts";
import { TcpServer } from "./_tcp_server.ts";

Deno.test("fetchClient() puts what it reads into the buffer that is there, which is never copied, however large it is", async () => {
  const text = "x".repeat(300_000);
  await using server = new TcpServer(() => ({ body: text }));
  using client = fetchClient({ proxy: null, authorities: [] });
  const answer = await client.send({
    method: "GET",
    url: server.url,
    headers: {},
    isKept: false,
    signal: new AbortController().signal,
  });
  assert.equal(answer.kind, "answered");
  if (answer.kind !== "answered") return;
  const buffer = new ArrayBuffer(text.length + 1);
  let size = 0, count: number;
  do {
    const read: { buffer: ArrayBuffer; count: number } = await answer.body.read(buffer, size);
    assert.equal(read.buffer, buffer);
    size += count = read.count;
  } while (count > 0);
  assert.equal(new TextDecoder().decode(new Uint8Array(buffer, 0, text.length)), text);
});
