import assert from "node:assert/strict";
import { loadColumns } from "../../src/report/columns.ts";
import { metricsLines } from "../../src/report/metrics_table.ts";
import { table } from "../../src/report/table.ts";

await loadColumns();

const groups = [
  { label: "math_agent", rows: 1502, key_metrics: { "mean/reward": 0.8125, "pass@4": 0.97 } },
  { label: "数学サーバー", rows: 500, key_metrics: { "mean/reward": 1, tokens: 12345.678 } },
];

Deno.test("metricsLines() is a table with aligned numbers where it fits", () => {
  assert.deepEqual(metricsLines(groups, 80), [
    "group         rows  mean/reward  pass@4   tokens",
    "math_agent    1502       0.8125    0.97",
    "数学サーバー   500       1.0000          12345.7",
  ]);
});

Deno.test("metricsLines() is a list where the table does not fit", () => {
  assert.deepEqual(metricsLines(groups, 30), [
    "math_agent, 1502 rows",
    "  mean/reward  0.8125",
    "  pass@4         0.97",
    "数学サーバー, 500 rows",
    "  mean/reward        1",
    "  tokens       12345.7",
  ]);
});

Deno.test("metricsLines() shows values that are not numbers, and names that every object has", () => {
  const key_metrics = { flag: true, none: null, text: "a\x1b[2Jb", list: [1, 2], constructor: 3 };
  assert.deepEqual(
    metricsLines([{ label: "x", rows: 1, key_metrics }, { label: "y", rows: 0, key_metrics: {} }], 80),
    [
      "group  rows  flag  none  text   list  constructor",
      "x         1  true  null    ab  [1,2]            3",
      "y         0",
    ],
  );
});

Deno.test("metricsLines() shows 20 metrics of a group, and 20 groups, and counts the rest", () => {
  const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`metric_${i}`, i]));
  const one = metricsLines([{ label: "x", rows: 1, key_metrics: many(23) }], 80);
  assert.deepEqual([one.length, one.at(-1)], [22, "  … and 3 more"]);
  const lines = metricsLines(Array.from({ length: 25 }, () => groups[0]!), 80);
  assert.deepEqual([lines.length, lines.at(-1)], [22, "… and 5 more groups"]);
});

Deno.test("table() stands texts at the left when asked, without spaces at line ends", () => {
  assert.deepEqual(table([["a", "b"], ["long", "longer"]], { left: true }), ["a     b", "long  longer"]);
  assert.deepEqual(table([]), []);
});
