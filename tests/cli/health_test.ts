import assert from "node:assert/strict";
import { FakeWorld, type FakeWorldOptions } from "../fakes/fake_world.ts";
import { bad, row } from "../health/_rollouts.ts";

const LINES = `${JSON.stringify(row())}\n${JSON.stringify(bad(1, 0))}\n`;

async function ran(args: readonly string[], options: FakeWorldOptions = {}) {
  using fake = new FakeWorld({
    files: { "out/rollouts.jsonl": LINES },
    ...options,
    args: ["health", ...args],
  });
  const code = await fake.run();
  const { stdout, stderr } = fake.terminal;
  const made = fake.list().filter((path) => !path.endsWith("/"));
  const text = (path: string) => made.includes(path) ? fake.text(path) : "";
  return { code, stdout, stderr, made, report: text("out/quality_summary.json"), folder: fake.folder };
}

Deno.test("health says what was found and where, and leaves nothing but the reports", async () => {
  const { code, stdout, stderr, made } = await ran(["out"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Checked 2 rollouts: 1 healthy, 1 unhealthy\.\n/);
  assert.match(
    stdout,
    /found +1 +model_call_zero_completion_tokens +a model call of zero completion tokens\n/,
  );
  assert.match(stdout, /summary +\S+\/out\/quality_summary\.json\n/);
  assert.deepEqual(made, ["out/quality_summary.json", "out/rollout_verdicts.jsonl", "out/rollouts.jsonl"]);
});

Deno.test("health --json prints the summary, and nothing else to standard output", async () => {
  const { code, stdout, report } = await ran(["out", "--json", "--workers", "4"]);
  assert.equal(code, 0);
  assert.ok(stdout.endsWith("}\n") && stdout.indexOf("\n") === stdout.length - 1);
  assert.deepEqual(JSON.parse(stdout), JSON.parse(report));
});

for (const flag of ["--ignore-checks", "--ignore"]) {
  Deno.test(`health ${flag} leaves checks out`, async () => {
    const { stdout } = await ran(["out", flag, "model_call_zero_completion_tokens, agent_turn_hollow"]);
    assert.match(
      stdout,
      /^Checked 2 rollouts: 1 healthy, 1 unobserved, as their results lack the\ntrajectory that a check needs\.\n/,
    );
    assert.match(stdout, /left out +agent_turn_hollow, model_call_zero_completion_tokens\n/);
  });
}

Deno.test("health --rollouts-file names a file of the folder, or any other", async () => {
  const files = { "runs/a.jsonl": LINES, "other/": "" };
  assert.match((await ran(["runs", "--rollouts-file", "a.jsonl"], { files })).stdout, /^Checked 2 /);
  using fake = new FakeWorld({ files });
  const elsewhere = await ran(["other", "--rollouts-file", `${fake.folder}/runs/a.jsonl`], { files });
  assert.match(elsewhere.stdout, /^Checked 2 /);
  assert.ok(elsewhere.made.includes("other/quality_summary.json"));
});

Deno.test("health of a folder of no rollouts says so", async () => {
  const { code, stdout } = await ran(["out"], { files: { "out/rollouts.jsonl": "" } });
  assert.deepEqual([code, stdout.split("\n")[0]], [0, "Nothing to check: there are no rollouts."]);
});

for (
  const [args, message] of [
    [["nowhere"], /There is no folder nowhere\./],
    [
      ["out/rollouts.jsonl"],
      /out\/rollouts\.jsonl is a file\. .*: rollcall health out --rollouts-file rollouts\.jsonl\./,
    ],
    [
      ["out", "--rollouts-file", "out/rollouts.jsonl"],
      /no rollouts file out\/out\/rollouts\.jsonl\. A relative path begins in out: --rollouts-file rollouts\.jsonl\./,
    ],
    [
      ["out", "--rollouts-file", "x.jsonl"],
      /There is no rollouts file out\/x\.jsonl\. Name it with --rollouts-file\./,
    ],
    [["out", "--rollouts-file", "."], /There is no rollouts file out/],
    [
      ["out", "--ignore-checks", "no_such_check"],
      /Unknown health checks \(--ignore-checks\):\n {2}no_such_check/,
    ],
    [["out", "--workers", "0"], /--workers: needs a whole number, 1 or more, got 0/],
    [[], /Name the folder of the run: rollcall health runs\. --explain needs none\./],
  ] as [string[], RegExp][]
) {
  Deno.test(`health ${args.join(" ")} is refused, and nothing is written`, async () => {
    const { code, stderr, made } = await ran(args);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.deepEqual(made, ["out/rollouts.jsonl"]);
  });
}

for (const name of ["rollout_verdicts.jsonl", "quality_summary.json"]) {
  Deno.test(`health does not take its own report ${name} for rollouts`, async () => {
    const { code, stderr } = await ran(["out", "--rollouts-file", name], {
      files: { [`out/${name}`]: "{}\n" },
    });
    assert.equal(code, 2);
    assert.match(stderr, /is a report of the health checks, not a rollouts file\./);
  });
}
