import assert from "node:assert/strict";
import fc from "fast-check";
import { Opening } from "../../src/schedule/opening.ts";

const OPTIONS = { most: 4, mostOnceSlow: 2, slowMs: 500 };

/** How many more may begin; these rows then have begun. */
function fill(opening: Opening, from: number, now: number): number {
  let count = 0;
  for (; !opening.isFull; count++) opening.starts(from + count, now);
  return count;
}

/** One to which a connection was opened in time. */
function open(): Opening {
  const opening = new Opening(OPTIONS);
  opening.starts(-1, 0);
  opening.connected(-1, 1);
  return opening;
}

// How long each of the first two takes to be connected, and how many may be under way from then on.
for (
  const [took, room] of [
    [[0, 0], 4],
    [[500, 500], 4],
    [[0, 501], 2],
    [[1000, 0], 2],
  ] as const
) {
  Deno.test(`Opening lets ${room} be under way after connections that took ${took.join(", ")} ms`, () => {
    const opening = new Opening(OPTIONS);
    assert.equal(fill(opening, 0, 0), 2, "a few come first");
    took.forEach((ms, row) => opening.connected(row, ms));
    assert.equal(fill(opening, 10, 2000), room);
  });
}

Deno.test("Opening makes room for one with each that is connected, or over without a connection, and once only", () => {
  const opening = open();
  fill(opening, 0, 0);
  opening.connected(1, 1);
  opening.connected(1, 1);
  opening.ends(1);
  assert.equal(fill(opening, 10, 1), 1);
  opening.ends(2);
  opening.connected(2, 9999);
  assert.equal(fill(opening, 20, 1), 1);
});

Deno.test("Opening starts over when a server that was away is back: a few, and all once one is connected in time", () => {
  const opening = open();
  fill(opening, 0, 0);
  for (let row = 0; row < 4; row++) opening.connected(row, 1000);
  opening.restart();
  assert.equal(fill(opening, 10, 2000), 2);
  opening.connected(10, 2001);
  assert.equal(fill(opening, 20, 2001), 3);
});

Deno.test("Opening never has more under way than it may, and is never full with none under way", () => {
  const step = fc.record({
    what: fc.constantFrom("start", "connected", "end"),
    row: fc.nat(9),
    pass: fc.nat(700),
  });
  fc.assert(fc.property(fc.array(step), (steps) => {
    const opening = new Opening(OPTIONS), under = new Map<number, number>();
    let now = 0, most = 2, wasSlow = false;
    for (const { what, row, pass } of steps) {
      now += pass;
      if (what === "start" && !opening.isFull && !under.has(row)) {
        opening.starts(row, now);
        under.set(row, now);
        assert.ok(under.size <= most);
      } else if (what === "connected") {
        opening.connected(row, now);
        if (under.has(row)) {
          wasSlow ||= now - under.get(row)! > 500;
          most = wasSlow ? 2 : 4;
        }
        under.delete(row);
      } else if (what === "end") {
        opening.ends(row);
        under.delete(row);
      }
      assert.equal(opening.isFull, under.size >= most);
    }
  }));
});
