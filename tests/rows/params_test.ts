import assert from "node:assert/strict";
import { asOverrides, layOver } from "../../src/rows/params.ts";
import { RowFault } from "../../src/rows/problems.ts";
import { messageOf, row, written } from "./_rows.ts";

for (
  const [params, given, want] of [
    [{}, `{"x": 1.0}`, `{"x": 1.0}`],
    [
      { temperature: 0.25 },
      `{"input": "a",  "temperature": 1.0, "big": 12345678901234567890}`,
      `{"input": "a",  "temperature": 0.25, "big": 12345678901234567890}`,
    ],
    [{ top_p: 1, stop: null }, `{"temperature": 1e-07}`, `{"temperature": 1e-07,"top_p":1,"stop":null}`],
    [
      { reasoning: { effort: "low" } },
      `{"reasoning": {"effort": "high", "summary": "auto"}}`,
      `{"reasoning": {"effort":"low"}}`,
    ],
    [{ a: 1 }, `{"a": 2, "b": 3, "a": 4}`, `{"a": 1, "b": 3}`],
    [{ a: 1 }, `{}`, `{"a":1}`],
  ] as const
) {
  Deno.test(`layOver() lays ${JSON.stringify(params)} over ${given}`, () => {
    const r = row(`{"z": 0, "responses_create_params": ${given}, "a": 1.50}`);
    layOver(r, asOverrides(params));
    assert.equal(written(r), `{"z": 0, "responses_create_params": ${want}, "a": 1.50}`);
  });
}

for (
  const [json, word] of [
    [`{"a": 1}`, "without responses_create_params"],
    [`{"responses_create_params": null}`, "without responses_create_params"],
    [`{"responses_create_params": []}`, "must be an object"],
    [`{"responses_create_params": "x"}`, "must be an object"],
  ] as const
) {
  Deno.test(`layOver() refuses ${json}, with and without overrides`, () => {
    for (const overrides of [{}, { a: 1 }]) {
      const run = () => layOver(row(json), asOverrides(overrides));
      assert.throws(run, RowFault);
      assert.ok(messageOf(run).includes(word));
    }
  });
}
