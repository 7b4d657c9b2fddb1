/** Everything that is wrong is said before anything is sent or touched, with exit code 2. */
import assert from "node:assert/strict";
import { deadPort, TcpServer } from "../edge/_tcp_server.ts";
import { Gym, rollcall, Scratch } from "./_rollcall.ts";

const OUT = ["-o", "out/r.jsonl"], GO = ["collect", "-i", "tasks.jsonl", ...OUT];
const SERVER = "--server=a=http://127.0.0.1:1"; // nothing is sent, so nobody has to be there

/** What is wrong, the arguments, and what the error must name. */
const CASES: [string, (scratch: Scratch) => readonly string[], RegExp[]][] = [
  ["a line that is not JSON", (s) => {
    s.write("tasks.jsonl", `${Deno.readTextFileSync(s.at("tasks.jsonl"))}{"n": 3,\n`);
    return [...GO, SERVER];
  }, [/tasks\.jsonl:4/]],
  ["a line that is not an object", (s) => {
    s.write("tasks.jsonl", `${Deno.readTextFileSync(s.at("tasks.jsonl"))}[1]\n`);
    return [...GO, SERVER];
  }, [/tasks\.jsonl:4/]],
  ["an input that is one JSON array", (s) => {
    s.write("tasks.jsonl", '[{"a": 1},\n{"a": 2}]\n');
    return [...GO, SERVER];
  }, [/tasks\.jsonl/, /JSON array/, /jq/]],
  ["a line that is not UTF-8", (s) => {
    Deno.writeFileSync(s.at("tasks.jsonl"), new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]));
    return [...GO, SERVER];
  }, [/tasks\.jsonl:1/, /UTF-8/]],
  ["an unknown agent", () => [...GO, "--server=ab=http://127.0.0.1:1"], [/"a"/, /ab/]],
  ["an input that is not there", () => ["collect", "-i", "nope.jsonl", ...OUT, SERVER], [/nope\.jsonl/]],
  ["an input that is a folder", (s) => {
    Deno.mkdirSync(s.at("tasks"));
    return ["collect", "-i", "tasks", ...OUT, SERVER];
  }, [/tasks/]],
  ["an output below a file", () => ["collect", "-i", "tasks.jsonl", "-o", "tasks.jsonl/r.jsonl", SERVER], [
    /tasks\.jsonl/,
  ]],
  ["an output that is a folder", (s) => {
    Deno.mkdirSync(s.at("there/inside"), { recursive: true });
    return ["collect", "-i", "tasks.jsonl", "-o", "there", SERVER];
  }, [/there/, /folder/]],
  [
    "an output that is a folder, by its slash",
    () => ["collect", "-i", "tasks.jsonl", "-o", "there/", SERVER],
    [/there/],
  ],
  ["a sidecar that would be a folder", (s) => {
    Deno.mkdirSync(s.at("out/q_failures.jsonl/inside"), { recursive: true });
    return ["collect", "-i", "tasks.jsonl", "-o", "out/q.jsonl", SERVER];
  }, [/q_failures\.jsonl/]],
  ["an output that is the input", () => ["collect", "-i", "tasks.jsonl", "-o", "tasks.jsonl", SERVER], [
    /tasks\.jsonl/,
  ]],
  ["an output that is the input, by a link", (s) => {
    Deno.symlinkSync("tasks.jsonl", s.at("link.jsonl"));
    return ["collect", "-i", "link.jsonl", "-o", "tasks.jsonl", SERVER];
  }, [/link\.jsonl/]],
  ["an input that the run would replace", () => [
    "collect",
    "-i",
    "out/r_materialized_inputs.jsonl",
    ...OUT,
    SERVER,
  ], [/r_materialized_inputs/]],
  ["no input", () => ["collect", ...OUT, SERVER], [/input_jsonl_fpath/, /--input/]],
  ["an unknown flag", () => [...GO, SERVER, "--num-repeat", "4"], [/--num-repeat\b/]],
  ["an unknown word", () => [...GO, SERVER, "+num_repeat=4"], [/num_repeats/]],
  ["an argument that is not an override", () => [...GO, SERVER, "tasks"], [/tasks/]],
  ["a number that is none", () => [...GO, SERVER, "-c", "many"], [/--concurrency/, /many/]],
  ["several values at once", () => [...GO, SERVER, "-c", "0", "--grace", "-1"], [/--concurrency/, /--grace/]],
  ["a server that HTTP does not reach", () => [...GO, "--server", "a=ftp://x:1"], [/ftp:/]],
  ["a configuration file that is not there", () => [...GO, SERVER, "--config", "no.json"], [/no\.json/]],
  [
    "a configuration file that is not JSON",
    (s) => [...GO, SERVER, "--config", s.write("c.json", '{"limit": }')],
    [
      /c\.json:1/,
    ],
  ],
  ["a configuration file with an unknown key", (s) => [
    ...GO,
    SERVER,
    "--config",
    s.write("c.yaml", "limits: 3\n"),
  ], [/c\.yaml/, /limits/, /limit/]],
  ["a certificate file that is not there", () => [...GO, SERVER, "--ca", "no.pem"], [/no\.pem/]],
  ["a prompt that is not there", () => [...GO, SERVER, "--prompt-config", "no.yaml"], [/no\.yaml/]],
  ["an unknown command", () => ["colect"], [/colect/]],
];

