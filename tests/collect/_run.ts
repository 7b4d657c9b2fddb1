/** A whole run in process: real collector, wire and files and clock under the test's hand, no Worker. */
import assert from "node:assert/strict";
import { accountOf } from "../../src/collect/accounting.ts";
import { collect } from "../../src/collect/collect.ts";
import { Shown } from "../../src/collect/shown.ts";
import type { Summary, Tally } from "../../src/collect/tally.ts";
import type { Notice } from "../../src/events/run_event.ts";
import { errorText } from "../../src/report/error_text.ts";
import { eventText } from "../../src/report/event_text.ts";
import { dispatchOf } from "../../src/config/config.ts";
import { configure } from "../config/_configure.ts";
import { Topology } from "../../src/config/topology.ts";
import { countingOf } from "../../src/plan/score_plan.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { type RunPlan } from "../../src/plan/run_plan.ts";
import { permissionsOf } from "../../src/plan/permissions.ts";
import { RowIndex } from "../../src/plan/row_index.ts";
import { scorersOf } from "../../src/plan/scorers.ts";
import { ManualClock, settled } from "../fakes/manual_clock.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import { type Scripted, ScriptedWire } from "../fakes/scripted_wire.ts";

export { Gate } from "../fakes/gate.ts";

/** A row of a file, parsed. */
export type Row = Record<string, unknown>;

/** A request for a rollout, as the script sees it. */
export interface Request {
  /** The row that is asked for: its place among the run's rows. */
  readonly row: number;
  /** How often it was seen before. */
  readonly before: number;
  /** The body, parsed. */
  readonly body: Row;
}

/** Settings of {@link begin}. */
export interface RunOptions {
  /** A letter a row: the server it goes to. Default ten rows of server a. */
  readonly rows?: string;
  /** What servers do about a rollout. Default: reward 1. */
  readonly run?: (request: Request) => Scripted | Promise<Scripted>;
  /** What servers do when they are asked for metrics. */
  readonly metrics?: () => Scripted | Promise<Scripted>;
  /** Configuration as words. */
  readonly words?: readonly string[];
  /** Changes of the plan. */
  readonly plan?: Partial<RunPlan>;
  /** More keys of a row. */
  readonly keys?: (row: number) => Row;
  /** Failures recorded before, by row. */
  readonly attempts?: Readonly<Record<number, number>>;
  /** Files that are there already; names without folder. */
  readonly files?: Readonly<Record<string, string>>;
}

const paths = runPaths("/runs/a.jsonl");

/** The summary of a run, its error in words. */
export type Ended = Omit<Summary, "error"> & { readonly error: string | null };

/** A run that has begun. */
export class TestRun implements Disposable {
  readonly clock = new ManualClock();
  readonly files: MemoryFiles;
  readonly wire: ScriptedWire;
  /** What the user was shown. */
  readonly events: Notice[] = [];
  readonly drain = new AbortController();
  readonly abort = new AbortController();
  /** Resolves once the run is over. */
  readonly summary: Promise<Summary>;
  /** The counts now; those at the end once it is over. */
  tally: () => Tally = () => assert.fail("dispatch has not begun");
  /** Bodies of the requests for metrics. */
  readonly scored: string[] = [];
  readonly paths = paths;
  #over = false;
  #wrong: unknown;

