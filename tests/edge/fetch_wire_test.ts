/** What fetch makes of servers that misbehave. What every wire does is in `tests/contract/wire_contract.ts`. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { WireAnswer } from "../../src/ports/wire.ts";
import { AUTHORITY, CERTIFICATE, KEY } from "./_certificates.ts";
import { fetchWire, type FetchWireOptions } from "./_fetch_wire.ts";
import { closed, deadPort, type Serve, TcpServer, type TcpServerOptions, write } from "./_tcp_server.ts";

/** Posts to a wire under test. */
type Post = (path?: string, options?: { signal?: AbortSignal; body?: string }) => Promise<WireAnswer>;

/** Registers a test with a server and a wire to it. */
function test(
  name: string,
  { serve, server = {}, ...options }: FetchWireOptions & { serve?: Serve; server?: TcpServerOptions },
  run: (post: Post, server: TcpServer) => Promise<void>,
): void {
  Deno.test(`fetchWire() ${name}`, async () => {
    await using place = new TcpServer(serve, server);
    using wire = fetchWire(options);
    const post: Post = (path = "/run", { signal = new AbortController().signal, body = "{}" } = {}) =>
      wire.post({ url: place.url + path, body: new TextEncoder().encode(body), signal });
    await run(post, place);
  });
}

function text(answer: WireAnswer): string {
  assert.equal(answer.kind, "answered");
  assert.equal(answer.broken, undefined);
  return new TextDecoder().decode(answer.body);
}

function broken(answer: WireAnswer): string {
  assert.equal(answer.kind, "answered");
  assert.ok(answer.broken, "it should be broken");
  return answer.broken;
}

/** An answer in pieces of raw text, the connection closed afterwards. */
const raw = (...pieces: string[]): Serve => () => async (connection) => {
  for (const piece of pieces) await write(connection, piece);
};

test("sends JSON with its length, one POST", {}, async (post, server) => {
  await post("/run", { body: '{"ä":1}' });
  const [seen] = server.seen;
  assert.equal(seen!.method, "POST");
  assert.equal(seen!.headers.get("content-type"), "application/json");
  assert.equal(seen!.headers.get("content-length"), "8");
});

// What the request met, and whether it can have been delivered.

test("cannot know whether a server that closes at once has seen the request", {
  server: { accepted: () => Promise.resolve() },
}, async (post) => {
  assert.equal((await post()).kind, "possibly_delivered");
});

test("cannot know it of a server that resets the connection either", {
  serve: () => "hang up",
  server: { leaveBody: true },
}, async (post, server) => {
  const answer = await post("/run", { body: "x".repeat(1 << 20) });
  assert.equal(answer.kind, "possibly_delivered");
  assert.equal(server.seen.length, 1);
});

test(
  "never repeats a request that a fresh connection swallowed",
  { serve: () => "hang up" },
  async (post, server) => {
    assert.equal((await post()).kind, "possibly_delivered");
    await server.isQuiet();
    assert.equal(server.seen.length, 1);
    assert.equal(server.connections, 1);
  },
);

test("never repeats a request that a kept connection swallowed", {
  serve: ({ path }) => path === "/swallow" ? "hang up" : {},
}, async (post, server) => {
  text(await post());
  assert.equal((await post("/swallow")).kind, "possibly_delivered");
  assert.deepEqual(server.seen.map(({ path, connection }) => [path, connection]), [["/run", 0], [
    "/swallow",
    0,
  ]]);
});

for (
  const garbage of [
    "SSH-2.0-OpenSSH_9.6\r\n",
    "<html>\r\n\r\n",
    "HTTP/1.1 OK 200\r\n\r\n",
    "\0\0\0\0\0\0\0\0\r\n\r\n",
  ]
) {
  test(`takes ${JSON.stringify(garbage)} for no answer`, { serve: raw(garbage) }, async (post, server) => {
    assert.equal((await post()).kind, "possibly_delivered");
    assert.equal(server.seen.length, 1);
  });
}

test("reports not_sent for a port that does not speak TLS", {
  server: { accepted: (connection) => write(connection, "HTTP/1.1 400 Bad Request\r\n\r\n") },
}, async (_, server) => {
  using wire = fetchWire();
  const answer = await wire.post({
    url: `https://127.0.0.1:${server.port}/run`,
    body: new Uint8Array(),
    signal: new AbortController().signal,
  });
  assert.equal(answer.kind, "not_sent");
  assert.equal(server.seen.length, 0);
});

Deno.test("fetchWire() says that a host is outside the sandbox, and that trying again is no use", async () => {
  using wire = fetchWire();
  const answer = await wire.post({
    url: "http://192.0.2.1:8000/run",
    body: new Uint8Array(),
    signal: new AbortController().signal,
  });
  assert.equal(answer.kind, "not_sent");
  assert.equal(answer.hopeless, true);
  assert.match(answer.reason, /sandbox/);
});

