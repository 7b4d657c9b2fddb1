import assert from "node:assert/strict";
import fc from "fast-check";
import { compareStep, type Comparison, differences, missingWords, OWN_FILES } from "./compare.ts";
import { type Json, parseJson } from "./json.ts";
import type { SeenStep } from "./record.ts";
import type { SeenRequest } from "./world.ts";

const USUAL: Comparison = { mustMention: [], ordered: false, peak: false, free: [], bounds: new Map() };

/** What a step did, with its files and requests written as JSON. */
function step(
  { files = {}, requests = [], ...rest }:
    & { files?: Record<string, string>; requests?: string[] }
    & Partial<Pick<SeenStep, "exit" | "peak" | "output">>,
): SeenStep {
  return {
    exit: "ok",
    peak: 1,
    output: "",
    files: new Map(Object.entries(files).map(([name, json]) => [name, parseJson(json)])),
    requests: requests.map((body): SeenRequest => ({ server: "env", path: "/run", body: parseJson(body) })),
    ...rest,
  };
}

const compare = (
  want: SeenStep,
  got: SeenStep,
  asked: Partial<Comparison> = {},
) => [...compareStep({ ...USUAL, ...asked }, want, got)];
const diff = (want: string, got: string) => [...differences("x", parseJson(want), parseJson(got))];
const row = (task: number, rest = "") => `{"_ng_task_index": ${task}, "_ng_rollout_index": 0${rest}}`;

Deno.test("differences() names each path where two values differ", () => {
  const table: [want: string, got: string, lines: string[]][] = [
    ['{"a": 1, "b": 2}', '{"b": 2, "a": 1}', []],
    ["1", "1.0", ["x: expected 1, got 1.0"]],
    ["1e-7", "1e-07", []],
    ["12345678901234567890", "12345678901234567891", [
      "x: expected 12345678901234567890, got 12345678901234567891",
    ]],
    ['"1"', "1", ['x: expected "1", got 1']],
    ["null", "false", ["x: expected null, got false"]],
    ["[]", "{}", ["x: expected [], got {}"]],
    ["[1, 2]", "[2]", ["x: expected 2 items, got 1", "x[0]: expected 1, got 2"]],
    ['{"a": {"b": [0]}, "c": 1}', '{"a": {"b": [1]}, "d": 1}', [
      "x.a.b[0]: expected 0, got 1",
      "x.c: missing (expected 1)",
      "x.d: not expected (got 1)",
    ]],
    ['{"toString": 1}', "{}", ["x.toString: missing (expected 1)"]],
  ];
  for (const [want, got, lines] of table) assert.deepEqual(diff(want, got), lines, `${want} and ${got}`);
});

Deno.test("differences() cuts long values by characters", () => {
  const [line] = diff("0", `"${"☃😀".repeat(100)}"`);
  assert.equal(line, `x: expected 0, got "${"☃😀".repeat(70).slice(0, -2)}…`);
  assert.equal(diff("0", `"${"😀".repeat(138)}"`)[0], `x: expected 0, got "${"😀".repeat(138)}"`);
});

Deno.test("differences() finds none between a value and itself", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => assert.deepEqual(diff(JSON.stringify(value), JSON.stringify(value)), []),
    ),
  );
});

Deno.test("compareStep() compares the exit and, where asked, the peak", () => {
  assert.deepEqual(compare(step({}), step({ exit: "error" })), ["exit: expected ok, got error"]);
  assert.deepEqual(compare(step({ peak: 2 }), step({ peak: 3 })), []);
  assert.deepEqual(compare(step({ peak: 2 }), step({ peak: 3 }), { peak: true }), [
    "peak of simultaneous /run requests: expected 2, got 3",
  ]);
});

Deno.test("compareStep() compares requests as a set by identity, repeats of one in order", () => {
  const both = [row(0), row(1)];
  assert.deepEqual(compare(step({ requests: both }), step({ requests: both.toReversed() })), []);
  assert.deepEqual(compare(step({ requests: both }), step({ requests: [row(0), row(0), row(2)] })), [
    "requests [env /run task 0 rollout 0]: expected 1, got 2",
    "requests [env /run task 1 rollout 0]: expected 1, got 0",
    `requests [env /run task 2 rollout 0]: expected 0, got 1 ({"server": "env", "path": "/run", "body": ${
      row(2)
    }})`,
  ]);
  const repeats = ["1", "2"].map((n) => row(0, `, "n": ${n}`));
  assert.deepEqual(compare(step({ requests: repeats }), step({ requests: repeats.toReversed() })), [
    "requests [env /run task 0 rollout 0].body.n: expected 1, got 2",
    "requests [env /run task 0 rollout 0].body.n: expected 2, got 1",
  ]);
  assert.deepEqual(compare(step({ requests: ['"x"'] }), step({ requests: ['"y"'] })), [
    'requests [env /run].body: expected "x", got "y"',
  ]);
});

