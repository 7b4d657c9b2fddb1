/**
 * The files that Gym's `eval profile` writes: one line a task, what the agents' rollouts look like, and how repeats differ.
 * Names, rules and refusals are Gym's; medians and quartiles of very many values are within half a percent.
 */
import { FieldNames } from "../json/field_names.ts";
import { type JsonObject, stringOf } from "../json/object.ts";
import { edit } from "../json/edit.ts";
import { isTrue } from "../json/truth.ts";
import { list, LISTED, UsageFault } from "../kit/fault.ts";
import { plural } from "../kit/phrases.ts";
import { KEYS } from "../record/keys.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";
import { Kind, type LineRecord } from "../shards/records.ts";
import { Column } from "../statistics/column.ts";
import { labelsOf } from "./labels.ts";
import { Measure } from "./measure.ts";
import { Repeats } from "./repeats.ts";
import { TaskMetrics } from "./task_metrics.ts";

/** How complete a run is; a task is counted once for each that ran it. */
export interface Completion {
  readonly expected: number;
  readonly completed: number;
  readonly masked: number;
  readonly tasks: number;
  readonly complete: number;
  readonly partial: number;
  readonly missing: number;
}

/** A planned rollout: its row, its result, and who runs it. */
interface Pair {
  readonly input: LineRecord;
  readonly result?: LineRecord;
  /** The number of what runs it, in {@link RewardProfile.labels}. */
  readonly runner: number;
  readonly masked: boolean;
}

/** Pairs between two calls of `breathe`. */
const BREATH = 1 << 12;
/** Values of a field that are kept for an exact median. */
const EXACT = 100_000;

/** What runs rollouts: an environment server, or an agent where lines name none. */
interface Runner {
  readonly server: string;
  readonly agent: string | undefined;
}

export class RewardProfile {
  readonly completion: Completion;
  readonly #runs: FinishedRuns;
  readonly #breathe: () => Promise<void>;
  readonly #runners: readonly Runner[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #labels: readonly string[];
  /** Whether some task is run by several. */
  readonly #perAgent: boolean;

  private constructor(
    runs: FinishedRuns,
    breathe: () => Promise<void>,
    { runners, numbers, completion, perAgent }: Checked,
  ) {
    this.#runs = runs;
    this.#breathe = breathe;
    this.#runners = runners;
    this.#numbers = numbers;
    this.#labels = labelsOf(runners);
    this.#perAgent = perAgent;
    this.completion = completion;
  }

  /**
   * Holds the results against the materialized inputs.
   *
   * @param runs one rollouts file and its materialized inputs
   * @param partial whether rollouts may be missing
   * @throws {UsageFault} when there are two lines of one rollout, results that were not planned, or rollouts are missing
   */
  static async of(
    runs: FinishedRuns,
    { partial, breathe }: { readonly partial: boolean; readonly breathe: () => Promise<void> },
  ): Promise<RewardProfile> {
    return new RewardProfile(runs, breathe, await check(runs, partial, breathe));
  }

