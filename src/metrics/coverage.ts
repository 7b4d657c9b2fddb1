/** How much of what was planned is in the metrics, and what is known about the rest. */
import { LISTED } from "../kit/fault.ts";
import type { Rollout } from "../shards/fates.ts";

/** A task none of whose rollouts was scored. */
export interface UnscoredTask {
  /** Its `_ng_task_index`. */
  readonly task: number;
  /** Which server or agent it was for. */
  readonly group: string;
  /** How many rollouts of it are missing. */
  readonly missing: number;
}

/** `expected = scored + missing`. */
export interface Coverage {
  /** Planned rollouts, as far as the files show. */
  readonly expected: number;
  /** Rollouts in the metrics, including those that count without a result. */
  readonly scored: number;
  /** Of these, failures of the classes that were to count. */
  readonly counted: number;
  /** Of these, rollouts that left nothing and were to count as zero. */
  readonly imputed: number;
  /** Rollouts that are not in the metrics. */
  readonly missing: number;
  /** Of these, failures, by the class of the last attempt. */
  readonly failures: Readonly<Record<string, number>>;
  /** Of these, rollouts that are only in the materialized inputs. */
  readonly withoutTrace: number;
  /** Tasks none of whose rollouts was scored: how many, and the first of them. */
  readonly unscoredTasks: { readonly count: number; readonly listed: readonly UnscoredTask[] };
  /** Shards, and how many of them have materialized inputs: for the others it is unknown what was planned. */
  readonly shards: { readonly all: number; readonly withInputs: number };
}

/** Folds rollouts, in order, into a {@link Coverage}. */
export class CoverageFold {
  readonly #classes: readonly string[];
  readonly #group: (index: number) => string;
  readonly #fates = { scored: 0, counted: 0, imputed: 0, failed: 0, missing: 0, nameless: 0 };
  readonly #failures = new Map<number, number>();
  /** Of the current task, by group: rollouts scored, and missing. */
  readonly #task = new Map<number, { scored: number; missing: number }>();
  #current = NaN;
  #unscored = 0;
  readonly #listed: UnscoredTask[] = [];

  /** @param classes names by their numbers, `group` names a group by its index */
  constructor(classes: readonly string[], group: (index: number) => string) {
    this.#classes = classes;
    this.#group = group;
  }

  /** Rollouts that would count but that nothing would score. */
  get nameless(): number {
    return this.#fates.nameless;
  }

  add({ fate, group, line }: Rollout): void {
    if (fate === "duplicate" || fate === "unclaimed" || fate === "unplanned") return;
    this.#fates[fate]++;
    if (fate === "failed") {
      this.#failures.set(line.failureClass, (this.#failures.get(line.failureClass) ?? 0) + 1);
    }
    if (line.task !== this.#current) {
      this.#closeTask();
      this.#current = line.task;
    }
    let task = this.#task.get(group);
    if (!task) this.#task.set(group, task = { scored: 0, missing: 0 });
    if (fate === "scored" || fate === "counted" || fate === "imputed") task.scored++;
    else task.missing++;
  }

  /** The coverage of all. */
  coverage(hasInputs: readonly boolean[]): Coverage {
    this.#closeTask();
    const { counted, imputed, failed, missing, nameless } = this.#fates;
    const scored = this.#fates.scored + counted + imputed;
    return {
      expected: scored + failed + missing + nameless,
      scored,
      counted,
      imputed,
      missing: failed + missing + nameless,
      failures: Object.fromEntries([...this.#failures].map(([number, n]) => [this.#classes[number]!, n])),
      withoutTrace: missing + nameless,
      unscoredTasks: { count: this.#unscored, listed: [...this.#listed] },
      shards: { all: hasInputs.length, withInputs: hasInputs.filter(Boolean).length },
    };
  }

  #closeTask(): void {
    for (const [group, { scored, missing }] of this.#task) {
      if (scored > 0) continue;
      this.#unscored++;
      if (this.#listed.length < LISTED) {
        this.#listed.push({ task: this.#current, group: this.#group(group), missing });
      }
    }
    this.#task.clear();
  }
}
