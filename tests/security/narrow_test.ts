import assert from "node:assert/strict";
import { join } from "node:path";
import { TcpServer } from "../edge/_tcp_server.ts";

const PROJECT = join(import.meta.dirname!, "..", "..");

Deno.test("the command line's side gives up the network and programs for good", async () => {
  await using server = new TcpServer();
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "--no-check", "--no-prompt", "-P=rollcall", "--config", join(PROJECT, "deno.json")],
      ...[join(import.meta.dirname!, "_narrowed.ts"), server.url],
    ],
  }).output();
  const said = new TextDecoder().decode(stdout).trim().split("\n");
  assert.deepEqual(
    said,
    ["fetch", "connect", "listen", "run", "ask"].map((what) => `${what}: refused`),
    new TextDecoder().decode(stderr),
  );
  assert.equal(server.connections, 0);
});
