/** Cases from the field: what people mistype, and machines on which little is there. */
import assert from "node:assert/strict";
import { deadPort } from "../edge/_tcp_server.ts";
import { Gym, rollcall, Scratch } from "../e2e/_rollcall.ts";

/** In a network of its own, in which nothing is but loopback. */
const UP = "ip link set lo up";
/** In a mount namespace of its own. */
const BOUND = 'cd "$(mktemp -d)" && mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind /';
const COLLECT = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl"];

Deno.test("+num_repeat=4, a misspelt agent and a dead head server are named with the nearest name, and nothing is sent", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(1);
  const refused = async (...args: string[]) => {
    const { code, err } = await rollcall([...COLLECT, ...args], { cwd: scratch.path });
    assert.equal(code, 2, err);
    return err;
  };
  assert.match(await refused(...gym.flag, "+num_repeat=4"), /num_repeats/);
  assert.match(await refused("--server", `math_agent=${gym.url}`, "--agent", "maht_agent"), /math_agent/);
  const head = `127.0.0.1:${deadPort()}`;
  assert.ok((await refused("--head", head)).includes(head));
  assert.equal(gym.seen.length, 0);
});

Deno.test("no home folder, no temporary folder and a folder that is all there is to write into: it works", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const nowhere = { HOME: "/nonexistent", TMPDIR: "/nonexistent", XDG_CACHE_HOME: "/nonexistent" };
  // Deno itself looks for its cache below the home folder; the executable needs none.
  const dir = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
  const { code, err } = await rollcall([...COLLECT, ...gym.flag], {
    cwd: scratch.path,
    env: { ...nowhere, DENO_DIR: dir },
  });
  assert.equal(code, 0, err);
  assert.equal(scratch.rows("r.jsonl").length, 2);
});

Deno.test({
  name: "no network but loopback: the demo collects, scores and ends well",
  ignore: Deno.build.os !== "linux" || !mayUnshare("-rn", UP),
  async fn() {
    await using scratch = new Scratch();
    const { code, err, out } = await rollcall(["demo", "--json", "--quiet"], {
      cwd: scratch.path,
      wrap: ["unshare", "-rn", "sh", "-c", `${UP} && exec "$@"`, "sh"],
    });
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).ending, "complete");
  },
});

Deno.test({
  name: "a file system that is read-only but for the output's folder: it works",
  ignore: Deno.build.os !== "linux" || !Deno.env.has("ROLLCALL_BIN") || !mayUnshare("-rm", BOUND),
  async fn() {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(2);
    const script =
      'mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind / && ! touch /rollcall-test 2>/dev/null && cd "$PWD" && exec "$@"';
    const { code, err } = await rollcall([...COLLECT, ...gym.flag], {
      cwd: scratch.path,
      wrap: ["unshare", "-rm", "sh", "-c", script, "sh"],
    });
    assert.equal(code, 0, err);
    assert.equal(scratch.rows("r.jsonl").length, 2);
  },
});

function mayUnshare(flags: string, script: string): boolean {
  try {
    return new Deno.Command("unshare", { args: [flags, "sh", "-c", script] }).outputSync().success;
  } catch {
    return false;
  }
}
