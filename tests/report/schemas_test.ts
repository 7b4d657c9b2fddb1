import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { jsonReference } from "../../src/report/json_reference.ts";
import {
  aggregateSchema,
  collectSchema,
  healthSchema,
  planSchema,
  statusSchema,
} from "../../src/report/schemas.ts";
import { aggregateJson } from "../../src/report/summary_aggregate.ts";
import { summaryJson } from "../../src/report/summary_json.ts";
import { anyCoverage, anyHealth, anySoFar, anyTally, summaryOf } from "./samples.ts";

Deno.test("docs/json.md is what `deno task docs` makes", async () => {
  const page = new URL("../../docs/json.md", import.meta.url);
  assert.equal(await Deno.readTextFile(page), jsonReference());
});

Deno.test("summaryJson() keeps to its schema, whatever a run met", () => {
  fc.assert(fc.property(
    anyTally,
    fc.array(anySoFar, { maxLength: 3 }),
    fc.option(anyCoverage),
    fc.option(anyHealth),
    (tally, soFar, coverage, health) => {
      const text = summaryJson(summaryOf({ tally, soFar, coverage, health }));
      assert.ok(!text.includes("\n"));
      collectSchema.parse(JSON.parse(text));
    },
  ));
});

Deno.test("aggregateJson() keeps to its schema", () => {
  fc.assert(fc.property(fc.option(anyCoverage), fc.option(fc.nat()), (coverage, rows) => {
    const { tally: _, soFar: __, found: ___, ...summary } = summaryOf();
    const text = aggregateJson({
      ...summary,
      ending: "complete",
      error: null,
      shards: 2,
      rows,
      unscored: rows,
      elapsedS: 1.5,
      coverage,
    });
    aggregateSchema.parse(JSON.parse(text));
  }));
});

for (
  const [name, schema] of Object.entries({
    collectSchema,
    aggregateSchema,
    statusSchema,
    planSchema,
    healthSchema,
  })
) {
  Deno.test(`the keys of ${name} are in snake_case`, () => {
    for (const key of keysOf(z.toJSONSchema(schema))) assert.match(key, /^[a-z][a-z0-9_]*$/);
  });
}

function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === "properties" ? [...Object.keys(value), ...Object.values(value).flatMap(keysOf)] : keysOf(value)
  );
}
