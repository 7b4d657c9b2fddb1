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
import { NOBODY } from "./group_book.ts";
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
  const told: Identity[] = [], bucket = new Bucket(rules, told);
  let task = NaN, rollout = NaN;
  for (const line of records) {
    if (line.task !== task || line.rollout !== rollout) {
      bucket.settle();
      ({ task, rollout } = line);
    }
    bucket.add(line);
    if (told.length === 0) continue;
    yield* told;
    told.length = 0;
  }
  bucket.settle();
  yield* told;
}

/** All lines of one (task, rollout): results first, then failures, then inputs. */
class Bucket {
  readonly #rules: Rules;
  readonly #told: Identity[];
  readonly #slots = new Map<number, Slot>();
  /** Shards that have a result here, of whatever group; and those that recorded a failure. */
  readonly #done = new Set<number>();
  readonly #failed = new Set<number>();

  /** @param told takes what is decided */
  constructor(rules: Rules, told: Identity[]) {
    this.#rules = rules;
    this.#told = told;
  }

  add(line: LineRecord): void {
    const group = line.group === NOBODY ? -1 : this.#rules.places[line.group - 1]!;
    if (line.kind === Kind.ROLLOUT) {
      this.#done.add(line.shard);
      if (group < 0) return void this.#told.push({ fate: "unclaimed", group, line });
      const slot = this.#slot(group);
      if (slot.result) this.#told.push({ fate: "duplicate", group, line });
      else slot.result = line;
    } else if (line.kind === Kind.FAILURE) {
      this.#failed.add(line.shard);
      if (!this.#done.has(line.shard)) this.#slot(group).failure = line;
    } else {
      const slot = this.#slot(group);
      slot.input ??= line;
      if (!this.#done.has(line.shard) && !this.#failed.has(line.shard)) slot.isOwed = true;
    }
  }

  /** All lines have come: decides, and is empty again. */
  settle(): void {
    if (this.#slots.size === 1) { for (const [group, slot] of this.#slots) this.#decide(group, slot); }
    else {
      for (const group of [...this.#slots.keys()].sort((a, b) => a - b)) {
        this.#decide(group, this.#slots.get(group)!);
      }
    }
    this.#slots.clear();
    this.#done.clear();
    this.#failed.clear();
  }

  #decide(group: number, { result, failure, input, isOwed }: Slot): void {
    const { classes, missing } = this.#rules;
    if (result) this.#tell("scored", group, result, input);
    else if (failure) {
      const counts = group >= 0 && classes.has(failure.failureClass);
      this.#tell(counts ? "counted" : "failed", group, failure, input);
    } else if (input && isOwed) {
      this.#tell(!missing ? "missing" : group < 0 ? "nameless" : "imputed", group, input, input);
    }
  }

  #tell(fate: Fate, group: number, line: LineRecord, input: LineRecord | undefined): void {
    this.#told.push(input ? { fate, group, line, input } : { fate, group, line });
  }

  #slot(group: number): Slot {
    let slot = this.#slots.get(group);
    if (!slot) this.#slots.set(group, slot = {});
    return slot;
  }
}
