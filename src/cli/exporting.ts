/** A run's exporter, from the side of the command line: started before the collector, told what happens, heard out. */
import { basename } from "node:path";
import type { FromExporter, ToExporter } from "../export/messages.ts";
import type { Step } from "../export/progress_step.ts";
import { hostPort } from "../plan/permissions.ts";
import type { RunPaths } from "../plan/paths.ts";
import { type RunRecord, sha256 } from "../plan/manifest.ts";
import type { World } from "../ports/world.ts";
import type { MlflowPlan } from "../prepare/exporters.ts";
import type { End } from "../report/exported_end.ts";

/** What is exported, and who is told. */
export interface ExportOptions {
  readonly mlflow: MlflowPlan;
  /** The files of the run. */
  readonly paths: Pick<RunPaths, "rollouts" | "metrics">;
  /** The run that began it, by which an export of it is found again; undefined when no manifest says so. */
  readonly first: Pick<RunRecord, "at" | "host" | "pid"> | undefined;
  /** The configuration, secrets masked. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly uploadRollouts: boolean;
  readonly warn: (text: string) => void;
}

/** An exporter at work. */
export interface Exporting {
  /** Tells of progress. Never waits. */
  step(step: Step): void;
  /** Tells how the run ended. Resolves once everything is exported, with the page where people see it, or given up, with null. */
  end(end: End): Promise<string | null>;
  /** Ends it at once. */
  close(): void;
}

/** Starts an exporter, which can reach nothing but its server and the files of the run. */
export function startExporting(options: ExportOptions, world: World): Exporting {
  const { mlflow, paths, warn } = options;
  const ended = Promise.withResolvers<string | null>();
  const exporter = world.startExporter({
    net: [hostPort(mlflow.uri)],
    read: [paths.rollouts, paths.metrics],
    write: [],
  }, (said) => {
    const message = said as FromExporter;
    switch (message.kind) {
      case "ready":
        return;
      case "warning":
        return warn(message.text);
      case "ended":
        return ended.resolve(message.page);
    }
  });
  const tell = (message: ToExporter) => exporter.send(message);
  const now = () => world.clock.date().getTime();
  tell({ kind: "open", plan: planOf(options, now()) });
  return {
    step: (step) => tell({ kind: "step", at: now(), step }),
    end(end) {
      tell({ kind: "end", at: now(), ...end });
      return ended.promise.finally(() => exporter.terminate());
    },
    close: () => exporter.terminate(),
  };
}

function planOf({ mlflow, paths, first, config, uploadRollouts }: ExportOptions, startedAt: number) {
  const output = basename(paths.rollouts);
  return {
    uri: mlflow.uri,
    token: mlflow.token,
    names: {
      experiment: mlflow.experiment,
      run: mlflow.run,
      id: idOf(first ? `${first.at} ${first.host} ${first.pid} ${output}` : paths.rollouts),
    },
    startedAt,
    config,
    rollouts: uploadRollouts ? paths.rollouts : null,
    metrics: paths.metrics,
    again: `rollcall export mlflow ${paths.rollouts}`,
  };
}

function idOf(text: string): string {
  return sha256(new TextEncoder().encode(text)).slice(0, 32);
}
