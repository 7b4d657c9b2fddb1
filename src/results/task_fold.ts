/**
 * Folds the lines of one task, from all files, into its results. A rollout's result is the first line of its file that has
 * its numbers; one that the materialized inputs beside it do not have is left out, as it is from the metrics. What two
 * files say of one task number is one task when the input rows are the same, so that a run over the same input adds
 * repeats, and a run over another input adds tasks.
 */
import { FieldNames } from "../json/field_names.ts";
import type { JsonObject } from "../json/object.ts";
import { Measure } from "../metrics/measure.ts";
import { KEYS } from "../record/keys.ts";
import { ownId } from "../record/task_name.ts";
import { Kind, type LineRecord } from "../shards/records.ts";
import { fieldOf, rowHash, valueOf } from "./row_identity.ts";
import { type Spend, spendOf } from "./spend.ts";
import { addTokens, type Outcomes, type TaskResults, type Tokens } from "./task_results.ts";

/** What lines are read with. */
export interface FoldTools {
  /** A line's object; its bytes are only valid until the next call. */
  row(line: LineRecord): JsonObject;
  /** Who ran it, as the line says; "" if it does not. */
  agentOf(row: JsonObject): string;
  /** Which shards have materialized inputs. */
  readonly hasInputs: readonly boolean[];
  /** The field of the input rows that is asked for. */
  readonly by: string | undefined;
  /** Further fields. */
  readonly fields: readonly string[];
  /** Counts what is left out. */
  readonly leftOut: LeftOut;
}

/** Lines that are of no rollout. */
export interface LeftOut {
  /** Further results of a rollout that has one in the same file. */
  duplicates: number;
  /** Results that the materialized inputs beside them do not have. */
  unplanned: number;
}

/** The lines of one rollout in one file. */
interface Lines {
  readonly shard: number;
  result?: LineRecord;
  readonly failures: LineRecord[];
  input?: LineRecord;
}

/** What one file says of the task, by agent. */
interface Part {
  readonly agent: string;
  readonly shard: number;
  input: LineRecord | undefined;
  readonly results: Building;
}

export class TaskFold {
  readonly #tools: FoldTools;
  readonly #names = new FieldNames();
  readonly #measure = new Measure(this.#names);
  readonly #reward = this.#names.number(KEYS.reward);
  #task = NaN;
  #rollout = NaN;
  /** Of the current rollout, by shard. */
  readonly #lines = new Map<number, Lines>();
  /** Of the current task. */
  #parts: Part[] = [];

  constructor(tools: FoldTools) {
    this.#tools = tools;
  }

  /** Takes a line; they come by task, rollout and kind. Returns the task before, when it is over. */
  add(line: LineRecord): TaskResults[] {
    let done: TaskResults[] = [];
    if (line.task !== this.#task) {
      done = this.close();
      this.#task = line.task;
      this.#rollout = line.rollout;
    } else if (line.rollout !== this.#rollout) {
      this.#closeRollout();
      this.#rollout = line.rollout;
    }
    let lines = this.#lines.get(line.shard);
    if (!lines) this.#lines.set(line.shard, lines = { shard: line.shard, failures: [] });
    if (line.kind === Kind.INPUT) lines.input ??= line;
    else if (line.kind === Kind.FAILURE) lines.failures.push(line);
    else if (lines.result) this.#tools.leftOut.duplicates++;
    else lines.result = line;
    return done;
  }

  /** The results of the current task, by agent, then file; none when there was no line. */
  close(): TaskResults[] {
    this.#closeRollout();
    const tasks: (Named & { readonly results: Building })[] = [];
    for (const part of this.#parts.sort((a, b) => compare(a.agent, b.agent) || a.shard - b.shard)) {
      const named = this.#named(part);
      const same = tasks.find(({ agent, row }) => agent === part.agent && row === named.row);
      if (same) same.results.join(part.results);
      else tasks.push({ ...named, results: part.results });
    }
    this.#parts = [];
    return tasks.map(({ results, ...named }) => ({
      ...named,
      task: this.#task,
      ...results.finish(this.#names),
    }));
  }

  #closeRollout(): void {
    for (const lines of this.#lines.values()) this.#fold(lines);
    this.#lines.clear();
  }

  #fold({ shard, result, failures, input }: Lines): void {
    const tools = this.#tools, measure = this.#measure;
    if (tools.hasInputs[shard] && !input) {
      if (result) tools.leftOut.unplanned++;
      return;
    }
    const row = tools.row(result ?? failures.at(-1) ?? input!);
    const spend = result && spendOf(row);
    if (result) measure.take(row);
    const { results } = this.#part(tools.agentOf(row) || this.#agentOf(input), shard, input);
    if (spend) results.result(measure, this.#reward, spend);
    else results.absent(failures.length > 0);
    for (const failure of failures) results.attempt(spendOf(tools.row(failure)));
  }

  #agentOf(input: LineRecord | undefined): string {
    return input ? this.#tools.agentOf(this.#tools.row(input)) : "";
  }

