import assert from "node:assert/strict";
import fc from "fast-check";
import { type Fate, fates, type Rules, rulesOf } from "../../src/shards/fates.ts";
import { Kind, type LineRecord, Records } from "../../src/shards/records.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

/** A line of few tasks, shards, groups and classes, so that they meet. Group 0 is nobody. */
const anyLine = fc.record({
  task: fc.nat(1),
  rollout: fc.nat(1),
  kind: fc.constantFrom(Kind.ROLLOUT, Kind.FAILURE, Kind.INPUT),
  shard: fc.nat(2),
  group: fc.nat(3),
  failureClass: fc.nat(2),
}, { noNullPrototype: true });

/** Names 1 and 3 are one group. */
const GROUP_INDEXES = [0, 1, 0];

interface Told {
  readonly fate: Fate;
  readonly at: string;
  readonly line: LineRecord;
}

/** Gym's rules (rollout_collection.py, RolloutAggregationHelper), over all lines at once; but of several results in one shard the first stands, and one that its shard does not owe is left out. */
function model(lines: readonly LineRecord[], rules: Rules): Told[] {
  const groupIndex = ({ group }: LineRecord) => group === 0 ? -1 : rules.groupIndexes[group - 1]!;
  const where = ({ task, rollout }: LineRecord) => `${task}-${rollout}`;
  const who = (line: LineRecord) => `${groupIndex(line)}/${where(line)}`;
  const told: Told[] = [];
  const tell = (fate: Fate, line: LineRecord) => told.push({ fate, at: who(line), line });

  const ofKind = (kind: Kind, shard?: number) =>
    lines.filter((line) => line.kind === kind && (shard ?? line.shard) === line.shard);
  const results = new Set<string>(), inShard = new Set<string>();
  for (const line of ofKind(Kind.ROLLOUT)) {
    const here = `${who(line)} in ${line.shard}`;
    if (groupIndex(line) < 0) tell("unclaimed", line);
    else if (inShard.has(here)) tell("duplicate", line);
    else {
      inShard.add(here);
      const isOwed = ofKind(Kind.INPUT, line.shard).some((input) => where(input) === where(line));
      if (rules.owing.has(line.shard) && !isOwed) {
        tell("unplanned", line);
        continue;
      }
      results.add(who(line));
      tell("scored", line);
    }
  }
  const last = new Map<string, LineRecord>();
  for (const shard of [0, 1, 2]) {
    const own = new Set(ofKind(Kind.ROLLOUT, shard).map(where));
    for (const line of ofKind(Kind.FAILURE, shard)) if (!own.has(where(line))) last.set(who(line), line);
  }
  for (const [identity, line] of last) {
    if (results.has(identity)) continue;
    tell(groupIndex(line) >= 0 && rules.classes.has(line.failureClass) ? "counted" : "failed", line);
  }
  const accounted = new Set([...results, ...last.keys()]);
  const owed = new Set<string>();
  for (const shard of [0, 1, 2]) {
    const own = new Set([...ofKind(Kind.ROLLOUT, shard), ...ofKind(Kind.FAILURE, shard)].map(where));
    for (const line of ofKind(Kind.INPUT, shard)) {
      if (!own.has(where(line)) && !accounted.has(who(line))) owed.add(who(line));
    }
  }
  for (const identity of owed) {
    // Of several inputs the first one of all shards describes the task.
    const line = ofKind(Kind.INPUT).find((line) => who(line) === identity)!;
    tell(!rules.missing ? "missing" : groupIndex(line) < 0 ? "nameless" : "imputed", line);
  }
  return told;
}

Deno.test("fates() decides as Gym does, for any lines of several shards", () => {
  fc.assert(
    fc.property(
      fc.array(anyLine, { maxLength: 14 }),
      fc.subarray([0, 1, 2]),
      fc.boolean(),
      fc.subarray([0, 1, 2]),
      (given, classes, missing, owing) => {
        const lines = given.map((line, k) => ({ ...line, offset: k, length: 1 }))
          .sort((a, b) => a.shard - b.shard || a.kind - b.kind);
        const records = new Records(new MemoryFiles(), "/i", 5);
        for (const line of lines) records.add(line);
        records.finish();
        const rules: Rules = {
          groupIndexes: GROUP_INDEXES,
          classes: new Set(classes),
          missing,
          owing: new Set(owing),
        };
        const told = [...fates(records, rules)];
        const actual = told.map(({ fate, group, line }) =>
          `${fate} ${group}/${line.task}-${line.rollout} ${line.offset}`
        );
        const expected = model(lines, rules).map(({ fate, at, line }) => `${fate} ${at} ${line.offset}`);
        assert.deepEqual(actual.toSorted(), expected.toSorted());

        const order = told.filter(({ fate }) =>
          fate !== "duplicate" && fate !== "unclaimed" && fate !== "unplanned"
        )
          .map(({ group, line }) => [line.task, line.rollout, group] as const);
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]),
        );
        for (const { line, input, group } of told) {
          if (!input) continue;
          assert.equal(input.kind, Kind.INPUT);
          assert.deepEqual([input.task, input.rollout], [line.task, line.rollout]);
          assert.equal(input.group === 0 ? -1 : GROUP_INDEXES[input.group - 1], group);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("rulesOf() takes classes by name, and ignores those that never occurred; shards with inputs say what is planned", () => {
  const read = {
    groupIndexes: [0],
    classes: ["unknown", "agent_run_error", "lost"],
    hasInputs: [true, false, true],
  };
  const rules = rulesOf({ classes: ["lost", "never"], missing: true, unplanned: false }, read);
  assert.deepEqual(rules, {
    groupIndexes: [0],
    classes: new Set([2]),
    missing: true,
    owing: new Set([0, 2]),
  });
  assert.equal(rulesOf({ classes: [], missing: false, unplanned: true }, read).owing.size, 0);
});
