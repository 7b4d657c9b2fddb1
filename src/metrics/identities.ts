/**
 * What became of each rollout, decided from all lines that tell of it. A rollout is known by (group, task, rollout),
 * since separate runs all number their tasks from 0.
 *
 * A shard's failures and inputs are first held against that shard's own rollouts, where (task, rollout) suffices: an
 * input need not say which server its rollout will be stamped with. What one shard lacks and another has, for the same
 * group, is there. Of several rollouts the first stands, of several attempts the last. The rules are Gym's, but for
 * the first: Gym scores an identity that is there twice twice.
 */
import type { Counting } from "../plan/aggregate_plan.ts";
import { Kind, type LineRecord } from "./records.ts";

/** What became of a rollout, or of a line of the rollouts files. */
export type Fate =
  /** It has a result, which is scored. */
  | "scored"
  /** It failed, and counts as a zero (or with the reward it brought). */
  | "counted"
  /** It left nothing, and counts as a zero. */
  | "imputed"
  /** It failed. */
  | "failed"
  /** It left nothing. */
  | "missing"
  /** It left nothing, and nobody would score it: its row names neither a server nor an agent. */
  | "nameless"
  /** Another result of a rollout that has one. No identity of its own. */
  | "duplicate"
  /** A result that names neither a server nor an agent; nobody scores it. No identity of its own. */
  | "unclaimed";

/** One rollout, or one line; see {@link Fate}. */
export interface Identity {
  /** See {@link Fate}. */
  readonly fate: Fate;
  /** The place of its group; -1 for those that nobody scores. */
  readonly group: number;
  /** The line that says so: the result, the last failed attempt, or the input. */
  readonly line: LineRecord;
  /** Its row of the materialized inputs, where that is known. */
  readonly input?: LineRecord;
}

/** How lines are told apart. */
export interface Rules {
  /** For each number of the group book, from 1 on, the place of its group. */
  readonly places: readonly number[];
  /** The numbers of the failure classes that count. */
  readonly classes: ReadonlySet<number>;
  /** Whether rollouts that left nothing count. */
  readonly missing: boolean;
}

/** The rules that a configuration makes, in the numbers of what was read. */
export function rulesOf(
  counting: Counting,
  { places, classes }: { readonly places: readonly number[]; readonly classes: readonly string[] },
): Rules {
  const counted = classes.flatMap((name, number) => counting.classes.includes(name) ? [number] : []);
  return { places, classes: new Set(counted), missing: counting.missing };
}

/** Whether something of this fate is among the rows that are scored. */
export function isScored({ fate }: Identity): boolean {
  return fate === "scored" || fate === "counted" || fate === "imputed";
}

/** What is known of one (task, rollout) in one group. */
interface Slot {
  result?: LineRecord;
  failure?: LineRecord;
  input?: LineRecord;
  /** Whether an input is not accounted for by its own shard. */
  isOwed?: boolean;
}

/** Everything that the records tell, by task, then rollout, then group. */
export function* identities(records: Iterable<LineRecord>, rules: Rules): Generator<Identity> {
  const bucket = new Bucket(rules);
  let task = NaN, rollout = NaN;
  for (const line of records) {
    if (line.task !== task || line.rollout !== rollout) {
      yield* bucket.empty();
      ({ task, rollout } = line);
    }
    yield* bucket.add(line);
  }
  yield* bucket.empty();
}

/** All lines of one (task, rollout): results first, then failures, then inputs. */
class Bucket {
  readonly #rules: Rules;
  readonly #slots = new Map<number, Slot>();
  /** Shards that have a result here, of whatever group; and those that recorded a failure. */
  readonly #done = new Set<number>();
  readonly #failed = new Set<number>();

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  *add(line: LineRecord): Generator<Identity> {
    const group = line.group === 0 ? -1 : this.#rules.places[line.group - 1]!;
    if (line.kind === Kind.ROLLOUT) {
      this.#done.add(line.shard);
      if (group < 0) return yield { fate: "unclaimed", group, line };
      const slot = this.#slot(group);
      if (slot.result) return yield { fate: "duplicate", group, line };
      slot.result = line;
    } else if (line.kind === Kind.FAILURE) {
      this.#failed.add(line.shard);
      if (!this.#done.has(line.shard)) this.#slot(group).failure = line;
    } else {
      const slot = this.#slot(group);
      slot.input ??= line;
      if (!this.#done.has(line.shard) && !this.#failed.has(line.shard)) slot.isOwed = true;
    }
  }

  *empty(): Generator<Identity> {
    const groups = [...this.#slots.keys()];
    for (const group of groups.length > 1 ? groups.sort((a, b) => a - b) : groups) {
      yield* this.#settle(group, this.#slots.get(group)!);
    }
    this.#slots.clear();
    this.#done.clear();
    this.#failed.clear();
  }

  *#settle(group: number, { result, failure, input, isOwed }: Slot): Generator<Identity> {
    const known = input ? { input } : {};
    if (result) {
      yield { fate: "scored", group, line: result, ...known };
    } else if (failure) {
      const counts = group >= 0 && this.#rules.classes.has(failure.failureClass);
      yield { fate: counts ? "counted" : "failed", group, line: failure, ...known };
    } else if (input && isOwed) {
      const counts = this.#rules.missing && group >= 0;
      const fate = counts ? "imputed" : group < 0 && this.#rules.missing ? "nameless" : "missing";
      yield { fate, group, line: input, input };
    }
  }

  #slot(group: number): Slot {
    let slot = this.#slots.get(group);
    if (!slot) this.#slots.set(group, slot = {});
    return slot;
  }
}
