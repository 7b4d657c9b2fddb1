/** What the tests of this folder share: shards in memory, scored by servers that a test plays. */
import { score, type Scored } from "../../src/metrics/score.ts";
import { type Counting, shardOf, type ShardPaths } from "../../src/plan/score_plan.ts";
import { runPaths } from "../../src/plan/paths.ts";
import type { Scorers } from "../../src/plan/scorers.ts";
import { ManualClock } from "../fakes/manual_clock.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import { type Scripted, ScriptedWire } from "../fakes/scripted_wire.ts";

/** A line of a file. */
export type Row = Record<string, unknown>;

/** The lines of one run's files; a file without lines is not there, except for the rollouts. */
export interface Shard {
  readonly rollouts?: readonly Row[];
  readonly failures?: readonly Row[];
  readonly inputs?: readonly Row[];
}

/** Names of the output's files. */
export const paths = runPaths("/runs/all.jsonl");

/** A rollout of a server's task. */
export function rollout(task: number, rollout = 0, more: Row = {}): Row {
  const who = { agent_ref: { name: "solver" }, _ng_environment_server: "solver_env" };
  return { reward: 1, ...who, ...more, _ng_task_index: task, _ng_rollout_index: rollout };
}

/** A failed attempt. */
export function failure(task: number, rollout = 0, failureClass = "lost", more: Row = {}): Row {
  const { reward: _, ...row } = stamped(task, rollout);
  return { ...row, ...more, _ng_failure_class: failureClass };
}

/** A row of the materialized inputs: it names its agent only. */
export function input(task: number, rollout = 0, more: Row = {}): Row {
  return { agent_ref: { name: "solver" }, ...more, _ng_task_index: task, _ng_rollout_index: rollout };
}

function stamped(task: number, index: number): Row {
  return rollout(task, index);
}

/** The servers of these names, each the only one of an agent: `x_env` fronts `x`. */
export function scorers(...names: string[]): Scorers {
  return {
    routes: names.map((name) => ({
      server: name,
      url: `http://${name}:1`,
      resultType: "legacy_agent",
      agent: name.replace("_env", ""),
    })),
    byServer: Object.fromEntries(names.map((name, place) => [name, place])),
    byAgent: Object.fromEntries(names.map((name, place) => [name.replace("_env", ""), place])),
  };
}

/** Settings of {@link scoring}. */
export interface ScoringOptions {
  /** Classes that count. */
  readonly classes?: readonly string[];
  /** Whether missing rollouts count. */
  readonly missing?: boolean;
  /** Whether rows that no input owes are scored. */
  readonly unplanned?: boolean;
  /** Who scores; by default `solver_env`. Null for rollcall itself. */
  readonly scorers?: Scorers | null;
  /** Whether the shards are merged. */
  readonly merge?: boolean;
  /** What a server answers. */
  readonly answer?: (server: string) => Scripted;
  /** Stands still by default. */
  readonly clock?: ManualClock;
  /** Stops. */
  readonly signal?: AbortSignal;
  /** Prepares the files. */
  readonly files?: (files: MemoryFiles) => void;
}

/** A scoring that came to its end. */
export interface Outcome {
  readonly scored: Scored;
  readonly files: MemoryFiles;
  /** What each server was sent. */
  readonly sent: Readonly<Record<string, Row[]>>;
  /** The metrics file, parsed; `undefined` when it is not there. */
  readonly metrics: Row[] | undefined;
}

/** Puts shards on a disk. */
export function disk(
  shards: readonly Shard[],
): { readonly files: MemoryFiles; readonly paths: ShardPaths[] } {
  const files: Record<string, string> = {};
  const paths = shards.map((shard, k) => {
    const paths = shardOf(runPaths(`/runs/s${k}.jsonl`));
    files[paths.rollouts] = lines(shard.rollouts ?? []);
    if (shard.failures) files[paths.failures] = lines(shard.failures);
    if (shard.inputs) files[paths.inputs] = lines(shard.inputs);
    return paths;
  });
  return { files: new MemoryFiles(files), paths };
}

/** Scores shards. */
export async function scoring(shards: readonly Shard[], options: ScoringOptions = {}): Promise<Outcome> {
  const { files, paths: shardPaths } = disk(shards);
  options.files?.(files);
  const sent: Record<string, Row[]> = {};
  const wire = new ScriptedWire(({ url, body }) => {
    const server = new URL(url).hostname;
    sent[server] = JSON.parse(body).verify_responses;
    return options.answer?.(server) ?? { body: `{"key_metrics":{"n":${sent[server]!.length}}}` };
  });
  const counting: Counting = {
    classes: options.classes ?? [],
    missing: options.missing ?? false,
    unplanned: options.unplanned ?? false,
  };
  const scored = await score({
    shards: shardPaths,
    paths,
    merged: options.merge ? paths : null,
    scorers: options.scorers === undefined ? scorers("solver_env") : options.scorers,
    counting,
    missing: true,
    retryWindowMs: 60_000,
  }, {
    files,
    wire,
    clock: options.clock ?? new ManualClock(),
    signal: options.signal ?? new AbortController().signal,
  });
  const text = files.text(paths.metrics);
  return { scored, files, sent, metrics: text === undefined ? undefined : JSON.parse(text) };
}

/** Rows as the text of a file. */
export function lines(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** `TASK-ROLLOUT` of each row. */
export function ids(rows: readonly Row[] | undefined): string[] {
  return (rows ?? []).map((row) => `${row._ng_task_index}-${row._ng_rollout_index}`);
}
