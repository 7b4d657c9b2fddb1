/** What is logged to MLflow, as the bodies of its `runs/log-batch`, within its limits. */
import { mlflowName } from "./mlflow_names.ts";
import type { Exported } from "./values.ts";

/** The most of each in one batch, and characters of a value. */
const METRICS = 1000, OTHERS = 100, LONGEST_VALUE = 6000;

/** A body of `runs/log-batch`. */
export interface Batch {
  readonly run_id: string;
  readonly metrics?: readonly {
    readonly key: string;
    readonly value: number | string;
    readonly timestamp: number;
    readonly step: number;
  }[];
  readonly params?: readonly Entry[];
  readonly tags?: readonly Entry[];
}

interface Entry {
  readonly key: string;
  readonly value: string;
}

/** When metrics were taken: milliseconds since 1970, and the step. */
export interface At {
  readonly timestamp: number;
  readonly step: number;
}

/** Numbers as metrics and texts as tags, since MLflow has no metrics of text. */
export function metricBatches(run_id: string, values: Exported, { timestamp, step }: At): Batch[] {
  const numbers = [], tags: Entry[] = [];
  for (const [name, value] of Object.entries(values)) {
    const key = mlflowName(name);
    if (key === undefined) continue;
    if (typeof value === "string") tags.push({ key, value: shortened(value) });
    else numbers.push({ key, value: finite(value), timestamp, step });
  }
  return [
    ...parts(numbers, METRICS).map((metrics) => ({ run_id, metrics })),
    ...parts(tags, OTHERS).map((tags) => ({ run_id, tags })),
  ];
}

/** Parameters; a name is given once, as MLflow refuses a parameter that changes. */
export function paramBatches(run_id: string, values: readonly (readonly [string, string])[]): Batch[] {
  const byKey = new Map<string, string>();
  for (const [name, value] of values) {
    const key = mlflowName(name);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, shortened(value));
  }
  const entries = [...byKey].map(([key, value]) => ({ key, value }));
  return parts(entries, OTHERS).map((params) => ({ run_id, params }));
}

/** JSON has no other numbers; MLflow stores 0 for what it cannot read and drops the rest of the batch. */
function finite(value: number): number | string {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

function shortened(value: string): string {
  return value.length <= LONGEST_VALUE ? value : value.slice(0, LONGEST_VALUE).toWellFormed();
}

function parts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, k) => all.slice(k * size, (k + 1) * size));
}
