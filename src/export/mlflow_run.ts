/** A run at an MLflow server, over its REST interface (2.0). */
import type { Tracking, TrackingAnswer } from "../ports/tracking.ts";
import { type At, type Batch, metricBatches, paramBatches } from "./mlflow_batches.ts";
import type { Exported } from "./values.ts";

/** Holds what tells our run from others, so that an export that is repeated finds it again. */
const ID_TAG = "rollcall.id";
const API = "/api/2.0/mlflow";
const ARTIFACTS = "/api/2.0/mlflow-artifacts/artifacts";

/** How a run is named there. */
export interface MlflowNames {
  readonly experiment: string;
  readonly run: string;
  /** The same for every export of the same run, and for no other one. */
  readonly id: string;
}

/** How a run ended, in MLflow's words. */
export type MlflowStatus = "RUNNING" | "FINISHED" | "FAILED" | "KILLED";

/** The server does not do what it is asked, and asking again does not help. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** One run, found or made. */
export class MlflowRun {
  readonly #tracking: Tracking;
  readonly #id: string;
  readonly #experiment: string;
  readonly #artifacts: string;
  /** The parameters that it has: MLflow refuses to change one. */
  readonly #params: ReadonlySet<string>;

  private constructor(tracking: Tracking, run: RunInfo) {
    this.#tracking = tracking;
    this.#id = run.id;
    this.#experiment = run.experiment;
    this.#artifacts = run.artifacts;
    this.#params = run.params;
  }

  /**
   * The run with this id, made when there is none: never a second one.
   *
   * @throws {Refused} when the server does not take it
   * @throws {Error} when it does not answer
   */
  static async open(tracking: Tracking, names: MlflowNames, startedAt: number): Promise<MlflowRun> {
    const experiment_id = await experimentOf(tracking, names.experiment);
    const found = await ask(tracking, "POST", "/runs/search", {
      experiment_ids: [experiment_id],
      filter: `tags.\`${ID_TAG}\` = '${names.id}'`,
      max_results: 1,
    });
    const earlier = listOf(found.runs)[0];
    const run = earlier ?? (await ask(tracking, "POST", "/runs/create", {
      experiment_id,
      run_name: names.run,
      start_time: startedAt,
      tags: [{ key: ID_TAG, value: names.id }],
    })).run;
    const opened = new MlflowRun(tracking, runInfo(run));
    if (earlier) await opened.#update("RUNNING");
    return opened;
  }

  /** Where people see it, below the server's address. */
  get page(): string {
    return `/#/experiments/${this.#experiment}/runs/${this.#id}`;
  }

  /** Logs parameters; those that it has already stay as they are. */
  async params(values: readonly (readonly [string, string])[]): Promise<void> {
    for (const batch of paramBatches(this.#id, values)) {
      const params = batch.params!.filter(({ key }) => !this.#params.has(key));
      if (params.length > 0) await this.#log({ ...batch, params });
    }
  }

  /** Logs numbers as metrics and texts as tags. */
  async metrics(values: Exported, at: At): Promise<void> {
    for (const batch of metricBatches(this.#id, values, at)) await this.#log(batch);
  }

  /** Stores a file, replacing one of the same name. */
  async artifact(name: string, body: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<void> {
    if (!this.#artifacts.startsWith("mlflow-artifacts:/")) {
      throw new Refused(
        `its files are at ${this.#artifacts}, which only MLflow's own client can write; have the server ` +
          "pass artifacts on (mlflow server --serve-artifacts)",
      );
    }
    const folder = new URL(this.#artifacts).pathname.replace(/^\/+/, "");
    accepted(await this.#tracking.put(`${ARTIFACTS}/${folder}/${encodeURIComponent(name)}`, body), name);
  }

  /** Ends it. */
  async end(status: MlflowStatus, at: number): Promise<void> {
    await this.#update(status, at);
  }

  async #update(status: MlflowStatus, end_time?: number): Promise<void> {
    await ask(this.#tracking, "POST", "/runs/update", { run_id: this.#id, status, end_time });
  }

  async #log(batch: Batch): Promise<void> {
    await ask(this.#tracking, "POST", "/runs/log-batch", batch);
  }
}

/** Of a run, what is used. */
interface RunInfo {
  readonly id: string;
  readonly experiment: string;
  readonly artifacts: string;
  readonly params: ReadonlySet<string>;
}

function runInfo(run: unknown): RunInfo {
  const info = mapOf(mapOf(run).info), id = info.run_id ?? info.run_uuid, artifacts = info.artifact_uri;
  if (typeof id !== "string") throw new Refused("it answered without the run's id: is it an MLflow server?");
  const params = listOf(mapOf(mapOf(run).data).params).map((param) => mapOf(param).key);
  return {
    id,
    experiment: typeof info.experiment_id === "string" ? info.experiment_id : "",
    artifacts: typeof artifacts === "string" ? artifacts : "",
    params: new Set(params.filter((key) => typeof key === "string")),
  };
}

async function experimentOf(tracking: Tracking, name: string): Promise<string> {
  const get = () =>
    tracking.call("GET", `${API}/experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`);
  let answer = await get();
  if (answer.status === 404) {
    const made = await tracking.call("POST", `${API}/experiments/create`, { name });
    if (made.status === 200) return text(read(made).experiment_id);
    // Another run may have made it just now.
    answer = await get();
    if (answer.status === 404) accepted(made, "experiments/create");
  }
  accepted(answer, "experiments/get-by-name");
  const experiment = mapOf(read(answer).experiment);
  if (experiment.lifecycle_stage === "deleted") {
    throw new Refused(`its experiment ${name} was deleted: restore it, or name another one`);
  }
  return text(experiment.experiment_id);
}

async function ask(
  tracking: Tracking,
  method: "GET" | "POST",
  path: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await tracking.call(method, API + path, body);
  accepted(answer, path.slice(1));
  return read(answer);
}

/** @throws {Refused} for an answer that will not change; {@link Error} for one that may */
function accepted({ status, text }: TrackingAnswer, what: string): void {
  if (status >= 200 && status < 300) return;
  const message = mapOf(parsed(text)).message;
  const said = `${what}: HTTP ${status}${
    typeof message === "string" ? `, ${message.split("\n")[0]!.slice(0, 300)}` : ""
  }`;
  throw status === 429 || status >= 500 ? new Error(said) : new Refused(said);
}

function read(answer: TrackingAnswer): Readonly<Record<string, unknown>> {
  return mapOf(parsed(answer.text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, unknown>>
    : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Refused("it answered without the experiment's id: is it an MLflow server?");
}
