import assert from "node:assert/strict";
import { join } from "node:path";
import { lockHolder, takeLock } from "../../src/edge/deno_lock.ts";
import { UsageFault } from "../../src/kit/fault.ts";

/** Registers a test that gets the path of a lock in a folder of its own. */
function test(name: string, run: (path: string) => Promise<void>): void {
  Deno.test(name, async () => {
    const folder = await Deno.makeTempDir();
    try {
      await run(join(folder, "a.lock"));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Another process that takes the lock, or tries to. */
class Other implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;

  constructor(path: string, what: "hold" | "unlocked" | "ask" = "hold") {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "--allow-all", "--no-config", "--no-lock", HOLDER, path, what],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#lines = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** What it says next; "" when it is over. */
  async says(): Promise<string> {
    return (await this.#lines.read()).value?.trim() ?? "";
  }

  /** Releases it in the ordinary way. */
  async release(): Promise<void> {
    await this.#process.stdin.close();
    await this.#process.status;
  }

  /** Dies on the spot. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // over already
    }
    await this.#process.status;
    await this.#lines.cancel();
    await this.#process.stdin.close().catch(() => {});
  }
}

const HOLDER = new URL("./_lock_holder.ts", import.meta.url).href;
const QUICK = { beat: 3_600_000, firstBeat: 3_600_000, watch: 1 };
const ELSEWHERE = { host: "elsewhere", pid: 7, since: "2026-01-01T00:00:00.000Z", beat: 3 };

function silent(text: string): void {
  assert.fail(`it should be silent: ${text}`);
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

test("takeLock() names this process in the file, and removes the file at the end", async (path) => {
  const lock = await takeLock(path, "a.jsonl", silent);
  const lease = JSON.parse(await Deno.readTextFile(path));
  assert.equal(lease.pid, Deno.pid);
  assert.equal(lease.host, Deno.hostname());
  assert.ok(Math.abs(Date.parse(lease.since) - Date.now()) < 3_600_000);
  lock.release();
  assert.equal(exists(path), false);
  (await takeLock(path, "a.jsonl", silent)).release();
});

test("takeLock() refuses a second process, naming the first one's process and host", async (path) => {
  await using first = new Other(path);
  assert.deepEqual(JSON.parse(await first.says()), { held: true, says: [] });
  // Its heartbeat goes on meanwhile.
  const lease = async () => {
    const { beat: _, pace: __, ...who } = JSON.parse(await Deno.readTextFile(path));
    return who;
  };
  const before = await lease();
  await using second = new Other(path);
  const { refused, name } = JSON.parse(await second.says());
  assert.equal(name, "UsageFault");
  assert.ok(refused.includes(`process ${first.pid} on ${Deno.hostname()}`), refused);
  assert.match(refused, /since 20\d\d-/);
  assert.deepEqual(await lease(), before, "the refused one has written into it");
  await first.release();
  assert.equal(exists(path), false);
});

test("takeLock() is granted at once after a holder that was killed", async (path) => {
  await using first = new Other(path);
  await first.says();
  await first.kill();
  assert.ok(exists(path), "nobody has taken it away");
  const lock = await takeLock(path, "a.jsonl", silent);
  assert.equal(JSON.parse(await Deno.readTextFile(path)).pid, Deno.pid);
  lock.release();
  assert.equal(exists(path), false);
});

test("takeLock() is granted once the holder has released it, even to one that opened the file before", async (path) => {
  await using first = new Other(path);
  await first.says();
  const late = Deno.openSync(path, { read: true }); // the file that goes away
  await first.release();
  const lock = await takeLock(path, "a.jsonl", silent);
  assert.notEqual(late.statSync().ino, Deno.statSync(path).ino);
  late.close();
  lock.release();
});

test("takeLock() refuses a second process where the file system has no locks, and takes over from a dead one", async (path) => {
  await using first = new Other(path, "unlocked");
  assert.equal(JSON.parse(await first.says()).held, true);
  await using second = new Other(path, "unlocked");
  const { refused } = JSON.parse(await second.says());
  assert.match(
    refused,
    new RegExp(`process ${first.pid} on .* is collecting into it\\. Nothing was touched`),
  );
  await first.kill();
  await using third = new Other(path, "unlocked");
  const { held, says } = JSON.parse(await third.says());
  assert.equal(held, true);
  assert.match(says[0], new RegExp(`names process ${first.pid} .*watching for 5 s`));
});

test("takeLock() watches the lease of another host, and takes it when it does not move", async (path) => {
  await Deno.writeTextFile(path, JSON.stringify(ELSEWHERE));
  const said: string[] = [];
  const lock = await takeLock(path, "a.jsonl", (text) => said.push(text), QUICK);
  assert.equal(said.length, 1);
  assert.match(said[0]!, /process 7 on elsewhere.*watching/);
  assert.equal(JSON.parse(await Deno.readTextFile(path)).host, Deno.hostname());
  lock.release();
});

for (
  const [what, change] of [["beats", { beat: 4 }], ["starts again", {
    since: "2026-01-02T00:00:00.000Z",
  }]] as const
) {
  test(`takeLock() refuses when the lease of another host ${what} while it is watched`, async (path) => {
    await Deno.writeTextFile(path, JSON.stringify(ELSEWHERE));
    const moved = JSON.stringify({ ...ELSEWHERE, ...change });
    await assert.rejects(
      takeLock(path, "a.jsonl", () => Deno.writeTextFileSync(path, moved), QUICK),
      (error) => error instanceof UsageFault && /process 7 on elsewhere/.test(error.message),
    );
    assert.equal(await Deno.readTextFile(path), moved);
  });
}

for (const text of ["", "{", "null", "5", "[]", "\0\0", '{"host":1}']) {
  test(`takeLock() passes over a lease that says ${JSON.stringify(text)}`, async (path) => {
    await Deno.writeTextFile(path, text);
    const lock = await takeLock(path, "a.jsonl", silent);
    assert.equal(JSON.parse(await Deno.readTextFile(path)).pid, Deno.pid);
    lock.release();
  });
}

test("takeLock() notifies its holder when another process has written into the lease", async (path) => {
  const lock = await takeLock(path, "a.jsonl", silent, { ...QUICK, firstBeat: 1 });
  Deno.writeTextFileSync(path, JSON.stringify(ELSEWHERE)); // at once: there is one beat, and it comes after this
  await assert.rejects(lock.lost, /process 7 on elsewhere/);
  lock.release();
  assert.ok(exists(path), "it is the other's file");
});

test("takeLock() beats, so that others see that it lives", async (path) => {
  const lock = await takeLock(path, "a.jsonl", silent, { ...QUICK, firstBeat: 0, beat: 0 });
  // Read in this thread, which is the one that writes: never half of it.
  while (JSON.parse(Deno.readTextFileSync(path)).beat < 3) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  lock.release();
});

test("takeLock() says what is wrong when it cannot create the file", async (path) => {
  await Deno.mkdir(path);
  await assert.rejects(takeLock(path, "a.jsonl", silent), UsageFault);
});

test("lockHolder() names the holder of the lock and does not take it", async (path) => {
  assert.equal(await lockHolder(path), undefined);
  assert.equal(exists(path), false);
  await using other = new Other(path);
  await other.says();
  await using asking = new Other(path, "ask");
  assert.equal(JSON.parse(await asking.says()).pid, other.pid);
  await other.release();
  assert.equal(await lockHolder(path), undefined);
});

test("lockHolder() relies on the heartbeat if the lease is another host's", async (path) => {
  await Deno.writeTextFile(path, JSON.stringify(ELSEWHERE));
  assert.equal((await lockHolder(path))?.host, "elsewhere");
  await Deno.utime(path, new Date(0), new Date(0));
  assert.equal(await lockHolder(path), undefined);
});
