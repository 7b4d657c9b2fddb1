/** What somebody met who knows Gym and tried rollcall for the first time. What each call does was seen of Gym 0.7.0. */
import assert from "node:assert/strict";
import { rollcall, Scratch } from "../_rollcall.ts";

const FILES = {
  "c.yaml": "num_repeats: 3\nlimit: 2\n",
  "outer.yaml":
    "config_paths: [c.yaml]\nlimit: 1\nquiz:\n  resources_servers:\n    quiz: {host: h, port: 1}\n",
  "unset.yaml": "quiz:\n  resources_servers:\n    quiz: {port: ???}\n",
  "benchmarks/aime26/config.yaml": "limit: 4\n",
  "benchmarks/live/v6.yaml": "limit: 3\n",
  "benchmarks/live/v6/config.yaml": "limit: 2\n",
};

async function run(scratch: Scratch, args: readonly string[]) {
  const plan = [
    "-i",
    "tasks.jsonl",
    "-o",
    "o/r.jsonl",
    "--server=a=http://127.0.0.1:1",
    "--dry-run",
    "--json",
  ];
  return await rollcall(["eval", "run", "--no-serve", ...plan, ...args], { cwd: scratch.path });
}

Deno.test("Gym's configuration files take effect, and what goes unused of them is named", async () => {
  await using scratch = new Scratch();
  scratch.tasks(5);
  for (const [name, text] of Object.entries(FILES)) scratch.write(name, text);
  for (
    const [args, rollouts, said] of [
      [["--config", "c.yaml", "--model", "x"], 6, /--model\n/],
      [["+config_paths=[outer.yaml]", "--split", "train"], 3, /--split\n[^]*quiz \(outer\.yaml\)/],
      [["--benchmark", "live/v6"], 2, /^/],
    ] as const
  ) {
    const { code, out, err } = await run(scratch, args);
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).rollouts, rollouts, args.join(" "));
    assert.match(err, said);
  }
});

Deno.test("what Gym refuses of its configuration files is refused, before anything is sent", async () => {
  await using scratch = new Scratch();
  scratch.tasks(5);
  for (const [name, text] of Object.entries(FILES)) scratch.write(name, text);
  for (
    const [args, message] of [
      [["--config", "nothere.yaml"], /Cannot find nothere\.yaml/],
      [
        ["--benchmark", "aime2"],
        /benchmarks\/aime2\/config\.yaml.*no such component \(did you mean "aime26"\?\)/,
      ],
      [["--config", "unset.yaml"], /quiz\.resources_servers\.quiz\.port: is still \?\?\?/],
      [["--agent-type", "simple_agent"], /--agent-type.*--no-serve/],
    ] as const
  ) {
    const { code, err } = await run(scratch, args);
    assert.equal(code, 2, err);
    assert.match(err, message);
  }
  const { code, err } = await rollcall(["eval", "prepare", "+x=1"], { cwd: scratch.path });
  assert.equal(code, 2);
  assert.match(err, /does not replace Gym's eval prepare: call gym eval prepare/);
});