Deno.test("fetchWire() names neither the local port nor the URL in its reasons, so that equal ones are equal", async () => {
  await using server = new TcpServer(() => "hang up");
  using wire = fetchWire();
  const reasons = new Set<string>();
  for (const url of [`${server.url}/a`, `${server.url}/b`]) {
    for (let again = 0; again < 3; again++) {
      const answer = await wire.post({
        url,
        body: new Uint8Array([1]),
        signal: new AbortController().signal,
      });
      assert.ok(answer.kind === "possibly_delivered");
      reasons.add(answer.reason);
    }
  }
  assert.equal(reasons.size, 1, [...reasons].join(" | "));
});

// Connections.

test("keeps a connection from request to request", {}, async (post, server) => {
  for (let n = 0; n < 5; n++) await post();
  assert.equal(server.connections, 1);
});

test("keeps none when set to never", { reuse: "never" }, async (post, server) => {
  for (let n = 0; n < 5; n++) await post();
  assert.equal(server.connections, 5);
});

Deno.test("fetchWire() stops keeping connections of a server that closes kept ones, and says so once", async () => {
  await using bad = new TcpServer(({ path }) => path === "/swallow" ? "hang up" : {});
  await using good = new TcpServer();
  const told: string[] = [];
  using wire = fetchWire({ onUnkept: (origin) => told.push(origin) });
  const post = (url: string) =>
    wire.post({ url, body: new Uint8Array([1]), signal: new AbortController().signal });
  await post(`${bad.url}/run`);
  await Promise.all([post(`${bad.url}/swallow`), post(`${bad.url}/swallow`)]);
  assert.deepEqual(told, [bad.url]);
  const before = bad.connections;
  for (let n = 0; n < 3; n++) text(await post(`${bad.url}/run`));
  assert.equal(bad.connections, before + 3);
  for (let n = 0; n < 3; n++) text(await post(`${good.url}/run`));
  assert.equal(good.connections, 1);
});

test("keeps them when set to always", {
  reuse: "always",
  serve: ({ path }) => path === "/swallow" ? "hang up" : {},
}, async (post, server) => {
  await post("/swallow");
  for (let n = 0; n < 3; n++) await post();
  assert.equal(server.connections, 2);
});

test("loses no more than one request to a server that closes every connection after its answer", {
  // Without a word in the answer: the client can only find out by trying.
  serve: () => (connection) => write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
}, async (post, server) => {
  const kinds = [];
  for (let n = 0; n < 20; n++) {
    kinds.push((await post("/run", { body: String(n) })).kind);
    await server.isQuiet();
  }
  assert.ok(kinds.filter((kind) => kind !== "answered").length <= 1, kinds.join(" "));
  const bodies = server.seen.map(({ body }) => body);
  assert.equal(new Set(bodies).size, bodies.length, "a request was delivered twice");
});

test("heeds a server that announces the close", {
  serve: () => ({ last: true }),
}, async (post, server) => {
  for (let n = 0; n < 5; n++) text(await post());
  assert.equal(server.connections, 5);
});

// Answers.

test("reads an answer in chunks", {
  serve: raw(
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    "3\r\n[1,\r\n",
    "2\r\n2]\r\n",
    "0\r\n\r\n",
  ),
}, async (post) => {
  assert.equal(text(await post()), "[1,2]");
});

test("reads an answer that ends with its connection", {
  serve: raw("HTTP/1.1 200 OK\r\n\r\n", "[1,", "2]"),
}, async (post) => {
  assert.equal(text(await post()), "[1,2]");
});

