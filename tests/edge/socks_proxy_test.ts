/** A SOCKS proxy between the wire and a server: the requests go through it, and arrive. */
import assert from "node:assert/strict";
import { fetchWire } from "./_fetch_wire.ts";

/** A SOCKS 5 proxy that takes no password and connects to IPv4 addresses; counts what it was asked for. */
function socksProxy() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: string[] = [];
  const serve = async (client: Deno.Conn) => {
    const bytes = new Uint8Array(262);
    await client.read(bytes); // version, methods
    await client.write(new Uint8Array([5, 0]));
    await client.read(bytes); // version, connect, 0, IPv4, address, port
    assert.deepEqual([...bytes.subarray(0, 4)], [5, 1, 0, 1]);
    const hostname = bytes.subarray(4, 8).join("."), port = bytes[8]! * 256 + bytes[9]!;
    asked.push(`${hostname}:${port}`);
    const server = await Deno.connect({ hostname, port });
    await client.write(new Uint8Array([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    await Promise.all([client.readable.pipeTo(server.writable), server.readable.pipeTo(client.writable)]);
  };
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const client of listener) serving.push(serve(client).catch(() => {}));
  })();
  return {
    url: `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(serving);
    },
  };
}

for (const scheme of ["socks5", "socks5h"]) {
  Deno.test(`fetchWire() goes through a ${scheme} proxy`, async () => {
    await using proxy = socksProxy();
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        return new Response(`{"got":${await request.text()}}`);
      },
    );
    using wire = fetchWire({ reuse: "never", proxy: `${scheme}://${proxy.url}` });
    const url = `http://127.0.0.1:${server.addr.port}/run`;
    const answer = await wire.post({
      url,
      body: new TextEncoder().encode("1"),
      signal: new AbortController().signal,
    });
    assert.equal(answer.kind === "answered" && new TextDecoder().decode(answer.body), '{"got":1}');
    assert.deepEqual(proxy.asked, [`127.0.0.1:${server.addr.port}`]);
  });
}
