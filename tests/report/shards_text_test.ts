/** Shards of one run, together. */
import assert from "node:assert/strict";
import type { Pace } from "../../src/ports/lock.ts";
import { type ShardedStatus, type ShardStatus, shardsText } from "../../src/report/shards_text.ts";

const standing = (done: number, left: number, more = {}) => ({
  rollouts: done + left,
  done,
  terminal: 0,
  atCap: 0,
  left,
  leftFailed: 0,
  attempts: 0,
  failed: {},
  ...more,
});
const holder = (pace?: Partial<Pace>) => ({
  host: "node7",
  pid: 12,
  since: "2026-01-02T03:04:05.000Z",
  ...(pace ? { pace: { per_minute: 60, seconds_left: null, stalled_s: null, ...pace } } : {}),
});
const rewards = { rows: 10, scored: 10, sum: 5 };

function shard(shard: number, more: Partial<ShardStatus>): ShardStatus {
  return { shard, standing: standing(10, 0), rewards, holder: null, hasOddLines: false, ...more };
}

function said(shards: readonly ShardStatus[], more: Partial<ShardedStatus> = {}): string {
  const run = {
    pattern: "runs/a-shard-*-of-0008.jsonl",
    count: shards.length,
    shards,
    missing: undefined,
    cap: 3,
  };
  return shardsText({ ...run, ranges: (numbers) => numbers.join(","), ...more }, { columns: 200 });
}

Deno.test("shardsText() sums shards that run, are through, were stopped and have not begun, and names the slowest", () => {
  const text = said([
    shard(0, {}),
    shard(1, { standing: standing(4, 6), holder: holder({ seconds_left: 30, per_minute: 12 }) }),
    shard(2, { standing: standing(2, 8), holder: holder({ seconds_left: 7200, per_minute: 6 }) }),
    shard(3, { standing: standing(0, 10), holder: holder(), rewards: { rows: 0, scored: 0, sum: 0 } }),
    shard(4, { standing: standing(7, 2, { rollouts: 10, terminal: 1, attempts: 3, failed: { boom: 1 } }) }),
    shard(5, { standing: standing(10, 0), holder: holder({ seconds_left: 0 }), hasOddLines: true }),
  ], { count: 8, missing: "6-7" });
  assert.equal(
    text,
    `33 of 60 rollouts done, 26 left: runs/a-shard-*-of-0008.jsonl

shards      8 in all: 4 running, 1 finished, 1 stopped with rollouts left, 2 not begun
rollouts    60 in all: 33 done, 1 failed permanently, 26 left
reward      mean 0.5 of 50 rows
rate        1.3/s, 2h00m left, not counting 1 running shard that cannot say yet and 1 stopped shard and 2 not begun
slowest     shard 3: 0 of 10 done, process 12 on node7, since 2026-01-02T03:04:05.000Z
            shard 2: 2 of 10 done, 6/min, 2h00m left, process 12 on node7, since 2026-01-02T03:04:05.000Z
            shard 1: 4 of 10 done, 12/min, 30s left, process 12 on node7, since 2026-01-02T03:04:05.000Z
stopped     4: 2 rollouts left
not begun   6-7
failures    3 attempts recorded; rollouts without a result by their last failure: 1 boom
lines       some of 5 are not rollouts: see rollcall status of that file
next step   rerun the commands of the stopped shards with --resume
`,
  );
});

Deno.test("shardsText() of shards that are through says what is next", () => {
  const text = said([shard(0, {}), shard(1, {})]);
  assert.match(text, /^20 of 20 rollouts done, 0 left: /);
  assert.match(text, /^shards +2 in all: 2 finished$/m);
  assert.match(text, /^next step +rollcall aggregate with this pattern/m);
  assert.doesNotMatch(text, /rate|slowest|stopped/);
});

Deno.test("shardsText() names five of many slow shards, and takes any class of failure for a name", () => {
  const many = Array.from({ length: 40 }, (_, k) =>
    shard(k, {
      standing: standing(1, 9, { attempts: 1, failed: { ["__proto__"]: 1, constructor: 1 } }),
      holder: holder({ seconds_left: k }),
    }));
  const text = said(many);
  assert.equal(text.match(/shard \d+: /g)!.length, 5);
  assert.match(text, /slowest +shard 39: /);
  assert.match(text, /40 __proto__, 40 constructor/);
});

Deno.test("shardsText() says of shards without materialized inputs that they are, and counts the others", () => {
  const text = said([shard(0, {}), shard(1, { standing: null })]);
  assert.match(text, /^10 of 10 rollouts done/);
  assert.match(text, /1 finished, 1 without materialized inputs/);
});
