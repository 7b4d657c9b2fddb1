/**
 * One POST an attempt and the right class of error, on whatever release of Deno runs this: run it from the sources on
 * each release that `src/edge/runtime.ts` names. The server is a raw socket that counts requests.
 */
import assert from "node:assert/strict";
import { fetchWire } from "../edge/_fetch_wire.ts";
import { AUTHORITY, CERTIFICATE, KEY } from "../edge/_certificates.ts";
import { deadPort, type Serve, TcpServer, type TcpServerOptions, write } from "../edge/_tcp_server.ts";
import { Agent, audit } from "./_agent.ts";
import { Door } from "./_door.ts";
import { start } from "./_rollcall.ts";

const SIZES = { "a small body": 300, "a large body": 3_000_000 };

const swallow: Serve = ({ path }) => path === "/swallow" ? "hang up" : {};
const breakOff: Serve = ({ path }) =>
  path !== "/swallow" ? {} : (connection) => write(connection, "HTTP/1.1 200 OK\r\ncontent-le");
const reset: TcpServerOptions = { leaveBody: true };

for (
  const [how, serve, options] of [
    ["closed", swallow, {}],
    ["closed in the middle of an answer's head", breakOff, {}],
    ["reset", swallow, reset],
  ] as [string, Serve, TcpServerOptions][]
) {
  for (const [what, size] of Object.entries(SIZES)) {
    for (const kept of [false, true]) {
      // Resetting needs a body that is left unread, after which a kept connection is of no use.
      if (how === "reset" && kept) continue;
      Deno.test(`${what} is sent once over a ${kept ? "kept" : "fresh"} connection that is ${how}`, async () => {
        await using server = new TcpServer(serve, options);
        for (const reuse of ["auto", "always", "never"] as const) {
          using wire = fetchWire({ reuse });
          const before = server.seen.length;
          const post = (path: string) =>
            wire.post({
              url: server.url + path,
              body: new Uint8Array(size).fill(120),
              signal: new AbortController().signal,
            });
          if (kept) assert.equal((await post("/run")).kind, "answered");
          const answer = await post("/swallow");
          assert.equal(answer.kind, "possibly_delivered");
          await server.isQuiet();
          assert.equal(server.seen.length - before, kept ? 2 : 1);
          for (const { headers, body } of server.seen.slice(before)) {
            assert.equal(headers.get("content-length"), String(size), "the length stands in front");
            assert.equal(headers.get("transfer-encoding"), null);
            if (!options.leaveBody) assert.equal(body.length, size);
          }
        }
      });
    }
  }
}

Deno.test("requests that wait for a connection of a full pool are sent once each", async () => {
  await using server = new TcpServer(({ body }) => Number(body) % 3 === 0 ? "hang up" : {});
  using wire = fetchWire({ reuse: "always" });
  const signal = new AbortController().signal;
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, n) =>
      wire.post({
        url: `${server.url}/run`,
        body: new TextEncoder().encode(String(round * 20 + n)),
        signal,
      })));
  }
  await server.isQuiet();
  const bodies = server.seen.map(({ body }) => body);
  assert.equal(new Set(bodies).size, bodies.length, "a request was sent twice");
});

async function notSent(url: string): Promise<{ reason: string; hopeless: boolean }> {
  using wire = fetchWire();
  const answer = await wire.post({
    url,
    body: new TextEncoder().encode("{}"),
    signal: new AbortController().signal,
  });
  assert.equal(answer.kind, "not_sent");
  return { reason: answer.reason, hopeless: answer.hopeless ?? false };
}

Deno.test("a refused connection was not sent, and may be tried again", async () => {
  const { reason, hopeless } = await notSent(`http://127.0.0.1:${deadPort()}/run`);
  assert.equal(reason, "connection refused");
  assert.equal(hopeless, false);
});

Deno.test("a certificate that is not trusted was not sent to, and trying again is no use", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: CERTIFICATE, key: KEY, onListen: () => {} },
    () => new Response("{}"),
  );
  const url = `https://127.0.0.1:${server.addr.port}/run`;
  const { reason, hopeless } = await notSent(url);
  assert.match(reason, /certificate.*--ca FILE/);
  assert.equal(hopeless, true);
  using wire = fetchWire({ authorities: [AUTHORITY] });
  const answer = await wire.post({ url, body: new Uint8Array(), signal: new AbortController().signal });
  assert.equal(answer.kind, "answered");
  await server.shutdown();
});

Deno.test({
  name: "a host outside the sandbox was not sent to, and trying again is no use",
  // Deno 2.7 forgets the body of a request that it does not allow.
  sanitizeResources: false,
  sanitizeOps: false,
  async fn() {
    const { reason, hopeless } = await notSent("http://192.0.2.1:8000/run");
    assert.match(reason, /the sandbox does not allow it/);
    assert.equal(hopeless, true);
  },
});

Deno.test("a whole run: an unknown name is not tried again", async () => {
  const run = start({
    rows: 5,
    url: "http://no-such-host.invalid:8000",
    args: ["--route-failures-to-sidecar"],
  });
  const { failures, summary } = await run.ended;
  assert.equal(failures.length, 1);
  assert.equal(failures[0]!._ng_failure_delivery, "not_sent");
  assert.equal(summary?.left, 4);
});

Deno.test("a whole run: a server that restarts loses no row, and sees each attempt once", async () => {
  const rows = 60;
  let door!: Door;
  const shut = Promise.withResolvers<void>();
  await using agent = new Agent((_, { deliveries }) => {
    if (deliveries.length === 20) {
      door.shut();
      shut.resolve();
    }
    return undefined;
  });
  await using opened = door = new Door(agent.port);
  const run = start({ rows, url: `http://127.0.0.1:${opened.port}`, args: ["-c", "4"] });
  await run.until(shut.promise);
  await run.says(/unreachable/);
  door.open();
  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, rows);
  audit(ended, agent, rows);
});