test("ignores interim responses", {
  serve: raw("HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
}, async (post) => {
  assert.equal(text(await post()), "{}");
});

test("decompresses a gzip response", {
  serve: () => ({ headers: { "content-encoding": "gzip" }, body: gzipSync("[1,2]") }),
}, async (post) => {
  assert.equal(text(await post()), "[1,2]");
});

test("reports an invalid gzip response as broken", {
  serve: () => ({ headers: { "content-encoding": "gzip" }, body: "[1,2]" }),
}, async (post) => {
  broken(await post());
});

for (
  const [name, head, body] of [
    ["a body that is shorter than announced", "content-length: 100", "[1,2]"],
    ["a body whose last chunk is missing", "transfer-encoding: chunked", "3\r\n[1,\r\n"],
    ["a body with a chunk cut off", "transfer-encoding: chunked", "ff\r\n[1,"],
    ["a body with a chunk of no length", "transfer-encoding: chunked", "zz\r\n[1,"],
  ] as const
) {
  test(
    `calls ${name} broken`,
    { serve: raw(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`) },
    async (post, server) => {
      broken(await post());
      assert.equal(server.seen.length, 1);
    },
  );
}

test("reports a response that is reset half-way as broken", {
  serve: raw("HTTP/1.1 500 Oops\r\ncontent-length: 100\r\n\r\n[1,"),
  server: { leaveBody: true },
}, async (post) => {
  const answer = await post();
  assert.equal(answer.kind === "answered" && answer.status, 500);
  broken(answer);
});

// Redirects: what may be followed is in the contract.

for (const location of ["http://[bad", "//localhost:1/run", "ftp://127.0.0.1/run", ""]) {
  test(`does not follow a 307 to ${JSON.stringify(location)}`, {
    serve: ({ path }) => path === "/run" ? { status: 307, headers: { location } } : {},
  }, async (post, server) => {
    const answer = await post("/run");
    assert.equal(answer.kind === "answered" && answer.status, 307);
    // An empty location is the page itself, which does not help either.
    assert.ok(server.seen.every(({ path }) => path === "/run"));
  });
}

test("reports what became of the request that followed a redirect", {
  serve: ({ path }) => path === "/run" ? { status: 307, headers: { location: "/swallow" } } : "hang up",
}, async (post, server) => {
  assert.equal((await post()).kind, "possibly_delivered");
  assert.equal(server.seen.length, 2);
});

// Limits.

test(
  "takes an answer of exactly max_response_bytes",
  { maxBytes: 5, serve: () => ({ body: "[1,2]" }) },
  async (post) => {
    assert.equal(text(await post()), "[1,2]");
  },
);

test("stops at a response announced as too large", {
  maxBytes: 4,
  serve: () => ({ body: "[1,2]" }),
}, async (post, server) => {
  const answer = await post();
  assert.match(broken(answer), /max_response_bytes=4/);
  assert.equal(answer.kind === "answered" && answer.status, 200);
  assert.equal(server.seen.length, 1);
});

test("stops an answer that grows too large unannounced, while it is still coming", {
  maxBytes: 4,
  serve: () => async (connection) => {
    await write(connection, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1,2]\r\n");
    await closed(connection); // by the client: there is no end of this answer
  },
}, async (post, server) => {
  assert.match(broken(await post()), /max_response_bytes=4/);
  await server.isQuiet();
});

test("measures max_response_bytes after decompression", {
  maxBytes: 1000,
  serve: () => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(" ".repeat(100_000)) }),
}, async (post) => {
  assert.match(broken(await post()), /max_response_bytes=1000/);
});

test("ends an answer that has begun and falls silent", {
  idleTimeoutMs: 30,
  serve: () => async (connection) => {
    await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n[1,");
    await closed(connection);
  },
}, async (post, server) => {
  assert.match(broken(await post()), /idle_timeout_s=0\.03/);
  await server.isQuiet();
});

test("gives every piece of a response the full idle timeout", {
  idleTimeoutMs: 3_600_000,
  serve: raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", "[1,", "2]"),
}, async (post) => {
  assert.equal(text(await post()), "[1,2]");
});

test("reads error statuses within the limits as well", {
  maxBytes: 100,
  idleTimeoutMs: 3_600_000,
  serve: () => ({ status: 500, body: "oops", headers: { "retry-after": "1" } }),
}, async (post) => {
  const answer = await post();
  assert.equal(text(answer), "oops");
  assert.equal(answer.kind === "answered" && answer.retryAfter, "1");
});

// Giving up.

for (const limits of [{}, { maxBytes: 2 ** 31 }, { idleTimeoutMs: 3_600_000 }]) {
  const begun = Promise.withResolvers<void>();
  test(`stops in the middle of a body, with ${JSON.stringify(limits)}`, {
    ...limits,
    serve: () => async (connection) => {
      await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n");
      // More than there is room for on the way: when it is written, the client is reading.
      await write(connection, new Uint8Array(32 << 20));
      begun.resolve();
      await closed(connection);
    },
  }, async (post, server) => {
    const abort = new AbortController();
    const answer = post("/run", { signal: abort.signal });
    await begun.promise;
    abort.abort();
    assert.deepEqual(await answer, { kind: "aborted" });
    await server.isQuiet(); // the connection goes with it
  });
}

test("cancels one request and leaves the others alone", {
  serve: ({ path }) => path === "/held" ? new Promise(() => {}) : { body: path },
}, async (post, server) => {
  const abort = new AbortController();
  const held = post("/held", { signal: abort.signal });
  await server.hasSeen(1);
  const other = post("/other");
  abort.abort();
  assert.deepEqual(await held, { kind: "aborted" });
  assert.equal(text(await other), "/other");
});

// Proxies and certificates.

Deno.test("fetchWire() sends through the proxy it is given, and only there", async () => {
  await using proxy = new TcpServer(({ target }) => ({ body: target }));
  using wire = fetchWire({ proxy: proxy.url });
  const url = `http://127.0.0.1:${deadPort()}/run`;
  const answer = await wire.post({ url, body: new Uint8Array(), signal: new AbortController().signal });
  assert.equal(text(answer), url);
});

Deno.test("fetchWire() trusts a given authority, and says what to do without it", async () => {
  await using server = tlsServer();
  const url = `https://127.0.0.1:${server.port}/run`;
  const request = { url, body: new Uint8Array([1]), signal: new AbortController().signal };
  using trusting = fetchWire({ authorities: [AUTHORITY] });
  assert.equal(text(await trusting.post(request)), "{}");
  using strict = fetchWire();
  const answer = await strict.post(request);
  assert.equal(answer.kind, "not_sent");
  assert.equal(answer.hopeless, true);
  assert.match(answer.reason, /--ca FILE/);
});

function tlsServer(): AsyncDisposable & { port: number } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: CERTIFICATE, key: KEY, onListen: () => {} },
    () => new Response("{}"),
  );
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}