Deno.test("compareStep() compares the order of /run requests and materialized inputs where asked", () => {
  const side = (rows: string[]) =>
    step({
      requests: rows,
      files: { "out/r_materialized_inputs.jsonl": `[${rows}]`, "out/r.jsonl": `[${rows}]` },
    });
  const [want, got] = [side([row(0), row(1)]), side([row(1), row(0)])];
  const orders =
    "expected ['task 0 rollout 0', 'task 1 rollout 0'], got ['task 1 rollout 0', 'task 0 rollout 0']";
  assert.deepEqual(compare(want, got), []);
  assert.deepEqual(compare(want, got, { ordered: true }), [
    `order of /run requests: ${orders}`,
    `order of out/r_materialized_inputs.jsonl: ${orders}`,
  ]);
});

Deno.test("compareStep() compares files: JSONL as sets, the rest by structure", () => {
  assert.deepEqual(
    compare(
      step({
        files: { "out/a.json": "[1, 2]", "out/gone.json": "1", "out/r.jsonl": `[${row(0)}, ${row(1)}]` },
      }),
      step({
        files: { "out/a.json": "[2, 1]", "out/new.json": "1", "out/r.jsonl": `[${row(1)}, ${row(0)}]` },
      }),
    ),
    [
      "out/a.json[0]: expected 1, got 2",
      "out/a.json[1]: expected 2, got 1",
      "out/gone.json: missing",
      "out/new.json: not expected to exist (1)",
    ],
  );
});

Deno.test("compareStep() keeps unreadable lines apart from records without an identity", () => {
  const unreadable = '{"<unreadable line>": "{"}', nobody = '{"a": 1}';
  const [want, got] = [[unreadable, nobody], [nobody, unreadable]].map((rows) =>
    step({ files: { "out/r.jsonl": `[${rows}]` } })
  );
  assert.deepEqual(compare(want!, got!), []);
});

Deno.test("compareStep() leaves free names out, and counts those with bounds", () => {
  const want = step({ requests: [row(0)], files: { "out/a.json": "1", "out/r.jsonl": "[]" } });
  const got = step({ requests: [], files: { "out/a.json": "2", "out/r.jsonl": `[${row(0)}, ${row(1)}]` } });
  const free = ["requests", "out/a.json"];
  const bounds = (least: number, most: number): Comparison["bounds"] =>
    new Map([["out/r.jsonl", [least, most]]]);
  assert.deepEqual(compare(want, got, { free, bounds: bounds(2, 2) }), []);
  assert.deepEqual(compare(want, got, { free, bounds: bounds(3, 4) }), [
    "out/r.jsonl: expected between 3 and 4, got 2",
  ]);
  assert.deepEqual(
    compare(want, got, { free: [...free, "out/r.jsonl"], bounds: new Map([["requests", [1, 1]]]) }),
    [
      "requests: expected between 1 and 1, got 0",
    ],
  );
  assert.deepEqual(compare(step({}), step({}), { bounds: bounds(0, 1) }), [], "no file counts as none");
});

Deno.test("compareStep() does not compare the files of a step refused before anything was sent", () => {
  const want = { exit: "error", files: { "out/a.json": "1" } };
  assert.deepEqual(compare(step(want), step({ exit: "error", files: { "out/b.json": "1" } })), []);
  assert.equal(compare(step(want), step({ exit: "ok" })).length, 2);
  assert.equal(
    compare(step({ ...want, requests: [row(0)] }), step({ exit: "error", requests: [row(0)] })).length,
    1,
  );
  assert.equal(
    compare(step(want), step({ exit: "error", requests: [row(0)] })).length,
    1,
    "a request was sent",
  );
});

Deno.test("OWN_FILES are not compared when the record lacks them", () => {
  const own = ["r_manifest.json", "r_quarantine.jsonl", "r.jsonl.old", "r.jsonl.lock", "r.lease"];
  const others = ["manifest.json", "r_manifest.jsonl", "r.old.jsonl", "r.locked", "r_failures.jsonl"];
  for (const name of own) assert.match(name, OWN_FILES);
  for (const name of others) assert.doesNotMatch(name, OWN_FILES);
  assert.deepEqual(compare(step({}), step({ files: { "out/r_manifest.json": "1" } })), []);
  assert.deepEqual(compare(step({ files: { "out/r.old": "1" } }), step({})), ["out/r.old: missing"]);
});

Deno.test("missingWords() finds words across line breaks, and quotes those it does not", () => {
  const words = ["in.jsonl line 2", "task's", "both ' and \"", "a\\b"];
  assert.deepEqual([...missingWords(words, "see in.jsonl\n   line 2")], [
    `output does not mention "task's"`,
    `output does not mention 'both \\' and "'`,
    `output does not mention 'a\\\\b'`,
  ]);
});

Deno.test("compareStep() compares a JSONL file that holds null lines or bare values", () => {
  const files = (json: Json) => step({ files: { "out/r.jsonl": String(json) } });
  assert.deepEqual(compare(files('[null, 1, "a"]'), files('[null, 1.0, "a"]')), [
    "out/r.jsonl [no identity]: expected 1, got 1.0",
  ]);
});
