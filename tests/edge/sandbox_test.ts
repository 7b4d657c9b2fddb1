import assert from "node:assert/strict";
import { join } from "node:path";
import { sandbox } from "../../src/edge/sandbox.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { permissionsOf } from "../../src/plan/permissions.ts";
import type { Mission } from "./_intruder.ts";
import { TcpServer } from "./_tcp_server.ts";

/** Lets the intruder loose in a Worker with the permissions of a run. */
async function intrude(
  mission: Mission,
  permissions: Deno.PermissionOptionsObject,
): Promise<Record<string, string>> {
  const worker = new Worker(new URL("./_intruder.ts", import.meta.url), {
    type: "module",
    deno: { permissions },
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => data === "ready" ? worker.postMessage(mission) : resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
    });
  } finally {
    worker.terminate();
  }
}

Deno.test("sandbox() lets the collector's Worker reach the run's servers and files, and nothing else", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  await using decoy = new TcpServer();
  await using server = new TcpServer(({ path }) =>
    path === "/away" ? { status: 302, headers: { location: decoy.url } } : {}
  );
  try {
    const paths = runPaths(join(folder, "a.jsonl")), sibling = join(folder, "secret.txt");
    await Deno.writeTextFile(sibling, "secret");
    const routes = [{ server: "a", url: server.url }];
    const mission = { decoy: decoy.port, server: server.url, sibling, folder, own: paths.rollouts };
    const { allowed, ...came } = await intrude(mission, sandbox(permissionsOf(paths, routes, null)));

    assert.equal(allowed, "mine");
    // Node's sockets put every refusal in these words; that nobody came to the decoy is seen below.
    const refused = /NotCapable|Can't escalate|Requires \w+ access|ECONNREFUSED/;
    const ways = Object.entries(came).filter(([, what]) => what.startsWith("got ") || !refused.test(what));
    assert.deepEqual(Object.fromEntries(ways), {}, "ways out");
    assert.ok(Object.keys(came).length > 30);
    assert.deepEqual([decoy.connections, decoy.seen.length], [0, 0]);
    assert.equal(await Deno.readTextFile(sibling), "secret");
    const files = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(files, ["a.jsonl", "secret.txt"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
