/** An MLflow server in memory, as far as an exporter uses it; it is held to the contract of the real one. */
import type { Tracking, TrackingAnswer } from "../../src/ports/tracking.ts";

interface Run {
  readonly run_id: string;
  readonly experiment_id: string;
  readonly run_name: string;
  status: string;
  readonly tags: Map<string, string>;
  readonly params: Map<string, string>;
  readonly metrics: { key: string; value: number | string; step: number }[];
}

const ALLOWED = /^[/\p{L}\p{N}_.\- :]+$/u;

export class FakeMlflow implements Tracking {
  /** Fails every call with this message while it is set. */
  away: string | undefined;
  /** How often it was asked. */
  calls = 0;
  readonly experiments = new Map<string, string>();
  readonly runs: Run[] = [];
  readonly artifacts = new Map<string, string>();

  // deno-lint-ignore no-explicit-any -- bodies are what the exporter sends
  call(method: "GET" | "POST", path: string, body?: any): Promise<TrackingAnswer> {
    this.calls++;
    if (this.away !== undefined) return Promise.reject(new Error(this.away));
    return Promise.resolve(
      this.#answer(`${method} ${path.replace("/api/2.0/mlflow/", "").replace(/\?.*/, "")}`, body, path),
    );
  }

  async put(path: string, body: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<TrackingAnswer> {
    this.calls++;
    let text = "";
    const decoder = new TextDecoder();
    for await (const piece of body) text += decoder.decode(piece, { stream: true });
    if (this.away !== undefined) throw new Error(this.away);
    this.artifacts.set(path, text);
    return { status: 200, text: "" };
  }

  // deno-lint-ignore no-explicit-any -- as above
  #answer(what: string, body: any, path: string): TrackingAnswer {
    switch (what) {
      case "GET experiments/get-by-name": {
        const name = new URL(path, "http://x").searchParams.get("experiment_name")!;
        const experiment_id = this.experiments.get(name);
        return experiment_id === undefined
          ? fault(404, "RESOURCE_DOES_NOT_EXIST", `Could not find experiment with name '${name}'`)
          : ok({ experiment: { experiment_id, name, lifecycle_stage: "active" } });
      }
      case "POST experiments/create": {
        if (body.name === "") return fault(400, "INVALID_PARAMETER_VALUE", "Missing value for 'name'");
        if (this.experiments.has(body.name)) return fault(400, "RESOURCE_ALREADY_EXISTS", "already exists");
        const experiment_id = String(this.experiments.size + 1);
        this.experiments.set(body.name, experiment_id);
        return ok({ experiment_id });
      }
      case "POST runs/search": {
        const id = /tags\.`rollcall\.id` = '(.*)'/.exec(body.filter)![1];
        return ok({ runs: this.runs.filter(({ tags }) => tags.get("rollcall.id") === id).map(told) });
      }
      case "POST runs/create": {
        const run: Run = {
          run_id: `run${this.runs.length}`,
          experiment_id: body.experiment_id,
          run_name: body.run_name,
          status: "RUNNING",
          tags: new Map(body.tags.map(({ key, value }: { key: string; value: string }) => [key, value])),
          params: new Map(),
          metrics: [],
        };
        this.runs.push(run);
        return ok({ run: told(run) });
      }
      case "POST runs/update":
        this.#run(body.run_id).status = body.status;
        return ok({});
      case "POST runs/log-batch":
        return this.#log(this.#run(body.run_id), body);
      default:
        return fault(404, "ENDPOINT_NOT_FOUND", what);
    }
  }

  #run(id: string): Run {
    return this.runs.find(({ run_id }) => run_id === id)!;
  }

  // deno-lint-ignore no-explicit-any -- as above
  #log(run: Run, { metrics = [], params = [], tags = [] }: any): TrackingAnswer {
    if (metrics.length > 1000 || params.length > 100 || tags.length > 100) {
      return fault(
        400,
        "INVALID_PARAMETER_VALUE",
        "A batch logging request can contain at most 1000 metrics",
      );
    }
    for (const { key } of [...metrics, ...params, ...tags]) {
      const isPath = !/^\/|\/\/|\/$|^\.|(^|\/)\.+(\/|$)/.test(key);
      if (!ALLOWED.test(key) || !isPath || [...key].length > 250) {
        return fault(400, "INVALID_PARAMETER_VALUE", `Invalid value "${key}"`);
      }
    }
    for (const { key, value } of params) {
      if (run.params.has(key) && run.params.get(key) !== value) {
        return fault(400, "INVALID_PARAMETER_VALUE", "Changing param values is not allowed");
      }
    }
    for (const { key, value } of params) run.params.set(key, value);
    for (const { key, value } of tags) run.tags.set(key, value);
    run.metrics.push(...metrics);
    return ok({});
  }
}

function told({ run_id, experiment_id, run_name, status, params }: Run) {
  return {
    info: {
      run_id,
      experiment_id,
      run_name,
      status,
      artifact_uri: `mlflow-artifacts:/${experiment_id}/${run_id}/artifacts`,
    },
    data: { params: [...params].map(([key, value]) => ({ key, value })) },
  };
}

const ok = (value: unknown): TrackingAnswer => ({ status: 200, text: JSON.stringify(value) });
const fault = (status: number, error_code: string, message: string): TrackingAnswer => ({
  status,
  text: JSON.stringify({ error_code, message }),
});
