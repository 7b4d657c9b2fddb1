import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch, start } from "./_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl"];
// deno-lint-ignore no-control-regex -- escape sequences are what is looked for
const ESCAPE = /\x1b/;

Deno.test("rollcall writes no escape sequences where there is no terminal", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall([...GO, ...gym.flag], {
    cwd: scratch.path,
    env: { TERM: "xterm-256color" },
  });
  assert.equal(code, 0, err);
  assert.doesNotMatch(err, ESCAPE);
});

Deno.test("rollcall lets no line that a server says pass for one of its own", async () => {
  await using gym = new Gym(({ n }) =>
    n ? reward(1) : {
      body: JSON.stringify({
        _ng_failure_class: "x\nforged",
        _ng_failure_message: "boo\nforged\r\nforged",
      }),
    }
  );
  await using scratch = new Scratch();
  scratch.tasks(2);
  const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.match(err, /boo/);
  assert.doesNotMatch(err, /^forged/m);
});

Deno.test("rollcall takes the escape sequences out of what servers say", async () => {
  await using gym = new Gym(({ n }) =>
    n
      ? reward(1)
      : { body: JSON.stringify({ _ng_failure_class: "x", _ng_failure_message: "\x1b[2Jboo\x1b[0m" }) }
  );
  await using scratch = new Scratch();
  scratch.tasks(2);
  const { err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.match(err, /boo/);
  assert.doesNotMatch(err, ESCAPE);
});

for (const stream of ["stdout", "stderr"] as const) {
  Deno.test(`rollcall collect takes a ${stream} that nobody reads for no reason to fail`, async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(3);
    await using process = start([...GO, ...gym.flag, "--json"], { cwd: scratch.path, deaf: stream });
    const { code, err } = await process.ends();
    assert.equal(code, 0, err);
    assert.equal(scratch.rows("r.jsonl").length, 3);
  });
}

Deno.test("rollcall plan into a pipe that is closed after a line ends well", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, out, err } = await rollcall(["plan", "-i", "tasks.jsonl", "-o", "r.jsonl", ...gym.flag], {
    cwd: scratch.path,
    wrap: ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "-"],
  });
  assert.equal(code, 0, err);
  assert.equal(err, "");
  assert.equal(out.split("\n").length, 2);
});

Deno.test("rollcall --help tells the exit codes, and --version the versions", async () => {
  await using scratch = new Scratch();
  const help = await rollcall(["--help"], { cwd: scratch.path });
  assert.equal(help.code, 0);
  assert.match(help.out, /130/);
  const version = await rollcall(["--version"], { cwd: scratch.path });
  assert.equal(version.code, 0);
  assert.match(version.out, /^rollcall \d+\.\d+\.\d+ \(commit \w+\)\n.* NeMo Gym 0\.7\.0\nDeno \d+\./);
  assert.equal((await rollcall([], { cwd: scratch.path })).code, 2);
});

Deno.test({
  name: "rollcall collect comes to its end when nothing can be written to its log or to standard output",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    // A log that is full costs nothing; a result that could not be written is an error, whatever the run did.
    for (const [full, want] of [["2>/dev/full", 0], [">/dev/full", 1], [">/dev/full 2>&1", 1]] as const) {
      await using gym = new Gym(({ n }) =>
        n ? reward(1) : { body: JSON.stringify({ _ng_failure_class: "x", _ng_failure_message: "m" }) }
      );
      await using scratch = new Scratch();
      scratch.tasks(4);
      await using process = start([
        "collect",
        "-i",
        "tasks.jsonl",
        "-o",
        "out/r.jsonl",
        "-c",
        "3",
        "--json",
        ...gym.flag,
      ], {
        cwd: scratch.path,
        wrap: ["bash", "-c", `exec "$@" ${full}`, "-"],
      });
      const { code, err } = await process.ends();
      assert.equal(code, want, `${full}: ${err}`);
      assert.equal(scratch.rows("out/r.jsonl").length, 3);
    }
  },
});
