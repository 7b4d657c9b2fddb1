/** Where a run stands, from its files. Changes nothing, even while a run is writing to them. */
import type { RunPaths } from "../plan/paths.ts";
import type { ResumePlan } from "../plan/run_plan.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { Files } from "../ports/files.ts";
import { readLines } from "../store/read_lines.ts";
import type { TextLine } from "../kit/lines.ts";
import { gate, type Retrying, type Standing, standing } from "./standing.ts";
import { RowLookup } from "../plan/row_lookup.ts";
import { readFailures, readRollouts, type RolloutsPast, type Strays } from "./earlier_run.ts";

/** What the files say. */
export interface Read {
  readonly standing: Standing;
  readonly rollouts: RolloutsPast;
  /** What the sidecar has besides the attempts of the run's rollouts. */
  readonly failures: Strays;
}

/**
 * What a resume of these files would find and leave. Marks the rows of the index.
 *
 * @param done told of each row of the index that is done, with its line
 * @throws the system's error
 */
export function readStanding(
  files: Pick<Files, "read" | "size">,
  paths: Pick<RunPaths, "rollouts" | "failures">,
  index: RowIndex,
  how: Retrying & Pick<ResumePlan, "retryInvalidJudge" | "retryTerminalTimeouts">,
  done?: (row: number, line: Uint8Array) => void,
): Read {
  const identities = new RowLookup(index);
  const rollouts = reading(
    files,
    paths.rollouts,
    (lines) => readRollouts(lines, index, identities, how.retryInvalidJudge, done),
  );
  const failures = reading(
    files,
    paths.failures,
    (lines) => readFailures(lines, index, identities, how.retryTerminalTimeouts),
  );
  gate(index, failures, how);
  return { standing: standing(index, failures), rollouts, failures };
}

/** What `read` returns for a file's lines; a missing file has none. */
export function reading<T>(
  files: Pick<Files, "read" | "size">,
  path: string,
  read: (lines: Iterable<TextLine>) => T,
): T {
  if (files.size(path) === undefined) return read([]);
  const file = files.read(path);
  try {
    return read(readLines(file));
  } finally {
    file.close();
  }
}
