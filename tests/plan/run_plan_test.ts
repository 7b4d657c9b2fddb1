import assert from "node:assert/strict";
import { runPaths } from "../../src/plan/paths.ts";
import {} from "../../src/plan/score_plan.ts";
import { hostPort, permissionsOf } from "../../src/plan/permissions.ts";

for (
  const [url, want] of [
    ["http://127.0.0.1:8000", "127.0.0.1:8000"],
    ["http://127.0.0.1", "127.0.0.1:80"],
    ["http://host:80/base", "host:80"],
    ["https://host", "host:443"],
    ["https://host:443", "host:443"],
    ["https://host:80", "host:80"],
    ["http://host:443", "host:443"],
    ["HTTPS://HOST.example/run", "host.example:443"],
    ["http://[::1]:8000", "[::1]:8000"],
    ["http://[::1]", "[::1]:80"],
    ["https://[2001:DB8:0:0::7]/x", "[2001:db8::7]:443"],
    ["http://user:secret@proxy.example:3128", "proxy.example:3128"],
    ["socks5://proxy.example", "proxy.example:1080"],
    ["socks5h://[::1]:9050", "[::1]:9050"],
  ] as const
) {
  Deno.test(`hostPort() of ${url} is ${want}`, () => assert.equal(hostPort(url), want));
}

Deno.test("hostPort() is what the runtime's net permission takes", async () => {
  for (
    const url of ["http://127.0.0.1", "https://host.example", "http://[::1]:8000", "http://[2001:db8::7]"]
  ) {
    const state = await Deno.permissions.query({ name: "net", host: hostPort(url) });
    assert.ok(["granted", "prompt", "denied"].includes(state.state), url);
  }
});

const paths = runPaths("/runs/a.jsonl");
const route = (server: string, url: string) => ({ server, url });

Deno.test("permissionsOf() names every server once, in order, and the proxy if there is one", () => {
  const routes = [
    route("b", "http://host-b:1"),
    route("a", "http://host-a:2/base"),
    route("a2", "http://host-a:2/other"),
    route("s", "https://host-s"),
  ];
  assert.deepEqual(permissionsOf(paths, routes, null).net, ["host-a:2", "host-b:1", "host-s:443"]);
  assert.deepEqual(permissionsOf(paths, routes.slice(0, 1), "http://proxy:3128").net, [
    "host-b:1",
    "proxy:3128",
  ]);
  assert.deepEqual(permissionsOf(paths, [], null).net, []);
});

Deno.test("permissionsOf() covers the run's files and nothing else: no folder, no lock", () => {
  const { read, write } = permissionsOf(paths, [], null);
  const { folder, lock, inputsUnordered, ...files } = paths, own = Object.values(files).sort();
  assert.deepEqual([...read].sort(), own);
  assert.deepEqual([...write].sort(), own);
  assert.ok(![...read, ...write].some((path) => [folder, lock, inputsUnordered].includes(path)));
});

Deno.test("a run with captures may read their folder, and not write there", () => {
  const paths = runPaths("/data/a.jsonl"), captures = "/shared/captures";
  const without = permissionsOf(paths, [], null),
    { net, read, write } = permissionsOf(paths, [], null, captures);
  assert.deepEqual({ net, write }, { net: without.net, write: without.write });
  assert.deepEqual(read, [...without.read, captures]);
});
