import { fetchWire } from "../edge/_fetch_wire.ts";
import { deadPort, TcpServer, write } from "../edge/_tcp_server.ts";
import { ScriptedWire } from "../fakes/scripted_wire.ts";
import { wireContract } from "./wire_contract.ts";

wireContract("ScriptedWire", (serve) => {
  const wire = new ScriptedWire((post) => {
    if (post.url.startsWith("http://nowhere")) return "refuse";
    const reply = serve(post);
    const said = (reply: Awaited<ReturnType<typeof serve>>) =>
      reply === "break off" ? { body: "[", broken: "closed" } : reply;
    return reply instanceof Promise ? reply.then(said) : said(reply);
  });
  return {
    wire,
    base: "http://server:1",
    otherOrigin: "http://server:2",
    nowhere: "http://nowhere:1/run",
    seen: wire.posts,
    hasSeen: (count) => wire.hasSeen(count),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
});

wireContract("fetchWire", (serve) => {
  const server = new TcpServer(async (request) => {
    const reply = await serve(request);
    if (reply !== "break off") return reply;
    return (connection) => write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[");
  });
  const wire = fetchWire();
  return {
    wire,
    base: server.url,
    otherOrigin: `http://localhost:${server.port}`,
    nowhere: `http://127.0.0.1:${deadPort()}/run`,
    seen: server.seen,
    hasSeen: (count) => server.hasSeen(count),
    async [Symbol.asyncDispose]() {
      wire[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});
