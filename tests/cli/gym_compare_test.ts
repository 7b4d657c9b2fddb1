/** The report of Gym's `eval compare`, held to what the real Gym 0.7.0 wrote for the same metrics (testdata/gym-compare). */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fixed, general, signedFixed } from "../../src/report/python_format.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

const FOLDER = join(import.meta.dirname!, "../../testdata/gym-compare");

/** Numbers agree to nine digits, everything else exactly; when it was made, and by which command, aside. */
function assertSame(ours: unknown, gyms: unknown, at = ""): void {
  if (typeof gyms === "number" && typeof ours === "number") {
    return assert.ok(
      Math.abs(ours - gyms) <= 1e-9 * Math.max(1, Math.abs(gyms)),
      `${at}: ${ours}, Gym ${gyms}`,
    );
  }
  if (typeof gyms !== "object" || gyms === null) return assert.equal(ours, gyms, at);
  assert.ok(typeof ours === "object" && ours !== null, at);
  assert.deepEqual(Object.keys(ours), Object.keys(gyms), at);
  for (const [key, value] of Object.entries(gyms)) {
    if (key === "generated_at" || key === "command") continue;
    assertSame((ours as Record<string, unknown>)[key], value, `${at}.${key}`);
  }
}

const timeless = (markdown: string) =>
  markdown.split("\n").filter((line) => !/^(Generated 2|Command: )/.test(line)).join("\n");

for (
  const [name, what] of [["single", "one repeat"], ["equal", "no spread"], [
    "agents",
    "several agents",
  ]] as const
) {
  Deno.test(`eval compare writes what Gym writes: ${what}`, async () => {
    const read = (file: string) => Deno.readTextFileSync(join(FOLDER, name, file));
    using fake = new FakeWorld({
      args: ["eval", "compare", "--baseline", "runs/base/r.jsonl", "--candidates", "runs/cand/r.jsonl"],
      files: {
        "runs/base/r_aggregate_metrics.json": read("base_aggregate_metrics.json"),
        "runs/cand/r_aggregate_metrics.json": read("cand_aggregate_metrics.json"),
      },
    });
    assert.equal(await fake.run(), 0, fake.terminal.stderr);
    const written = (file: string) => fake.text(`runs/cand/${file}`).replaceAll(fake.folder, "");
    assertSame(JSON.parse(written("compare_report.json")), JSON.parse(read("compare_report.json")));
    assert.equal(timeless(written("compare_report.md")), timeless(read("compare_report.md")));
    assert.match(fake.terminal.stdout, /Gym's report: \S+\/runs\/cand\/compare_report\.md/);
  });
}

const METRICS = (agent: string, more = "") =>
  `[{"agent_ref":{"name":"${agent}"},"agent_metrics":{"mean/reward":1},"group_level_metrics":[]${more}}]`;
const REPEATS = ',"repeat_level_metrics":[]';

for (
  const [words, base, candidate, output] of [
    [
      [],
      METRICS("a", REPEATS),
      METRICS("b", REPEATS),
      /No agent is in both runs\. The baseline has a, the candidate b\./,
    ],
    [["--agent", "c"], METRICS("a", REPEATS), METRICS("a", REPEATS), /has no agent c/],
    [[], METRICS("a"), METRICS("a", REPEATS), /has no repeat_level_metrics for the agent a/],
    [[], "{", METRICS("a", REPEATS), /is not JSON/],
    [[], "[]", METRICS("a", REPEATS), /has no entry of an agent/],
    [[], '[{"agent_ref":7}]', METRICS("a", REPEATS), /entry 0 names no agent/],
    [["x.jsonl"], METRICS("a", REPEATS), METRICS("a", REPEATS), /compare takes no other files/],
    [["--report-format", "xml"], METRICS("a", REPEATS), METRICS("a", REPEATS), /report-format/],
  ] as const
) {
  Deno.test(`eval compare ${words.join(" ")} is refused: ${output.source}`, async () => {
    using fake = new FakeWorld({
      args: ["eval", "compare", ...words, "--baseline", "b.jsonl", "--candidates", "c.jsonl"],
      files: { "b_aggregate_metrics.json": base, "c_aggregate_metrics.json": candidate },
    });
    assert.equal(await fake.run(), 2);
    assert.match(fake.terminal.stderr, output);
  });
}

Deno.test("numbers have the forms of Python's format strings", () => {
  const table: readonly (readonly [number, string, string, string, string])[] = [
    [0.03125, "0.0312", "0.03", "+0.0312", "0.03125"],
    [0.09375, "0.0938", "0.09", "+0.0938", "0.09375"],
    [-0.03125, "-0.0312", "-0.03", "-0.0312", "-0.03125"],
    [1e-7, "0.0000", "0.00", "+0.0000", "1e-07"],
    [-1e-7, "-0.0000", "-0.00", "-0.0000", "-1e-07"],
    [123456.789, "123456.7890", "123456.79", "+123456.7890", "123457"],
    [0.33333333, "0.3333", "0.33", "+0.3333", "0.333333"],
    [1e6, "1000000.0000", "1000000.00", "+1000000.0000", "1e+06"],
    [0.0001, "0.0001", "0.00", "+0.0001", "0.0001"],
    [0.00001234, "0.0000", "0.00", "+0.0000", "1.234e-05"],
    [-0, "-0.0000", "-0.00", "-0.0000", "-0"],
    [0, "0.0000", "0.00", "+0.0000", "0"],
    [99999.95, "99999.9500", "99999.95", "+99999.9500", "99999.9"],
    [999999.5, "999999.5000", "999999.50", "+999999.5000", "1e+06"],
    [12.125, "12.1250", "12.12", "+12.1250", "12.125"],
    [12.375, "12.3750", "12.38", "+12.3750", "12.375"],
  ];
  for (const [n, four, two, signed, short] of table) {
    assert.deepEqual(
      [fixed(n, 4), fixed(n, 2), signedFixed(n, 4), general(n)],
      [four, two, signed, short],
      `${n}`,
    );
  }
});
