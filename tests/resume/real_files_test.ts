/**
 * What can go wrong with real files in the middle of a run: each time a clear error and exit code 1, what was written
 * stays whole, and a resume finishes the work once the cause is gone. Runs the program itself.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { HttpServer } from "../conformance/http_server.ts";
import { commandOf, run } from "../kill/program.ts";

const command = commandOf(Deno.env.get("ROLLCALL_BIN"));
const ROWS = 30;

/** A folder with tasks, and a server for them. */
class Place implements AsyncDisposable {
  /** Called before each answer, with how many there were. */
  before: (answered: number) => void | Promise<void> = () => {};
  readonly folder: string;
  readonly output: string;
  /** Size of a result. */
  size = 50_000;
  #answered = 0;
  readonly #server = new HttpServer(async ({ path, body }) => {
    const answer = (text: string) => ({ status: 200, headers: {}, body: new TextEncoder().encode(text) });
    if (path !== "/run") return answer('{"agent_metrics":{},"key_metrics":{}}');
    const { q } = JSON.parse(new TextDecoder().decode(body));
    await this.before(this.#answered++);
    return answer(`{"reward":1.0,"q":${q},"text":"${"é☃".repeat(this.size / 5)}"}`);
  });

  /** @param runs the folder of the output, if not one below the tasks */
  constructor(runs?: string) {
    this.folder = Deno.makeTempDirSync({ prefix: "files-" });
    this.output = join(runs ?? join(this.folder, "runs"), "a.jsonl");
    const tasks = Array.from(
      { length: ROWS },
      (_, q) => `{"q":${q},"agent_ref":{"name":"s"},"responses_create_params":{}}\n`,
    );
    Deno.writeTextFileSync(join(this.folder, "in.jsonl"), tasks.join(""));
  }

  get args(): string[] {
    return [
      ...["collect", "--input", join(this.folder, "in.jsonl"), "--output", this.output, "--concurrency", "2"],
      ...["--server", `s=http://127.0.0.1:${this.#server.port}`, "--quiet"],
    ];
  }

  collect(...more: string[]) {
    return run(command, [...this.args, ...more]);
  }

  /** The lines of a file, each of which must be JSON. */
  lines(path = this.output): { q: number }[] {
    const text = Deno.readTextFileSync(path);
    assert.ok(text === "" || text.endsWith("\n"), "ends in a line break");
    return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  /** Resumes, and checks that every task is there once. */
  async finish(): Promise<void> {
    this.before = () => {};
    const { code, stderr } = await this.collect("+resume_from_cache=true");
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      this.lines().map(({ q }) => q).sort((a, b) => a - b),
      Array.from({ length: ROWS }, (_, q) => q),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await Deno.remove(this.folder, { recursive: true });
  }
}

function can(program: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** A small disk, where this process may mount one. */
function smallDisk(): string | undefined {
  const folder = Deno.makeTempDirSync({ prefix: "disk-" });
  if (can("mount", "-t", "tmpfs", "-o", "size=600k", "none", folder)) return folder;
  Deno.removeSync(folder);
  return undefined;
}

Deno.test("collect stops when the disk is full, and goes on when there is room", async (test) => {
  const disk = smallDisk();
  if (!disk) return void await test.step({ name: "needs a mount", ignore: true, fn: () => {} });
  try {
    await using place = new Place(disk);
    const { code, stderr } = await place.collect();
    assert.equal(code, 1, stderr);
    assert.match(stderr, /Cannot write to .*a\.jsonl: No space left on device.*--resume/);
    const before = place.lines().length;
    assert.ok(before > 3 && before < ROWS, `${before} lines`);
    assert.ok(can("mount", "-o", "remount,size=50m", disk));
    await place.finish();
  } finally {
    can("umount", disk);
    Deno.removeSync(disk);
  }
});

Deno.test("collect says before anything is sent that the disk is full", async (test) => {
  const disk = smallDisk();
  if (!disk) return void await test.step({ name: "needs a mount", ignore: true, fn: () => {} });
  try {
    await using place = new Place(disk);
    let sent = 0;
    place.before = () => void sent++;
    can("dd", "if=/dev/zero", `of=${join(disk, "full")}`, "bs=4k");
    const { code, stderr } = await place.collect();
    assert.equal(code, 2, stderr);
    assert.match(stderr, /No space left on device/);
    assert.doesNotMatch(stderr, /^\s+at /m, "no stack");
    assert.equal(sent, 0);
    Deno.removeSync(join(disk, "full"));
    assert.ok(can("mount", "-o", "remount,size=50m", disk));
    await place.finish();
  } finally {
    can("umount", disk);
    Deno.removeSync(disk);
  }
});

Deno.test("collect stops when a file reaches the limit of its size, and goes on without the limit", async () => {
  await using place = new Place();
  // From sources, the runtime writes into files of its own before rollcall is there to take the signal.
  const spared = Deno.env.get("ROLLCALL_BIN") ? "" : "trap '' XFSZ; ";
  const limited = ["-c", `${spared}ulimit -f 500; exec "$@"`, "sh", ...command, ...place.args];
  const { code, stderr } = await run(["sh"], limited);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /Cannot write to .*a\.jsonl: File too large/);
  const before = place.lines().length;
  assert.ok(before > 3 && before < ROWS, `${before} lines`);
  await place.finish();
});

