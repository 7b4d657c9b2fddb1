/** Tasks over their repeats. */
import { TASK_CHECKS } from "./checks.ts";
import type { TaskRepeats } from "./check.ts";
import type { Verdict } from "./verdict.ts";
import type { Index } from "./identity.ts";
import type { Judged } from "./verdict_book.ts";

/** A task, and what the task checks find. */
export interface JudgedTask extends TaskRepeats {
  /** The task. */
  readonly task: Index;
  /** For each of {@link TASK_CHECKS}: whether it flags the task, or `undefined` when it lacks evidence. */
  readonly outcomes: readonly (boolean | undefined)[];
}

/** The tasks of rollouts that are ordered by task and rollout. */
export function* tasksOf(rollouts: Iterable<Judged>): Generator<JudgedTask> {
  let fold: TaskFold | undefined;
  for (const judged of rollouts) {
    if (fold?.task !== judged.identity.task) {
      if (fold) yield fold.close();
      fold = new TaskFold(judged.identity.task);
    }
    fold.add(judged);
  }
  if (fold) yield fold.close();
}

class TaskFold {
  readonly task: Index;
  readonly #verdicts: Record<Verdict, number> = { healthy: 0, unhealthy: 0, unobserved: 0 };
  #repeats = 0;
  #callsObserved = true;
  #anySuccess = false;
  /** The current rollout, and the common verdict of its copies and stages. */
  #rollout: Index | undefined;
  #verdict: Verdict = "unobserved";

  constructor(task: Index) {
    this.task = task;
  }

  add({ identity: { rollout }, verdict, callsObserved, anySuccess }: Judged): void {
    if (this.#rollout !== rollout) {
      this.#closeRollout();
      this.#rollout = rollout;
      this.#verdict = verdict;
    } else if (this.#verdict !== verdict) this.#verdict = "unobserved";
    this.#callsObserved &&= callsObserved;
    this.#anySuccess ||= anySuccess;
  }

  close(): JudgedTask {
    this.#closeRollout();
    const repeats = {
      repeats: this.#repeats,
      verdicts: this.#verdicts,
      callsObserved: this.#callsObserved,
      anySuccess: this.#anySuccess,
    };
    return { task: this.task, ...repeats, outcomes: TASK_CHECKS.map((check) => check.flags(repeats)) };
  }

  #closeRollout(): void {
    if (this.#rollout === undefined) return;
    this.#repeats++;
    this.#verdicts[this.#verdict]++;
  }
}
