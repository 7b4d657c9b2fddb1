import assert from "node:assert/strict";
import { parse } from "yaml";
import { dumps, type JsonObject, parseJson } from "./json.ts";
import { readCase } from "./script.ts";
import { World, type WorldOptions } from "./world.ts";

const CONFIG = `{
  "env": {"environment_servers": {"legacy_agent": {"entrypoint": "app.py", "root": "{work}/x"}}},
  "given": {"environment_servers": {"legacy_agent": {"port": 1}}},
  "none": {"no_server": true, "environment_servers": {"legacy_agent": {}}},
  "scalar": 1.0
}`;

/** Runs `body` in a world with the reply rules, and closes it. */
async function inWorld(
  replies: string,
  body: (world: World, url: string, work: string) => Promise<void>,
  { more = "", ...options }: { more?: string } & Partial<WorldOptions> = {},
): Promise<void> {
  const [step] =
    readCase(`{"config": ${CONFIG}, "replies": ${replies}, ${more} "steps": [{"command": "collect"}]}`).steps;
  const work = await Deno.makeTempDir({ prefix: "world-" });
  const world = new World(step!, { work, ...options });
  try {
    const config = parseHead(await (await fetch(headUrl(world))).text());
    await body(world, `http://127.0.0.1:${config.env.environment_servers.legacy_agent.port}`, work);
  } finally {
    await world.close();
    await Deno.remove(work, { recursive: true });
  }
}

const headUrl = (world: World) => `http://127.0.0.1:${world.headPort}/global_config_dict_yaml`;
const parseHead = (body: string) => parse(JSON.parse(body));
const post = (url: string, body: string) => fetch(url, { method: "POST", body });

Deno.test("World's head server sends the config, with an address for each server that lacks one", async () => {
  for (const format of ["yaml", "json"]) {
    await inWorld("[]", async (world, url, work) => {
      const response = await fetch(headUrl(world));
      assert.equal(response.headers.get("content-type"), "application/json");
      const config = parseHead(await response.text());
      assert.deepEqual(config.env.environment_servers.legacy_agent, {
        entrypoint: "app.py",
        root: `${work}/x`,
        host: "127.0.0.1",
        port: Number(new URL(url).port),
      });
      assert.deepEqual(config.given.environment_servers.legacy_agent, { port: 1 });
      assert.deepEqual(config.none.environment_servers.legacy_agent, {});
      assert.deepEqual(world.requests, [], "only POSTs are remembered");
    }, { more: `"config_format": "${format}",` });
  }
});

Deno.test("World answers by rule and remembers the requests in order", async () => {
  const replies = `[
    {"path": "/run", "task": 1, "status": 503, "text": "busy", "headers": {"x-why": "load", "content-type": "text/plain"}},
    {"path": "/run", "json": {"reward": 1.0, "name": "$req:name"}},
    {"path": "/broken", "json": "$req:nothing"}
  ]`;
  await inWorld(replies, async (world, url) => {
    const plain = await post(`${url}/run`, '{"_ng_task_index": 0, "name": "é", "n": 1.0}');
    assert.equal(plain.status, 200);
    assert.equal(await plain.text(), '{"reward": 1.0, "name": "é"}');
    const busy = await post(`${url}/run`, '{"_ng_task_index": 1}');
    assert.deepEqual([busy.status, busy.headers.get("x-why"), await busy.text()], [503, "load", "busy"]);
    assert.equal(busy.headers.get("content-type"), "text/plain");
    const none = await post(`${url}/other?x=1`, "not json");
    assert.deepEqual([none.status, await none.text()], [404, "no rule in the case for this request"]);
    const broken = await post(`${url}/broken`, "{}");
    assert.deepEqual([broken.status, await broken.text()], [
      500,
      "the case cannot answer this request: TypeError: the request has no nothing",
    ]);
    assert.deepEqual(world.requests.map(dumps), [
      '{"server": "env", "path": "/run", "body": {"_ng_task_index": 0, "name": "é", "n": 1.0}}',
      '{"server": "env", "path": "/run", "body": {"_ng_task_index": 1}}',
      '{"server": "env", "path": "/other?x=1", "body": "not json"}',
      '{"server": "env", "path": "/broken", "body": {}}',
    ]);
  });
});

Deno.test("World drops a connection, and remembers the request", async () => {
  await inWorld('[{"drop": true, "times": 1}, {"json": {}}]', async (world, url) => {
    await assert.rejects(post(`${url}/run`, '{"first": 1}'));
    assert.equal(await (await post(`${url}/run`, '{"second": 1}')).text(), "{}");
    const bodies = world.requests.map((request) => Object.keys(request.body as JsonObject)[0]);
    assert.deepEqual(new Set(bodies), new Set(["first", "second"]));
  });
});

Deno.test("World writes a rule's files before it answers", async () => {
  const replies = '[{"write": {"a/b.json": {"n": 1.0}, "c.txt": "as it is"}, "json": {}}]';
  await inWorld(replies, async (_world, url, work) => {
    await (await post(`${url}/run`, "{}")).text();
    assert.equal(await Deno.readTextFile(`${work}/a/b.json`), '{"n": 1.0}\n');
    assert.equal(await Deno.readTextFile(`${work}/c.txt`), "as it is");
  });
});

Deno.test("World counts the /run requests that are in progress at once, and no others", async () => {
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const sleep = (seconds: number) => {
    assert.equal(seconds, 0.5);
    if (++waiting === 3) both.resolve();
    return both.promise;
  };
  await inWorld('[{"delay": 0.5, "json": {}}]', async (world, url) => {
    const answers = await Promise.all(["/run", "/run", "/other"].map((path) => post(url + path, "{}")));
    await Promise.all(answers.map((answer) => answer.text()));
    await (await post(`${url}/run`, "{}")).text();
    assert.equal(world.peak, 2);
  }, { sleep });
});

Deno.test("World.close() ends delays", async () => {
  const began = Promise.withResolvers<void>();
  let ended = false;
  const sleep = async (_seconds: number, signal: AbortSignal) => {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => aborted.resolve());
    began.resolve();
    await aborted.promise;
    ended = true;
  };
  await inWorld('[{"delay": 1000, "json": {}}]', async (world, url) => {
    // Whether the answer still gets out before the connection is cut is left open.
    const answer = post(`${url}/run`, "{}").then((response) => response.text()).catch(() => {});
    await began.promise;
    await world.close();
    assert.ok(ended);
    await answer;
  }, { sleep });
});

Deno.test("World without a head server gives a port on which nothing listens", async () => {
  const [step] = readCase('{"config": {}, "steps": [{"command": "collect", "no_head": true}]}').steps;
  const world = new World(step!, { work: "unused" });
  await assert.rejects(fetch(headUrl(world)), TypeError);
  await world.close();
});

Deno.test("World keeps the numbers of the config as they are written", async () => {
  await inWorld("[]", async (world) => {
    const text = parseJson(await (await fetch(headUrl(world))).text());
    assert.match(String(text), /^scalar: 1\.0$/m);
  });
});