  constructor(
    { rows = "aaaaaaaaaa", words = [], plan = {}, attempts = {}, files = {}, ...scripts }: RunOptions,
  ) {
    const { run = () => reward(1), metrics = () => ({ body: "{}" }), keys = () => ({}) } = scripts;
    const letters = [...rows], servers = [...new Set(letters)].sort();
    const { config } = configure({
      files: [],
      flags: [],
      words: ["+input_jsonl_fpath=in.jsonl", `+output_jsonl_fpath=${paths.rollouts}`, ...words],
    });
    const topology = new Topology(
      {},
      Object.fromEntries(servers.map((name) => [name, `http://${name}:1`])),
      () => undefined,
    );
    const routes = servers.map((name) => topology.routeOf(name));
    const index = new RowIndex(), lines: string[] = [];
    let offset = 0;
    letters.forEach((name, row) => {
      const line = JSON.stringify({
        _ng_task_index: row,
        _ng_rollout_index: 0,
        agent_ref: { name },
        ...keys(row),
      });
      const { length } = new TextEncoder().encode(line);
      index.add({ offset, length, task: row, rollout: 0, route: servers.indexOf(name) });
      offset += length + 1;
      lines.push(`${line}\n`);
    });
    for (const [row, count] of Object.entries(attempts)) index.columns.attempts[Number(row)] = count;
    this.files = new MemoryFiles({
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`/runs/${name}`, text])),
      [paths.inputsNew]: lines.join(""),
      [paths.manifestNew]: "{}",
    });
    const before = new Map<number, number>();
    this.wire = new ScriptedWire(({ path, body }) => {
      if (path === "/aggregate_metrics") {
        this.scored.push(body);
        return metrics();
      }
      const row = rowOf(JSON.parse(body)), seen = before.get(row) ?? 0;
      before.set(row, seen + 1);
      return run({ row, before: seen, body: JSON.parse(body) });
    });
    const made: RunPlan = {
      paths,
      resume: null,
      rows: letters.length,
      tasks: letters.length,
      rollouts: letters.length,
      routes,
      perRoute: routes.map(({ server }) => letters.filter((letter) => letter === server).length),
      permissions: permissionsOf(paths, routes, null),
      captures: null,
      dispatch: dispatchOf(config),
      authorities: [],
      attempts: 3,
      aggregate: true,
      scorers: scorersOf(topology, routes),
      counting: countingOf(config),
      requireComplete: config.require_complete,
      exports: false,
      health: null,
      ...plan,
    };
    const take = RowIndex.over(index.take());
    this.summary = collect(made, take, {
      files: this.files,
      wire: this.wire,
      clock: this.clock,
      dice: () => 0,
      drain: this.drain.signal,
      abort: this.abort.signal,
      observer: new Shown((event) => this.events.push(event), {
        failures: paths.failures,
        servers: routes.length,
      }),
      opened: () => Promise.resolve(),
      watch: (tally) => {
        this.tally = tally;
        return () => {};
      },
    }).finally(() => this.#over = true);
    this.#audit().catch((error) => this.#wrong = error);
  }

  /** The same in words. */
  get notes(): string[] {
    return this.events.map(eventText);
  }

  /** The rollouts file, parsed. */
  get rollouts(): Row[] {
    return parsed(this.files.text(paths.rollouts) ?? "");
  }

  /** The failures sidecar, parsed. */
  get failures(): Row[] {
    return parsed(this.files.text(paths.failures) ?? "");
  }

  /** Rows that were asked for, in order, as often as they were. */
  get asked(): number[] {
    return this.wire.posts.filter(({ path }) => path === "/run").map(({ body }) => rowOf(JSON.parse(body)));
  }

  /** Lets time pass until the run is over, and returns its summary, the error in words. Fails when it is not after `seconds`. */
  async end(seconds = 100_000): Promise<Ended> {
    for (let passed = 0; passed < seconds && !this.#over; passed++) await this.clock.pass(1000);
    assert.ok(this.#over, `the run is not over after ${seconds} s`);
    const summary = await this.summary;
    if (this.#wrong) throw this.#wrong;
    addUp(summary.tally);
    assert.equal(this.clock.timers, 0, "timers are left");
    assert.equal(this.files.open, 0, "files are left open");
    assert.equal(this.wire.open, 0, "requests are left open");
    return { ...summary, error: errorText(summary) };
  }

  /** Lets go of the run, if a test ends before it. */
  [Symbol.dispose](): void {
    this.#over = true;
  }

  /** At every moment at which somebody else could look, the counts must add up. */
  async #audit(): Promise<void> {
    while (!this.#over) {
      await settled();
      let tally: Tally;
      try {
        tally = this.tally();
      } catch {
        continue;
      }
      addUp(tally);
    }
  }
}

/** Starts a run. */
export function begin(options: RunOptions = {}): TestRun {
  return new TestRun(options);
}

/** An ordinary result. */
export function reward(value: unknown): Scripted {
  return { body: JSON.stringify({ reward: value }) };
}

/** What a {@link Tally} promises of its counts, and its account. */
export function addUp(tally: Tally): void {
  const account = accountOf(tally);
  assert.equal(account.expected, account.done + account.failed + account.drained + account.unresolved);

  const { owed, done, failed, notPersisted, drained, inFlight, waiting } = tally;
  const parts = { done, failed, notPersisted, drained, inFlight, waiting };
  for (const [name, count] of Object.entries(parts)) assert.ok(count >= 0, `${name} is ${count}`);
  assert.equal(Object.values(parts).reduce((a, b) => a + b), owed, JSON.stringify({ owed, ...parts }));
}

function parsed(text: string): Row[] {
  assert.ok(text === "" || text.endsWith("\n"), "the last line is torn");
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** The row that a request is for: by its own key, or by the episode's name. */
function rowOf(body: Row): number {
  const { episode_id: episode } = body as { episode_id?: { rollout_id: string } };
  return episode ? parseInt(episode.rollout_id) : body._ng_task_index as number;
}
