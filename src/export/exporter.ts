/**
 * Exports a run while it goes on: what it is told waits in a short queue, and whatever the server does, whoever tells
 * is never kept waiting.
 */
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Tracking } from "../ports/tracking.ts";
import type { ExportPlan, FromExporter, ToExporter } from "./messages.ts";
import { MlflowRun, Refused } from "./mlflow_run.ts";
import { isBlank } from "../kit/lines.ts";
import { readLines } from "../store/read_lines.ts";
import { rolloutTable } from "./rollout_table.ts";
import { flattened, metricsOf } from "./values.ts";

/** So many steps wait at most: more than a run has, unless it is resumed very often. */
const QUEUE = 200;
/** The first and the longest pause between two tries, in milliseconds. */
const PAUSE = 500, LONGEST_PAUSE = 30_000;
/** The rollouts, and the tag by which MLflow's page shows them as a table. */
const TABLE = "rollouts.json";
const TABLE_TAG = { "mlflow.loggedArtifacts": JSON.stringify([{ path: TABLE, type: "table" }]) };
/** How long a server that does not answer is tried once the run is over. */
const PATIENCE = 5000;

/** What an exporter asks of the world. */
export interface ExporterTools {
  readonly tracking: Tracking;
  readonly clock: Clock;
  readonly say: (message: FromExporter) => void;
  readonly files: Files;
}

type Told = Exclude<ToExporter, { kind: "open" }>;

/** The exporter of one run. */
export class Exporter {
  readonly #plan: ExportPlan;
  readonly #tools: ExporterTools;
  readonly #queue: Told[] = [];
  #wake: () => void = () => {};
  #run: MlflowRun | undefined;
  #dropped = 0;
  /** Since when nothing has been answered; undefined while all is well. */
  #silentSince: number | undefined;

  constructor(plan: ExportPlan, tools: ExporterTools) {
    this.#plan = plan;
    this.#tools = tools;
  }

  /** Takes what happened. Never waits. */
  tell(told: Told): void {
    if (told.kind === "step" && this.#queue.length >= QUEUE) {
      this.#queue.shift();
      this.#dropped++;
    }
    this.#queue.push(told);
    this.#wake();
  }

  /** Exports until the run is over and everything is sent, or cannot be. */
  async run(): Promise<void> {
    const { say } = this.#tools;
    try {
      await this.#persistently(() => this.#open());
      for (;;) {
        const told = await this.#next();
        if (told.kind === "step") {
          const { at: timestamp, step: { step, metrics } } = told;
          await this.#persistently((run) => run.metrics(metrics, { timestamp, step }));
        } else return await this.#end(told);
      }
    } catch (error) {
      say({ kind: "warning", text: this.#failed((error as Error).message) });
      say({ kind: "ended", page: null });
    }
  }

  async #open(): Promise<MlflowRun> {
    const { names, startedAt, config } = this.#plan;
    const run = await MlflowRun.open(this.#tools.tracking, names, startedAt);
    await run.artifact("global_config.json", once(JSON.stringify(config, null, 2)));
    await run.params(flattened(config));
    return this.#run = run;
  }

  async #end({ at: timestamp, status, coverage, hasMetrics }: Told & { kind: "end" }): Promise<void> {
    const { files, say } = this.#tools, { rollouts, metrics } = this.#plan;
    const at = { timestamp, step: 0 };
    if (rollouts !== null) {
      await this.#persistently((run) => run.artifact(TABLE, rolloutTable(linesOf(files, rollouts))));
      await this.#persistently((run) => run.metrics(TABLE_TAG, at));
    }
    if (hasMetrics) {
      const values = metricsOf(JSON.parse(textOf(files, metrics)));
      await this.#persistently((run) => run.metrics(values, at));
    }
    await this.#persistently((run) => run.metrics(coverage, at));
    await this.#persistently((run) => run.end(status, timestamp));
    if (this.#dropped > 0) {
      say({
        kind: "warning",
        text: `${this.#where} was too slow for ${this.#dropped} steps of progress, which it does not have.`,
      });
    }
    say({ kind: "ended", page: this.#plan.uri + this.#run!.page });
  }

  /** Does it, and again while the server does not answer: as long as the run goes on, and {@link PATIENCE} longer. */
  async #persistently<T>(what: (run: MlflowRun) => Promise<T>): Promise<T> {
    const { clock, say } = this.#tools;
    for (let pause = PAUSE;; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const done = await what(this.#run!);
        this.#silentSince = undefined;
        return done;
      } catch (error) {
        if (error instanceof Refused) throw error;
        const { message } = error as Error, now = clock.now();
        if (this.#silentSince === undefined) {
          this.#silentSince = now;
          say({ kind: "warning", text: `${this.#where} does not answer: ${message}. Trying again.` });
        }
        if (this.#isOver && now - this.#silentSince >= PATIENCE) throw error;
        await this.#pause(pause);
      }
    }
  }

  get #isOver(): boolean {
    return this.#queue.at(-1)?.kind === "end";
  }

  /** Waits; shorter when the run is over meanwhile. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#tools.clock.after(ms, resolve);
      this.#wake = () => {
        if (!this.#isOver) return;
        cancel();
        resolve();
      };
    });
  }

  async #next(): Promise<Told> {
    while (this.#queue.length === 0) await new Promise<void>((resolve) => this.#wake = resolve);
    return this.#queue.shift()!;
  }

  get #where(): string {
    return `MLflow at ${this.#plan.uri}`;
  }

  #failed(reason: string): string {
    return `${this.#where} does not have this run, or not all of it: ${reason}. Nothing of the run is lost: export it ` +
      `with  ${this.#plan.again}`;
  }
}

async function* once(text: string): AsyncIterable<Uint8Array<ArrayBuffer>> {
  yield new TextEncoder().encode(text);
}

function* linesOf(files: Files, path: string): Generator<Uint8Array> {
  const file = files.read(path);
  try {
    for (const { bytes } of readLines(file)) if (!isBlank(bytes)) yield bytes;
  } finally {
    file.close();
  }
}

function textOf(files: Files, path: string): string {
  const file = files.read(path);
  try {
    const bytes = new Uint8Array(file.size());
    return new TextDecoder().decode(bytes.subarray(0, file.readAt(bytes, 0)));
  } finally {
    file.close();
  }
}
