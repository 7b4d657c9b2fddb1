import assert from "node:assert/strict";
import fc from "fast-check";
import { compareIdentities, type Identity } from "../../src/health/identity.ts";
import { VerdictBook } from "../../src/health/verdict_book.ts";
import { Scratch } from "../../src/store/scratch.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const index = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3) },
  fc.constantFrom<Identity["rollout"]>("a", "None", "", -1, 2 ** 32, 65535, 2n ** 60n, 2 ** 53 - 1),
);
const identity: fc.Arbitrary<Identity> = fc.record({
  task: index,
  rollout: index,
  stage: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, index),
}, { noNullPrototype: true });

Deno.test("VerdictBook orders any identities and counts copies, whether they fit in memory or not", () => {
  fc.assert(
    fc.property(fc.array(identity, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (all, capacity) => {
      const files = new MemoryFiles(), scratch = new Scratch(files, "/findings");
      const book = new VerdictBook({ files, index: "/index", scratch, capacity }, true);
      all.forEach((identity, n) =>
        book.add({
          identity,
          id: `id${n}`,
          findings: n % 3 === 0 ? [{ check: "c", detail: { n } }] : [],
          unobserved: n % 2,
          callsObserved: n % 5 === 0,
          anySuccess: n % 7 === 0,
          counts: null,
        })
      );
      book.finish();
      const order = all.map((_, n) => n).sort((a, b) => compareIdentities(all[a]!, all[b]!) || a - b);
      for (let turn = 0; turn < 2; turn++) {
        const judged = [...book.inOrder()];
        assert.deepEqual(judged.map((one) => one.details().id), order.map((n) => `id${n}`));
        assert.deepEqual(judged.map((one) => one.identity), order.map((n) => all[n]));
        assert.deepEqual(
          judged.map(({ copies }) => copies),
          order.map((n) => all.filter((other) => compareIdentities(other, all[n]!) === 0).length),
        );
        assert.deepEqual(
          judged.map(({ unobserved, callsObserved, anySuccess }) => [unobserved, callsObserved, anySuccess]),
          order.map((n) => [n % 2, n % 5 === 0, n % 7 === 0]),
        );
      }
      book.close();
      scratch.close();
      assert.deepEqual(["/index", "/findings"].map((path) => files.size(path)), [undefined, undefined]);
    }),
  );
});
