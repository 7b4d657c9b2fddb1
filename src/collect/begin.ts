/** A run's files, opened: those of an earlier run put aside, or resumed. */
import type { Notice } from "../events/run_event.ts";
import { RunFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import { inOrder } from "../plan/order.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { readObject } from "../json/object.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files, ReadFile } from "../ports/files.ts";
import { resumeRun } from "../resume/resume_run.ts";
import { LineWriter } from "../store/line_writer.ts";
import { setAside } from "../store/set_aside.ts";
import type { Live } from "./live_means.ts";

/** Where a run begins. */
export interface Beginning {
  /** The rows to run, in the order in which they start. */
  readonly order: Iterable<number>;
  readonly inputs: ReadFile;
  readonly rollouts: LineWriter;
  readonly failures: LineWriter;
}

/** What it works with. */
export interface BeginTools {
  readonly files: Files;
  readonly clock: Clock;
  /** Told what was found and done. */
  readonly notice: (notice: Notice) => void;
  /** Takes the rows that earlier runs have written. */
  readonly live: Live;
}

/** Marks the rows of the index that are not to be run. @throws {RunFault} when nothing can be sent */
export async function begin(
  { resume, ...plan }: RunPlan,
  index: RowIndex,
  { files, clock, notice, live }: BeginTools,
): Promise<Beginning> {
  const { paths } = plan;
  const writer = (path: string) => new LineWriter(files.append(path), path, clock);
  try {
    if (!resume && setAside(files, paths)) notice({ kind: "earlier_run_kept", path: paths.rolloutsOld });
    const done = (row: number, line: Uint8Array) => live.earlier(index.columns.route[row]!, readObject(line));
    const order = resume
      ? await resumeRun({ ...plan, resume }, index, { files, notice, done })
      : inOrder(index);
    return {
      order,
      inputs: files.read(paths.inputs),
      rollouts: writer(paths.rollouts),
      failures: writer(paths.failures),
    };
  } catch (error) {
    if (error instanceof RunFault) throw error;
    throw new RunFault(
      `Cannot open the files of ${paths.rollouts}: ${systemReason(error)}. Nothing was sent` +
        (resume
          ? "."
          : `, and the rollouts of an earlier run are where they were, or kept as ${paths.rolloutsOld}.`),
      { cause: error },
    );
  }
}
