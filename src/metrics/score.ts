/**
 * From rollouts files to the metrics file: reads the shards, decides what is scored, has the servers score it
 * or scores it itself, and writes the metrics. Works from files only, so that the result is the same whoever wrote
 * them, and for one run as for its shards.
 */
import { RunFault } from "../kit/fault.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { Counting, ScorePaths, ShardPaths } from "../plan/score_plan.ts";
import type { Scorers } from "../plan/scorers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Wire } from "../ports/wire.ts";
import { FinishedRuns } from "../shards/finished_runs.ts";
import type { Coverage } from "./coverage.ts";
import { askAll, STOPPED } from "./request_metrics.ts";
import { notesOf, standIns } from "./score_notes.ts";
import { scoringsOf } from "./scoring.ts";
import { refuseUnaskable, surveyOf } from "./survey.ts";
import { type GroupMetrics, unwritable, writeMetrics } from "./write_metrics.ts";

/** What to score, and how. */
export interface ScoreRequest {
  /** In order of precedence. */
  readonly shards: readonly ShardPaths[];
  /** What is written. */
  readonly paths: ScorePaths;
  /** Where the shards' rollouts are merged, and the manifest that says so; or null. */
  readonly merged: Pick<RunPaths, "rollouts" | "rolloutsNew" | "manifest" | "manifestNew"> | null;
  /** The name of the summary of the health checks, for that manifest. */
  readonly report?: string;
  /** Who scores; null for rollcall itself. */
  readonly scorers: Scorers | null;
  /** What counts without a result. */
  readonly counting: Counting;
  /** Whether inputs and failures are read; needless when every rollout is known to have its result. */
  readonly missing: boolean;
  /** How long a server may keep asking to be asked later, in milliseconds. */
  readonly retryWindowMs: number;
}

/** What scoring works with. */
export interface ScoreTools {
  /** The file system. */
  readonly files: Files;
  /** Sends. */
  readonly wire: Wire;
  readonly clock: Clock;
  /** Stops. */
  readonly signal: AbortSignal;
  /** Called now and then in long work, so that other work gets a turn. */
  readonly breathe?: () => Promise<void>;
  /** Called as each stage starts, with its number of shards, rows or rollouts, for display. */
  readonly begins?: (stage: "reading" | "merging" | "scoring", count: number) => void;
}

/** The outcome. */
export interface Scored {
  /** Empty when there was nothing to score, and no file was written. */
  readonly metrics: readonly GroupMetrics[];
  readonly coverage: Coverage;
  /** Rows of the rollouts files. */
  readonly rows: number;
  /** Of these, without a reward that counts. */
  readonly unscored: number;
  /** Which servers failed, so that their metrics are missing; null when none did. */
  readonly error: string | null;
  /** Notes for the user. */
  readonly notes: readonly string[];
}

/**
 * Scores shards and writes the metrics file and, if requested, the merged rollouts, each atomically. All servers are
 * asked at once; when some fail, the metrics of the others are written, and `error` says which failed. With nothing to
 * score no server is asked, and there is no metrics file.
 *
 * @throws {UsageFault} when a line cannot be read or its server cannot be asked; nothing was touched
 * @throws {RunFault} naming the servers when all of them failed; merged rollouts stay merged
 */
export async function score(request: ScoreRequest, tools: ScoreTools): Promise<Scored> {
  const { files, signal, begins = () => {} } = tools;
  const breathe = async () => {
    await tools.breathe?.();
    if (signal.aborted) throw new RunFault(STOPPED);
  };
  const { shards, scorers, counting, paths } = request;
  begins("reading", shards.length);
  const runs = await FinishedRuns.read(shards, { files, index: paths.metricsIndex, breathe }, {
    scorers,
    missing: request.missing,
    fields: counting.classes.length > 0 || counting.missing,
  });
  try {
    const survey = await surveyOf(runs, counting, breathe);
    refuseUnaskable(survey.groups);
    if (request.merged) {
      const { rollouts, rolloutsNew, manifest, manifestNew } = request.merged;
      files.remove(paths.metrics); // stale: they are of other rollouts
      begins("merging", runs.rows);
      await runs.merge(
        { path: rollouts, temporary: rolloutsNew, refused: unwritable(rollouts) },
        { path: manifest, temporary: manifestNew, refused: unwritable(manifest) },
        request.report,
      );
    }

    const scorings = scoringsOf(survey.groups, runs, counting);
    begins("scoring", survey.coverage.scored);
    const asked = scorers
      ? await askAll(scorings, { ...tools, retryWindowMs: request.retryWindowMs })
      : scorings.map(() => ({ answer: undefined }));
    const there = scorings.flatMap((scoring, k) => {
      const one = asked[k]!;
      return "fault" in one ? [] : [{ scoring, answer: one.answer }];
    });
    const faults = asked.flatMap((one) => "fault" in one ? [one.fault] : []);
    if (faults.length > 0 && there.length === 0) throw new RunFault(messageOf(faults), { cause: faults[0] });
    const metrics = await writeMetrics(files, paths, there, breathe);
    return {
      metrics,
      coverage: survey.coverage,
      rows: runs.rows,
      unscored: runs.unscored,
      error: faults.length > 0 ? `${messageOf(faults)}\nThe metrics of the other servers are written.` : null,
      notes: [...notesOf(runs, counting, survey), ...standIns(there, scorers)],
    };
  } finally {
    runs.close();
  }
}

function messageOf(faults: readonly RunFault[]): string {
  return faults.map(({ message }) => message).join("\n");
}
