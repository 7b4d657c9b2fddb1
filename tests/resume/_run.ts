/** What the tests of this folder share: an index, lines, and plans of runs in memory. */
import { dispatchOf } from "../../src/config/config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { RowIndex } from "../../src/plan/row_index.ts";
import type { RunPlan } from "../../src/plan/run_plan.ts";
import type { TextLine } from "../../src/kit/lines.ts";
import { readLines } from "../../src/store/read_lines.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

export const paths = runPaths("/runs/a.jsonl");

/** A row of the materialized inputs. */
export const input = (task: number, rollout = 0) =>
  `{"q":"é ${task}","agent_ref":{"name":"solver"},"_ng_task_index":${task},"_ng_rollout_index":${rollout}}\n`;

/** An index of rows with these identities. */
export function indexOf(...identities: readonly (readonly [task: number, rollout: number])[]): RowIndex {
  const index = new RowIndex();
  let offset = 0;
  for (const [task, rollout] of identities) {
    const length = new TextEncoder().encode(input(task, rollout)).length - 1;
    index.add({ offset, length, task, rollout, route: 0 });
    offset += length + 1;
  }
  return index;
}

/** The lines of a text. */
export function linesOf(text: string): TextLine[] {
  const files = new MemoryFiles({ "/x": text });
  return [...readLines(files.read("/x"))].map((line) => ({ ...line, bytes: line.bytes.slice() }));
}

/** The states of an index, one after the other. */
export const statesOf = (index: RowIndex) => [...index.columns.state.subarray(0, index.size)];

/** A plan of a run over these files with one server. */
export function planOf(changes: Partial<RunPlan> = {}): RunPlan {
  return {
    paths,
    resume: {
      retryTerminalTimeouts: false,
      retryExhausted: false,
      retryFailures: [],
      retryInvalidJudge: false,
      deliverables: [],
    },
    rows: null,
    tasks: null,
    rollouts: 0,
    routes: [{ server: "solver", url: "http://solver:1", agent: "solver" }],
    perRoute: [0],
    permissions: { net: [], read: [], write: [] },
    captures: null,
    dispatch: dispatchOf(
      configSchema("collect").parse({
        input_jsonl_fpath: "in.jsonl",
        output_jsonl_fpath: paths.rollouts,
        num_samples_in_parallel: 2,
        route_failures_to_sidecar: true,
      }),
    ),
    authorities: [],
    attempts: 3,
    aggregate: false,
    scorers: { routes: [], byServer: {}, byAgent: {} },
    counting: { classes: [], missing: false, unplanned: false },
    requireComplete: false,
    exports: false,
    health: null,
    ...changes,
  };
}