Deno.test("collect notices that its output was removed, and that it was replaced", async () => {
  for (const replaced of [false, true]) {
    await using place = new Place();
    place.size = 100;
    place.before = async (answered) => {
      if (answered === 5) {
        Deno.removeSync(place.output);
        if (replaced) Deno.writeTextFileSync(place.output, '{"somebody":"else"}\n');
      }
      if (answered > 5) await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const { code, stderr } = await place.collect();
    assert.equal(code, 1, stderr);
    assert.match(stderr, /a\.jsonl was removed or replaced while the run was writing to it/);
    if (!replaced) await place.finish();
  }
});

Deno.test("collect says that the metrics cannot be written into a folder that has become read-only", async (test) => {
  await using place = new Place();
  place.size = 100;
  const folder = join(place.folder, "runs");
  let locked = false;
  place.before = (answered) => {
    if (answered === 5) locked = can("chattr", "+i", folder);
  };
  try {
    const { code, stderr } = await place.collect();
    if (!locked) return void await test.step({ name: "needs chattr", ignore: true, fn: () => {} });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /a_aggregate_metrics\.json/);
    assert.doesNotMatch(stderr, /^\s+at /m, "no stack");
    assert.equal(place.lines().length, ROWS);
  } finally {
    can("chattr", "-i", folder);
  }
  await place.finish();
});

Deno.test("collect says that a read-only folder cannot hold a run, before anything is sent", async (test) => {
  await using place = new Place();
  const folder = join(place.folder, "runs");
  Deno.mkdirSync(folder);
  if (!can("chattr", "+i", folder)) {
    return void await test.step({ name: "needs chattr", ignore: true, fn: () => {} });
  }
  try {
    const { code, stderr } = await place.collect();
    assert.equal(code, 2, stderr);
    assert.match(stderr, /Cannot write in the folder of the output: /);
  } finally {
    can("chattr", "-i", folder);
  }
  await place.finish();
});

Deno.test("collect names a sidecar that it cannot use, and sends nothing", async () => {
  await using place = new Place();
  place.size = 100;
  let sent = 0;
  place.before = () => void sent++;
  assert.equal((await place.collect("--limit", "3", "+disable_aggregation=true")).code, 0);
  const sidecar = join(place.folder, "runs", "a_failures.jsonl");
  Deno.removeSync(sidecar);
  Deno.mkdirSync(sidecar);
  const { code, stderr } = await place.collect("--limit", "3", "+resume_from_cache=true");
  assert.equal(code, 2, stderr);
  assert.match(stderr, /a_failures\.jsonl/);
  assert.doesNotMatch(stderr, /^\s+at /m, "no stack");
  assert.equal(sent, 3);
  assert.equal(place.lines().length, 3);
  Deno.removeSync(sidecar);
  assert.equal((await place.collect("--limit", "3", "+resume_from_cache=true")).code, 0);
});

Deno.test("collect refuses an output that another one writes to, naming it; a killed one does not block", async () => {
  await using place = new Place();
  place.size = 100;
  const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>();
  place.before = (answered) => {
    begun.resolve();
    return answered < 2 ? end.promise : undefined;
  };
  const [program, ...args] = [...command, ...place.args];
  const first = new Deno.Command(program!, { args, stdout: "null", stderr: "null" }).spawn();
  await begun.promise;
  const before = Deno.readTextFileSync(join(place.folder, "runs", "a_materialized_inputs.jsonl"));
  for (const more of [[], ["+resume_from_cache=true"]]) {
    const { code, stderr } = await place.collect(...more);
    assert.equal(code, 2, stderr);
    const [, pid, host] = /process (\d+) on (\S+), since \S+, is collecting into it/.exec(stderr)!;
    assert.equal(host, Deno.hostname());
    if (Deno.env.get("ROLLCALL_BIN")) assert.equal(Number(pid), first.pid);
  }
  const status = async () => JSON.parse((await run(command, ["status", place.output, "--json"])).stdout);
  const running = await status();
  assert.deepEqual([running.running, running.materialized, running.left], [true, ROWS, ROWS]);
  assert.equal(Deno.readTextFileSync(join(place.folder, "runs", "a_materialized_inputs.jsonl")), before);

  first.kill("SIGKILL");
  await first.status;
  end.resolve();
  assert.equal((await status()).running, false);
  await place.finish();
  assert.equal((await status()).left, 0);
});