  #part(agent: string, shard: number, input: LineRecord | undefined): Part {
    let part = this.#parts.find((one) => one.agent === agent && one.shard === shard);
    if (!part) this.#parts.push(part = { agent, shard, input, results: new Building() });
    part.input ??= input;
    return part;
  }

  #named({ agent, input }: Part): Named {
    if (!input) return { agent, id: null, row: null, by: null, fields: new Map() };
    const row = this.#tools.row(input), { by, fields } = this.#tools;
    return {
      agent,
      id: ownId(row) ?? null,
      row: rowHash(row),
      by: by === undefined ? null : fieldOf(row, by),
      fields: new Map(fields.map((path) => [path, valueOf(row, path)])),
    };
  }
}

type Named = Pick<TaskResults, "agent" | "id" | "row" | "by" | "fields">;

type Counted = { -readonly [K in Exclude<keyof Outcomes, "planned">]: number };

/** A task's results while they are read. */
class Building {
  readonly #outcomes: Counted = { measured: 0, masked: 0, unscored: 0, failed: 0, missing: 0 };
  /** By the number of the field. */
  readonly #values: number[][] = [];
  readonly #durations: number[] = [];
  #rewards: number[] = [];
  #truncated = 0;
  readonly #tokens: Tally = { byModel: new Map(), lines: 0, untold: 0 };
  readonly #failed: Tally = { byModel: new Map(), lines: 0, untold: 0 };

  result(measure: Measure, reward: number, spend: Spend): void {
    if (measure.masked) this.#outcomes.masked++;
    else {
      const value = measure.value(reward);
      this.#outcomes[value === undefined ? "unscored" : "measured"]++;
      if (value !== undefined) this.#rewards.push(value);
      for (const field of measure.fields) (this.#values[field] ??= []).push(measure.value(field)!);
    }
    if (spend.duration !== null) this.#durations.push(spend.duration);
    if (spend.truncated) this.#truncated++;
    count(this.#tokens, spend);
  }

  attempt(spend: Spend): void {
    count(this.#failed, spend);
  }

  absent(failed: boolean): void {
    this.#outcomes[failed ? "failed" : "missing"]++;
  }

  /** Takes in what a later file says of the same task. */
  join(other: Building): void {
    for (const key of Object.keys(this.#outcomes) as (keyof Counted)[]) {
      this.#outcomes[key] += other.#outcomes[key];
    }
    other.#values.forEach((values, field) => this.#values[field] = [...this.#values[field] ?? [], ...values]);
    this.#rewards = [...this.#rewards, ...other.#rewards];
    for (const duration of other.#durations) this.#durations.push(duration);
    this.#truncated += other.#truncated;
    for (const [into, from] of [[this.#tokens, other.#tokens], [this.#failed, other.#failed]] as const) {
      into.lines += from.lines;
      into.untold += from.untold;
      for (const tokens of from.byModel.values()) addTokens(into.byModel, tokens);
    }
  }

  finish(names: FieldNames): Omit<TaskResults, keyof Named | "task"> {
    const { measured, masked, unscored, failed, missing } = this.#outcomes;
    const metrics = new Map<string, readonly number[]>();
    this.#values.forEach((values, field) => metrics.set(names.name(field), values));
    return {
      outcomes: {
        planned: measured + masked + unscored + failed + missing,
        measured,
        masked,
        unscored,
        failed,
        missing,
      },
      rewards: this.#rewards,
      metrics,
      durations: this.#durations,
      truncated: this.#truncated,
      tokens: [...this.#tokens.byModel.values()],
      untold: this.#tokens.untold,
      failedTokens: [...this.#failed.byModel.values()],
      attempts: { failed: this.#failed.lines, untold: this.#failed.untold },
    };
  }
}

interface Tally {
  readonly byModel: Map<string | null, Tokens>;
  lines: number;
  untold: number;
}

function count(tally: Tally, { model, input, output }: Spend): void {
  tally.lines++;
  if (input === null && output === null) tally.untold++;
  else addTokens(tally.byModel, { model, input: input ?? 0, output: output ?? 0 });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