for (const [what, prepare, names] of CASES) {
  Deno.test(`rollcall ends with 2 for ${what}, and an earlier run's files stay as they were`, async () => {
    await using scratch = new Scratch();
    scratch.tasks(3);
    for (const name of ["r.jsonl", "r_failures.jsonl", "r_materialized_inputs.jsonl", "r.jsonl.old"]) {
      scratch.write(`out/${name}`, `${name} of an earlier run\n`);
    }
    scratch.write("out/r_aggregate_metrics.json", "[]\n");
    const args = prepare(scratch), before = scratch.snapshot();
    const { code, out, err } = await rollcall(args, { cwd: scratch.path });
    assert.equal(code, 2, err);
    assert.equal(out, "");
    for (const name of names) assert.match(err, name);
    assert.doesNotMatch(err, /\n\s+at |Error:|\[object/, "a stack or an internal");
    assert.deepEqual(scratch.snapshot(), before);
  });
}

Deno.test("rollcall collect names the head server that cannot be reached, and what to do", async () => {
  await using scratch = new Scratch();
  scratch.tasks(1);
  const port = deadPort();
  const { code, err } = await rollcall([...GO, "--head", `127.0.0.1:${port}`], { cwd: scratch.path });
  assert.equal(code, 2);
  assert.match(err, new RegExp(`127\\.0\\.0\\.1:${port}.*refused`, "s"));
  assert.match(err, /--server/);
  assert.deepEqual(Object.keys(scratch.snapshot()), ["tasks.jsonl"]);
});

for (
  const [what, reply] of [
    ["answers 404", { status: 404 }],
    ["answers no configuration", { body: "[1, 2]" }],
    ["answers no YAML", { body: JSON.stringify("a: [") }],
    ["hangs up", "hang up"],
    ["sends elsewhere", { status: 302, headers: { location: "http://127.0.0.1:1/" } }],
  ] as const
) {
  Deno.test(`rollcall collect ends with 2 when the head server ${what}`, async () => {
    await using head = new TcpServer(() => reply);
    await using scratch = new Scratch();
    scratch.tasks(1);
    const { code, err } = await rollcall([...GO, "--head", `127.0.0.1:${head.port}`], { cwd: scratch.path });
    assert.equal(code, 2, err);
    assert.ok(err.includes(head.url), err);
    assert.equal(head.seen.length, 1);
    assert.deepEqual(Object.keys(scratch.snapshot()), ["tasks.jsonl"]);
  });
}

Deno.test("rollcall collect asks no server for anything when a late line is wrong", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.write("tasks.jsonl", `${Deno.readTextFileSync(scratch.at(scratch.tasks(2000)))}oops\n`);
  const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.equal(code, 2);
  assert.match(err, /tasks\.jsonl:2001/);
  assert.deepEqual(gym.seen, []);
  assert.deepEqual(Object.keys(scratch.snapshot()), ["tasks.jsonl"]);
});
