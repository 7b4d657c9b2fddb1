/** What hurt a command before anything was sent: each is exit code 2 and a message, and never a stack. */
import assert from "node:assert/strict";
import { Gym, rollcall, Scratch, start } from "../_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "runs/a.jsonl"];
const DEAD = "--server=a=http://127.0.0.1:1"; // nothing is sent, so nobody has to be there

const DEEP = 20_000;

const CASES: readonly [string, (scratch: Scratch) => readonly string[], RegExp][] = [
  [
    "hosts that are none",
    () => [
      "--server=a=http://a,b:1",
      "--server=b=http://*:1",
      "--server=c=http://a..b:1",
      "--proxy",
      "http://*:1",
    ],
    /"a,b" is not the name of a host\n[^]*"\*" is not[^]*"a\.\.b" is not/,
  ],
  [
    "JSON configuration that is nested 20,000 deep",
    (
      s,
    ) => [
      DEAD,
      "--config",
      s.write("c.json", `{"responses_create_params":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`),
    ],
    /c\.json:1:\d+ as JSON with comments: it is nested more than 100 deep/,
  ],
  [
    "YAML configuration that is nested 20,000 deep",
    (
      s,
    ) => [
      DEAD,
      "--config",
      s.write("c.yaml", `responses_create_params: ${"{a: ".repeat(DEEP)}1${"}".repeat(DEEP)}`),
    ],
    /c\.yaml.* as YAML: it is nested more than 100 deep/,
  ],
  [
    "a key that stands twice in a JSON configuration",
    (s) => [DEAD, "--config", s.write("c.json", '{"limit": 1,\n "limit": 2}')],
    /c\.json:2:2 as JSON with comments: a key that stands twice in one map/,
  ],
  [
    "more repeats than anybody can mean",
    () => [DEAD, "-n", "99999999999"],
    /num_repeats must be at most 1000000, got 99999999999/,
  ],
  [
    "an output that would be its own lock",
    () => [DEAD, "+output_jsonl_fpath=runs/x.lock"],
    /the lock of the run has that name/,
  ],
  [
    "a proxy with a token and a password",
    () => [DEAD, "--proxy", "ftp://me:hush@proxy:1/?token=hush&x=hush#hush"],
    /proxy.* must be http:\/\/HOST:PORT/,
  ],
];

for (const [what, args, message] of CASES) {
  Deno.test(`${what}: an error before anything is touched`, async () => {
    await using scratch = new Scratch();
    scratch.tasks(2);
    const given = [...GO, ...args(scratch)], before = scratch.snapshot();
    const { code, out, err } = await rollcall(given, { cwd: scratch.path });
    assert.equal(code, 2, err);
    assert.equal(out, "");
    assert.match(err, message);
    assert.doesNotMatch(err, /\n\s+at |RangeError|hush/);
    assert.deepEqual(scratch.snapshot(), before);
  });
}

Deno.test("a token in a proxy's address is in no file and no output, and an odd manifest is an error of a resume", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const at = { cwd: scratch.path }, manifest = "runs/a_manifest.json";
  // Nothing is behind the proxy's port, so the run fails; its manifest is there all the same.
  const proxied = [
    ...GO,
    ...gym.flag,
    "--proxy",
    "http://me:hush@127.0.0.1:1/?token=hush#hush",
    "--retry-window",
    "0",
  ];
  const planned = await rollcall(["plan", ...proxied.slice(1), "--json"], at);
  const ended = await rollcall([...proxied, "--json"], at);
  assert.equal(ended.code, 1, ended.err);
  const everything = [planned.out, planned.err, ended.out, ended.err, ...Object.values(scratch.snapshot())]
    .join("\n");
  assert.doesNotMatch(everything, /hush/);
  assert.match(scratch.snapshot()[manifest]!, /"proxy": "http:\/\/•••@127\.0\.0\.1:1\/\?token=•••"/);

  const text = scratch.snapshot()[manifest]!;
  const odd = [
    JSON.stringify({ ...JSON.parse(text), config: null }),
    JSON.stringify({ ...JSON.parse(text), runs: [null], output: {} }),
    text.replace('"limit": null', `"limit": ${"[".repeat(DEEP)}${"]".repeat(DEEP)}`),
  ];
  for (const one of odd) {
    scratch.write(manifest, one);
    const before = scratch.snapshot();
    const { code, err } = await rollcall([...GO, DEAD, "--resume"], at);
    assert.equal(code, 2, err);
    assert.match(err, /a_manifest\.json is not a manifest that this version understands/);
    assert.doesNotMatch(err, /\n\s+at /);
    assert.deepEqual(scratch.snapshot(), before);
  }
});

Deno.test("what was prepared goes when the run cannot begin after all", async () => {
  await using scratch = new Scratch();
  scratch.tasks(100);
  const before = scratch.snapshot();
  const wrap = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh"];
  const { code, err } = await rollcall([...GO, DEAD, "-c", "100"], { cwd: scratch.path, wrap });
  assert.equal(code, 2, err);
  assert.match(err, /ulimit -n/);
  assert.deepEqual(scratch.snapshot(), before);
});

Deno.test("preparation hears a signal in the middle of more work than could ever be done", async () => {
  await using scratch = new Scratch();
  scratch.tasks(1000);
  await using process = start([...GO, DEAD, "-n", "1000000"], { cwd: scratch.path });
  const inputs = scratch.at("runs/a_materialized_inputs.jsonl.new");
  const isWriting = async () => {
    for (;;) {
      try {
        if (Deno.statSync(inputs).size > 0) return;
      } catch {
        // not there yet
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await process.until(isWriting());
  process.kill("SIGTERM");
  const { code, err } = await process.ends();
  assert.equal(code, 75, err);
  assert.deepEqual(Object.keys(scratch.snapshot()), ["tasks.jsonl"]);
});
