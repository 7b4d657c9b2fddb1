/**
 * What became of each rollout, decided from all lines about it. A rollout is identified by (group, task,
 * rollout), since separate runs all number their tasks from 0.
 *
 * A shard's failures and inputs are first compared with that shard's own rollouts, where (task, rollout) suffices: an
 * input need not say which server its rollout will be stamped with. What one shard lacks and another has, for the same
 * group, is present. Of several attempts the last counts. Rollouts with the same identity in different shards are each
 * scored, since they may be of different tasks; of several in one shard the first counts. The rules are Gym's, except
 * the last: Gym scores those too.
 */
import type { Counting } from "../plan/score_plan.ts";
import { NOBODY } from "./group_book.ts";
import { Kind, type LineRecord } from "./records.ts";

/** What became of a rollout, or of a line of the rollouts files. */
export type Fate =
  /** It has a result, which is scored. */
  | "scored"
  /** It failed, and counts as zero (or with the reward it has). */
  | "counted"
  /** It left nothing, and counts as zero. */
  | "imputed"
  /** It failed. */
  | "failed"
  /** It left nothing. */
  | "missing"
  /** It left nothing, and nothing would score it: its row names neither a server nor an agent. */
  | "nameless"
  /** A result that is not in the materialized inputs of its shard. It does not count as a rollout. */
  | "unplanned"
  /** Another result of a rollout that has one in the same shard. It does not count as a rollout. */
  | "duplicate"
  /** A result that names neither a server nor an agent, so nothing scores it. It does not count as a rollout. */
  | "unclaimed";

/** One rollout, or one line; see {@link Fate}. */
export interface Rollout {
  readonly fate: Fate;
  /** The index of its group; -1 for those that nothing scores. */
  readonly group: number;
  /** The line that says so: the result, the last failed attempt, or the input. */
  readonly line: LineRecord;
  /** Its row in the materialized inputs, if known. */
  readonly input?: LineRecord;
  /** Whether a result in an earlier shard has the same numbers. */
  readonly again?: boolean;
}

/** How lines are distinguished. */
export interface Rules {
  /** For each number of the group book, from 1, the index of its group. */
  readonly groupIndexes: readonly number[];
  /** The numbers of the failure classes that count. */
  readonly classes: ReadonlySet<number>;
  /** Whether rollouts that left nothing count. */
  readonly missing: boolean;
  /** Shards with materialized inputs: a result that is not in them is left out. */
  readonly owing: ReadonlySet<number>;
}

/** The rules of a configuration, in terms of the numbers in the records. */
export function rulesOf(
  counting: Counting,
  { groupIndexes, classes, hasInputs }: {
    readonly groupIndexes: readonly number[];
    readonly classes: readonly string[];
    readonly hasInputs: readonly boolean[];
  },
): Rules {
  const counted = classes.flatMap((name, number) => counting.classes.includes(name) ? [number] : []);
  const owing = counting.unplanned ? [] : hasInputs.flatMap((has, shard) => has ? [shard] : []);
  return { groupIndexes, classes: new Set(counted), missing: counting.missing, owing: new Set(owing) };
}

/** Whether something with this fate is among the scored rows. */
export function isScored({ fate }: Rollout): boolean {
  return fate === "scored" || fate === "counted" || fate === "imputed";
}

/** What the records say, by task, then rollout, then group. */
export function* fates(records: Iterable<LineRecord>, rules: Rules): Generator<Rollout> {
  const decided: Rollout[] = [], bucket = new Bucket(rules, decided);
  let task = NaN, rollout = NaN;
  for (const line of records) {
    if (line.task !== task || line.rollout !== rollout) {
      bucket.settle();
      ({ task, rollout } = line);
    }
    bucket.add(line);
    if (decided.length === 0) continue;
    yield* decided;
    decided.length = 0;
  }
  bucket.settle();
  yield* decided;
}

/** What is known of one (task, rollout) in one group. */
interface Slot {
  /** The bucket it belongs to; leftovers of earlier buckets are meaningless. */
  bucket: number;
  result: LineRecord | undefined;
  /** Results of later shards. */
  more: LineRecord[] | undefined;
  failure: LineRecord | undefined;
  input: LineRecord | undefined;
  /** Whether an input is not accounted for by its own shard. */
  isOwed: boolean;
}

