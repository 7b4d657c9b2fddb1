/** What Gym's `eval profile` tells of one agent, folded rollout by rollout, and how many of its results are masked. */
import { edit } from "../json/edit.ts";
import type { FieldNames } from "../json/field_names.ts";
import type { JsonObject } from "../json/object.ts";
import { KEYS } from "../record/keys.ts";
import { Column } from "../statistics/column.ts";
import type { Measure } from "./measure.ts";
import { Repeats } from "./repeats.ts";
import { TaskMetrics } from "./task_metrics.ts";

/** Values of a field that are kept for an exact median. */
const EXACT = 100_000;

const decoder = new TextDecoder();
const INDEXES = new Set<string>([KEYS.task, KEYS.rollout]);

/** What one agent, or the server in front of it, did. */
export class AgentFold {
  readonly label: string;
  readonly #names: FieldNames;
  readonly #reward: number;
  readonly #perAgent: boolean;
  readonly #columns: Column[] = [];
  readonly #repeats: Repeats;
  readonly #task: TaskMetrics;
  #measured = 0;
  #tasks = 0;
  #sample = "";

  constructor(names: FieldNames, label: string, perAgent: boolean) {
    this.label = label;
    this.#names = names;
    this.#reward = names.number(KEYS.reward);
    this.#perAgent = perAgent;
    this.#repeats = new Repeats(names);
    this.#task = new TaskMetrics(names);
  }

  /** A planned rollout of the current task, which begins with the first. */
  expect(task: number, masked: boolean): void {
    if (this.#task.expected === 0) this.#task.begin(task);
    this.#task.expected++;
    if (masked) this.#task.masked++;
  }

  /** Its result. */
  add(rollout: number, measure: Measure, row: JsonObject): void {
    measure.take(row);
    const raw = row.raw(KEYS.reward), isOwn = measure.value(this.#reward) === measure.own(this.#reward);
    this.#task.add(
      rollout,
      measure,
      raw && isOwn ? decoder.decode(raw) : JSON.stringify(measure.value(this.#reward)),
    );
    for (const field of measure.fields) {
      (this.#columns[field] ??= new Column(EXACT)).add(measure.value(field)!);
    }
    this.#repeats.add(rollout, measure);
    this.#measured++;
  }

  get needsSample(): boolean {
    return this.#sample === "";
  }

  /** The row of the task's first measured rollout. */
  sample(row: JsonObject): void {
    this.#sample = edit(row, { drop: INDEXES }).map((piece) => decoder.decode(piece)).join("");
  }

  /** Ends the current task: its line, if it has a measured rollout. */
  closeTask(): string | undefined {
    const { expected, measured } = this.#task;
    if (expected === 0) return undefined;
    const agent = this.#perAgent ? `,"agent_ref":${JSON.stringify({ name: this.label })}` : "";
    const json = measured > 0 ? this.#task.json(`${agent},"sample":${this.#sample}`) : undefined;
    if (measured > 0) this.#tasks++;
    this.#task.begin(NaN);
    this.#sample = "";
    return json;
  }

  /** Its entry of the agents' metrics; none without a measured rollout. */
  metrics(): Record<string, unknown> | undefined {
    if (this.#measured === 0) return undefined;
    const of: Record<string, unknown> = {};
    this.#columns.forEach((column, number) => {
      const name = this.#names.name(number);
      of[`mean/${name}`] = column.mean;
      of[`max/${name}`] = column.max;
      of[`min/${name}`] = column.min;
      of[`median/${name}`] = column.median;
      if (column.count > 1 || this.#measured === 1) of[`std/${name}`] = column.std;
    });
    return { ...of, agent_ref: { name: this.label }, ...this.#repeats.across() };
  }

  /** Its entries of the repeats' metrics. */
  *repeats(): Generator<Record<string, unknown>> {
    for (const entry of this.#repeats.entries(this.#tasks)) {
      yield { agent_ref: { name: this.label }, ...entry };
    }
  }
}

/** How many results of each agent are masked, whatever servers are in front of it. */
export class Coverage {
  readonly #counts = new Map<
    string,
    { measured: number; masked: number; tasks: number; maskedTasks: number }
  >();
  /** Of the current task: whether the agent has a result that is not masked. */
  readonly #task = new Map<string, boolean>();

  /** A result. What names no agent is not told of. */
  add(agent: string | undefined, masked: boolean): void {
    if (agent === undefined) return;
    let counts = this.#counts.get(agent);
    if (!counts) this.#counts.set(agent, counts = { measured: 0, masked: 0, tasks: 0, maskedTasks: 0 });
    counts[masked ? "masked" : "measured"]++;
    this.#task.set(agent, !masked || (this.#task.get(agent) ?? false));
  }

  closeTask(): void {
    for (const [agent, isMeasured] of this.#task) {
      this.#counts.get(agent)![isMeasured ? "tasks" : "maskedTasks"]++;
    }
    this.#task.clear();
  }

  /** Of the agents with a masked result. */
  byAgent(): Map<string, Record<string, number>> {
    const all = [...this.#counts].filter(([, { masked }]) => masked > 0);
    return new Map(all.map(([agent, { measured, masked, tasks, maskedTasks }]) => [agent, {
      "coverage/measured_rollouts": measured,
      "coverage/masked_rollouts": masked,
      "coverage/measured_tasks": tasks,
      "coverage/fully_masked_tasks": maskedTasks,
    }]));
  }
}