  /**
   * @param task is given each task's line, without its line break, in order
   * @returns the content of the two other files
   */
  async tell(
    task: (json: string) => void,
  ): Promise<{ readonly agents: readonly unknown[]; readonly repeats: readonly unknown[] }> {
    const names = new FieldNames(), measure = new Measure(names), coverage = new Coverage();
    const agents = this.#runners.map((_, k) => new AgentFold(names, this.#labels[k]!, this.#perAgent));
    const inOrder = [...agents.keys()].sort((a, b) => compare(agents[a]!.label, agents[b]!.label));
    let current = NaN, seen = 0;
    const close = () => {
      for (const k of inOrder) {
        const json = agents[k]!.closeTask();
        if (json !== undefined) task(json);
      }
      coverage.closeTask();
    };
    for (const { input, result, runner, masked } of pairsOf(this.#runs, this.#numbers)) {
      if (++seen % BREATH === 0) await this.#breathe();
      if (input.task !== current) close();
      current = input.task;
      const agent = agents[runner]!;
      agent.expect(input.task, masked);
      if (result) coverage.add(this.#runners[runner]!.agent, masked);
      if (!result || masked) continue;
      agent.add(input.rollout, measure, this.#runs.row(result));
      if (agent.needsSample) agent.sample(this.#runs.row(input));
    }
    close();
    const told = coverage.byAgent(), entries: Record<string, unknown>[] = [];
    for (const agent of inOrder.map((k) => agents[k]!)) {
      const metrics = agent.metrics();
      if (!metrics) continue;
      entries.push({ ...metrics, ...told.get(agent.label) });
      told.delete(agent.label);
    }
    return {
      // One whose every result is masked has nothing but that to tell.
      agents: [...entries, ...[...told].map(([name, counts]) => ({ agent_ref: { name }, ...counts }))],
      repeats: inOrder.flatMap((k) => [...agents[k]!.repeats()]),
    };
  }
}

interface Checked {
  readonly runners: readonly Runner[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly completion: Completion;
  readonly perAgent: boolean;
}

async function check(runs: FinishedRuns, partial: boolean, breathe: () => Promise<void>): Promise<Checked> {
  const runners: Runner[] = [], numbers = new Map<string, number>();
  const counts = { expected: 0, completed: 0, masked: 0, tasks: 0, complete: 0, partial: 0, missing: 0 };
  const missing: string[] = [];
  /** Of the current task, by runner. */
  const task = new Map<number, { expected: number; completed: number; measured: number }>();
  let current = NaN, perAgent = false, seen = 0;
  const close = () => {
    let measured = 0;
    for (const one of task.values()) {
      counts.tasks++;
      counts[one.completed === one.expected ? "complete" : one.completed > 0 ? "partial" : "missing"]++;
      if (one.measured > 0) measured++;
    }
    perAgent ||= measured > 1;
    task.clear();
  };
  const learn = (runner: Runner) => {
    numbers.set(runner.server, runners.length);
    return runners.push(runner) - 1;
  };
  refuseUnpaired(runs);
  for (const { input, result, runner, masked } of pairsOf(runs, numbers, learn)) {
    if (++seen % BREATH === 0) await breathe();
    if (input.task !== current) close();
    current = input.task;
    let one = task.get(runner);
    if (!one) task.set(runner, one = { expected: 0, completed: 0, measured: 0 });
    one.expected++;
    counts.expected++;
    if (!masked) one.measured++;
    else counts.masked++;
    if (result) {
      one.completed++;
      counts.completed++;
    } else if (missing.length < LISTED) missing.push(placeOf(input));
  }
  close();
  const short = counts.expected - counts.completed;
  if (short > 0 && !partial) {
    throw new UsageFault(
      `${plural(short, "rollout")} of ${counts.expected} in the materialized inputs have no result:${
        list(missing, short)
      }\n++allow_partial_rollouts=true profiles those that have one.`,
    );
  }
  return { runners, numbers, completion: counts, perAgent };
}

/** @throws {UsageFault} when there are two lines of one rollout, or results without a row */
function refuseUnpaired(runs: FinishedRuns): void {
  const problems: string[] = [];
  let wrong = 0, last: LineRecord | undefined, results = 0, inputs = 0;
  const close = () => {
    if (!last || (results <= 1 && inputs === 1)) return;
    const what = results > 1
      ? "has several results"
      : inputs > 1
      ? "is in the materialized inputs several times"
      : "is not in the materialized inputs";
    if (wrong++ < LISTED) problems.push(`${placeOf(last)} ${what}`);
  };
  for (const line of runs.lines()) {
    if (line.task !== last?.task || line.rollout !== last.rollout) {
      close();
      results = inputs = 0;
    }
    last = line;
    if (line.kind === Kind.ROLLOUT) results++;
    else inputs++;
  }
  close();
  if (wrong > 0) {
    throw new UsageFault(`Rollouts and materialized inputs do not match:${list(problems, wrong)}`);
  }
}

function placeOf({ task, rollout }: LineRecord): string {
  return `task ${task}, rollout ${rollout}`;
}

/** The planned rollouts, by task, then rollout, after {@link refuseUnpaired}. */
function* pairsOf(
  runs: FinishedRuns,
  numbers: ReadonlyMap<string, number>,
  learn: (runner: Runner) => number = () => -1,
): Generator<Pair> {
  let result: LineRecord | undefined;
  for (const line of runs.lines()) {
    if (line.kind === Kind.ROLLOUT) {
      result = line;
      continue;
    }
    const row = runs.row(line),
      agent = runs.agentOf(row),
      server = stringOf(row.raw(KEYS.server)) ?? agent ?? "";
    const runner = numbers.get(server) ?? learn({ server, agent });
    const mask = result && runs.row(result).raw(KEYS.mask);
    const masked = mask !== undefined && isTrue(mask);
    yield result ? { input: line, result, runner, masked } : { input: line, runner, masked };
    result = undefined;
  }
}

const encoder = new TextDecoder();
const INDEXES = new Set<string>([KEYS.task, KEYS.rollout]);

/** What one agent, or the server in front of it, did. */
class AgentFold {
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
      raw && isOwn ? encoder.decode(raw) : JSON.stringify(measure.value(this.#reward)),
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
    const decoder = new TextDecoder();
    this.#sample = edit(row, { drop: INDEXES }).map((piece) => decoder.decode(piece, { stream: true })).join(
      "",
    );
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
class Coverage {
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