/**
 * All lines of one (task, rollout): results first, then failures, then inputs. Buckets are numbered, so that nothing
 * needs clearing between them: clearing maps a million times is slow.
 */
class Bucket {
  readonly #rules: Rules;
  readonly #decided: Rollout[];
  #bucket = 1;
  /** By group plus one: the first has no group. */
  readonly #slots: Slot[] = [];
  /** Groups in this bucket. */
  readonly #groups: number[] = [];
  /** By shard: the last bucket in which it has a result, of whatever group; and in which it recorded a failure. */
  readonly #done: number[] = [];
  readonly #failed: number[] = [];
  /** By shard: the last bucket for which it has an input, of whatever group. */
  readonly #owed: number[] = [];

  /** @param decided where decisions are appended */
  constructor(rules: Rules, decided: Rollout[]) {
    this.#rules = rules;
    this.#decided = decided;
  }

  add(line: LineRecord): void {
    const group = line.group === NOBODY ? -1 : this.#rules.groupIndexes[line.group - 1]!;
    if (line.kind === Kind.ROLLOUT) {
      this.#done[line.shard] = this.#bucket;
      if (group < 0) return void this.#decided.push({ fate: "unclaimed", group, line });
      const slot = this.#slot(group);
      if (!slot.result) slot.result = line;
      else if ((slot.more?.at(-1) ?? slot.result).shard === line.shard) {
        this.#decided.push({ fate: "duplicate", group, line });
      } else (slot.more ??= []).push(line);
    } else if (line.kind === Kind.FAILURE) {
      this.#failed[line.shard] = this.#bucket;
      if (this.#done[line.shard] !== this.#bucket) this.#slot(group).failure = line;
    } else {
      this.#owed[line.shard] = this.#bucket;
      const slot = this.#slot(group);
      slot.input ??= line;
      const isThere = this.#done[line.shard] === this.#bucket || this.#failed[line.shard] === this.#bucket;
      if (!isThere) slot.isOwed = true;
    }
  }

  /** Ends the bucket: decides, and is empty again. */
  settle(): void {
    if (this.#groups.length > 1) this.#groups.sort((a, b) => a - b);
    for (const group of this.#groups) this.#decide(group, this.#slots[group + 1]!);
    this.#groups.length = 0;
    this.#bucket++;
  }

  #decide(group: number, { result, more, failure, input, isOwed }: Slot): void {
    const { classes, missing } = this.#rules;
    let isThere = false;
    for (const line of result ? [result, ...more ?? []] : []) {
      if (this.#isUnplanned(line)) this.#decided.push({ fate: "unplanned", group, line });
      else if (isThere) this.#decided.push({ fate: "scored", group, line, again: true });
      else {
        isThere = true;
        this.#report("scored", group, line, input);
      }
    }
    if (isThere) return;
    if (failure) {
      const counts = group >= 0 && classes.has(failure.failureClass);
      this.#report(counts ? "counted" : "failed", group, failure, input);
    } else if (input && isOwed) {
      this.#report(!missing ? "missing" : group < 0 ? "nameless" : "imputed", group, input, input);
    }
  }

  #isUnplanned({ shard }: LineRecord): boolean {
    return this.#rules.owing.has(shard) && this.#owed[shard] !== this.#bucket;
  }

  #report(fate: Fate, group: number, line: LineRecord, input: LineRecord | undefined): void {
    this.#decided.push(input ? { fate, group, line, input } : { fate, group, line });
  }

  #slot(group: number): Slot {
    const slot = this.#slots[group + 1] ??= {
      bucket: 0,
      result: undefined,
      more: undefined,
      failure: undefined,
      input: undefined,
      isOwed: false,
    };
    if (slot.bucket === this.#bucket) return slot;
    this.#groups.push(group);
    slot.bucket = this.#bucket;
    slot.result =
      slot.more =
      slot.failure =
      slot.input =
        undefined;
    slot.isOwed = false;
    return slot;
  }
}
