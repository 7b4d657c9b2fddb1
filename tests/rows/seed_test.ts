import assert from "node:assert/strict";
import { RowFault } from "../../src/rows/problems.ts";
import { seeding } from "../../src/rows/seed.ts";
import { bytes, messageOf, text } from "./_rows.ts";

const inText = (json: string) => JSON.stringify(json);

for (
  const [given, want] of [
    [`{}`, `{"metadata":{"extra_body":${inText(`{"seed": 7}`)}}}`],
    [`{"x": 1.0, "metadata": null}`, `{"x": 1.0, "metadata": {"extra_body":${inText(`{"seed": 7}`)}}}`],
    [
      `{"metadata": {"team": "blue", "n": 1e-07}}`,
      `{"metadata": {"team": "blue", "n": 1e-07,"extra_body":${inText(`{"seed": 7}`)}}}`,
    ],
    [
      `{"metadata": {"extra_body": ${
        inText(`{"top_k":5,"min_p":0.10,"tiny":1e-07,"big":12345678901234567890}`)
      }}}`,
      `{"metadata": {"extra_body": ${
        inText(`{"top_k": 5, "min_p": 0.1, "tiny": 1e-07, "big": 12345678901234567890, "seed": 7}`)
      }}}`,
    ],
    [
      `{"metadata": {"extra_body": ${inText(`{"seed": 1, "2": 0, "1": "é😀\\u0000"}`)}}}`,
      `{"metadata": {"extra_body": ${inText(`{"seed": 7, "2": 0, "1": "\\u00e9\\ud83d\\ude00\\u0000"}`)}}}`,
    ],
    [`{"metadata": {"extra_body": null}}`, `{"metadata": {"extra_body": ${inText(`{"seed": 7}`)}}}`],
    [`{"metadata": {"extra_body": "{}"}}`, `{"metadata": {"extra_body": ${inText(`{"seed": 7}`)}}}`],
  ] as const
) {
  Deno.test(`seeding() writes a seed into ${given}`, () => {
    assert.equal(text(seeding(bytes(given))(7)), want);
  });
}

Deno.test("seeding() can be asked for one seed after another", () => {
  const seeded = seeding(bytes(`{"metadata":{}}`));
  const seeds = [0, 255, 256, 1_000_000].map((seed) => JSON.parse(text(seeded(seed))).metadata.extra_body);
  assert.deepEqual(seeds, [`{"seed": 0}`, `{"seed": 255}`, `{"seed": 256}`, `{"seed": 1000000}`]);
});

for (
  const [given, word] of [
    [`{"metadata": 7}`, "metadata is not an object"],
    [`{"metadata": {"extra_body": {}}}`, "extra_body is not a string"],
    [`{"metadata": {"extra_body": ""}}`, "unexpected end"],
    [`{"metadata": {"extra_body": "[1]"}}`, "not an object"],
    [`{"metadata": {"extra_body": "{\\"a\\": NaN}"}}`, "NaN"],
  ] as const
) {
  Deno.test(`seeding() refuses ${given}`, () => {
    assert.throws(() => seeding(bytes(given)), RowFault);
    assert.ok(messageOf(() => seeding(bytes(given))).includes(word));
  });
}
