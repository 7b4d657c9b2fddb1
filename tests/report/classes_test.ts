import assert from "node:assert/strict";
import { classTexts, mostFrequent } from "../../src/report/classes.ts";

Deno.test("mostFrequent() puts the most frequent class first, ties by name, and leaves out zeros", () => {
  assert.deepEqual(mostFrequent({ b: 1, a: 1, z: 9, none: 0 }), {
    listed: [["z", 9], ["a", 1], ["b", 1]],
    others: { classes: 0, count: 0 },
  });
});

Deno.test("mostFrequent() and classTexts() take classes above the first twenty together", () => {
  const many = Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`class_${n}`, n < 3 ? 5 : 2]));
  const { listed, others } = mostFrequent(many);
  assert.equal(listed.length, 20);
  assert.deepEqual(others, { classes: 5980, count: 11_960 });
  const texts = classTexts(many);
  assert.equal(texts.length, 21);
  assert.deepEqual([texts[0], texts.at(-1)], ["5 class_0", "11,960 of 5980 more classes"]);
});
