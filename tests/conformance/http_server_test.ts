import assert from "node:assert/strict";
import { type HttpHandler, HttpServer } from "./http_server.ts";

const encoder = new TextEncoder();

/** Answers with what it was asked; `/drop` closes the connection. */
const mirror: HttpHandler = ({ method, path, body }) =>
  Promise.resolve(
    path === "/drop" ? "drop" : {
      status: 201,
      headers: { "x-case": "yes" },
      body: encoder.encode(`${method} ${path} ${new TextDecoder().decode(body)}`),
    },
  );

/** What comes back on one connection until it is closed. */
async function talk(port: number, request: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(encoder.encode(request));
  return await new Response(connection.readable).text();
}

Deno.test("HttpServer answers several requests on one connection", async () => {
  const server = new HttpServer(mirror);
  const get = "GET /a?b=1 HTTP/1.1\r\nhost: x\r\n";
  assert.equal(
    await talk(server.port, `${get}\r\n${get}connection: close\r\n\r\n`),
    "HTTP/1.1 201 Created\r\nx-case: yes\r\ncontent-length: 11\r\n\r\nGET /a?b=1 ".repeat(2),
  );
  await server.close();
});

Deno.test("HttpServer reads a body by its length or in chunks", async () => {
  const server = new HttpServer(mirror);
  const post = "POST / HTTP/1.1\r\nconnection: close\r\n";
  const sized = await talk(server.port, `${post}content-length: 5\r\n\r\nhello`);
  const chunked = await talk(
    server.port,
    `${post}transfer-encoding: chunked\r\n\r\n2;x=1\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`,
  );
  assert.match(sized, /POST \/ hello$/);
  assert.equal(chunked, sized);
  await server.close();
});

Deno.test("HttpServer closes the connection of a dropped request without a byte", async () => {
  const server = new HttpServer(mirror);
  assert.equal(await talk(server.port, "GET /drop HTTP/1.1\r\n\r\n"), "");
  await assert.rejects(fetch(`http://127.0.0.1:${server.port}/drop`));
  await server.close();
});

Deno.test("HttpServer.close() cuts open connections and takes no others", async () => {
  let handled = 0;
  const server = new HttpServer((...request: Parameters<typeof mirror>) => {
    handled++;
    return mirror(...request);
  });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  await connection.write(encoder.encode("GET / HTTP/1.1\r\n\r\n"));
  await connection.read(new Uint8Array(1000)); // accepted, and idle from now on
  await server.close();
  assert.equal(await connection.read(new Uint8Array(1)), null);
  connection.close();
  // Whoever has the port by now, tests that run at the same time among them, it is not this server.
  await fetch(`http://127.0.0.1:${server.port}/`).then((other) => other.body?.cancel(), () => {});
  assert.equal(handled, 1);
});
