/** `rollcall export`: a finished run for a tracking server, from its files alone; repeated, it changes the same run there. */
import type { Value } from "../../config/config.ts";
import { list, UsageFault } from "../../kit/fault.ts";
import { type Manifest, readManifest } from "../../plan/manifest.ts";
import type { World } from "../../ports/world.ts";
import { mlflowOf } from "../../prepare/exporters.ts";
import { findRun, readIndex } from "../../prepare/find_run.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../../record/attempts_cap.ts";
import { standingEnd } from "../../report/exported_end.ts";
import { readStanding } from "../../resume/read_standing.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import { startExporting } from "../exporting.ts";

/** What it is asked. What is not given is taken from the run's configuration. */
interface ExportOptions {
  /** Where to. */
  readonly format: string;
  /** The rollouts file, as given to `--output`. */
  readonly output: string;
  readonly uri?: string | undefined;
  readonly experiment?: string | undefined;
  readonly name?: string | undefined;
  readonly token?: string | undefined;
  readonly rollouts: boolean;
}

const FORMATS = ["mlflow"];

/** The command. */
export const exportRun: CliCommand<ExportOptions> = {
  name: "export",
  group: GROUPS.finished,
  about:
    "export a finished run to MLflow: metrics, configuration and rollouts; repeated, it changes the same run there",
  summary: "export a finished run to MLflow",
  examples: [
    [
      "A run whose configuration does not name a server",
      "rollcall export mlflow runs/a.jsonl --mlflow-experiment-name math \\\n" +
      "    --mlflow-tracking-uri http://127.0.0.1:5000 --mlflow-run-name a",
    ],
    ["Once more, when the server was away while the run went on", "rollcall export mlflow runs/a.jsonl"],
  ],
  exitCodes: [[0, "exported"], [1, "the server did not take it, or did not answer"], [
    2,
    "wrong usage, or no run there",
  ]],
  define: (command, chosen) =>
    void command
      .argument("<format>", "mlflow")
      .argument("<output>", "the rollouts file, as given to --output")
      .option("--mlflow-tracking-uri <url>", "MLflow server (default: the run's)")
      .option("--mlflow-experiment-name <name>", "MLflow experiment (default: the run's)")
      .option("--mlflow-run-name <name>", "MLflow run (default: the run's)")
      .option("--mlflow-tracking-token <token>", "sent as a bearer token")
      .option("--no-upload-rollouts", "everything but the rollouts")
      .action((format, output, flags) =>
        chosen({
          format,
          output,
          uri: flags.mlflowTrackingUri,
          experiment: flags.mlflowExperimentName,
          name: flags.mlflowRunName,
          token: flags.mlflowTrackingToken,
          rollouts: flags.uploadRollouts !== false,
        })
      ),
  async run(options, { world, signals }) {
    signals.giveUp();
    return await exportCommand(options, world);
  },
};

/** Exports the run and returns the exit code. @throws {UsageFault} before anything is sent */
export async function exportCommand(options: ExportOptions, world: World): Promise<number> {
  const { disk, terminal } = world, { format, output } = options;
  if (!FORMATS.includes(format)) {
    throw new UsageFault(
      `rollcall cannot export to ${JSON.stringify(format)}:${list(FORMATS.map((one) => `${one} is known`))}`,
    );
  }
  const { paths, hasInputs } = findRun(output, world);
  if (!hasInputs) {
    throw new UsageFault(
      `Without ${paths.inputs}, what ${output} was to hold is not known: nothing is exported.`,
    );
  }
  const holder = await disk.holder(paths.lock);
  if (holder) {
    throw new UsageFault(
      `Process ${holder.pid} on ${holder.host} is collecting into ${output}. Export the run when it is over, or have ` +
        `it export itself: the same flags are flags of collect.`,
    );
  }
  const manifest = disk.exists(paths.manifest)
    ? readManifest(await disk.readText(paths.manifest))
    : undefined;
  const config = manifest?.config ?? {};
  const { mlflow, note } = mlflowOf({
    mlflow_tracking_uri: options.uri ?? textAt(config, "mlflow_tracking_uri"),
    mlflow_experiment_name: options.experiment ?? textAt(config, "mlflow_experiment_name"),
    mlflow_run_name: options.name ?? textAt(config, "mlflow_run_name"),
    mlflow_tracking_token: options.token ?? null,
  }, { setting: () => undefined });
  if (!mlflow) {
    throw new UsageFault(
      note ?? "Name the MLflow server, its experiment and the run: --mlflow-tracking-uri, " +
          "--mlflow-experiment-name, --mlflow-run-name. The run's own configuration does not.",
    );
  }
  const { cap } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  const index = await readIndex(paths, world);
  const how = {
    cap,
    retryInvalidJudge: false,
    retryExhausted: false,
    retryFailures: [],
    retryTerminalTimeouts: false,
  };
  const { standing } = readStanding(disk.files, paths, index, how);
  const warn = (text: string) => terminal.err(`${text}\n`);
  const exporting = startExporting({
    mlflow,
    paths,
    first: firstOf(manifest),
    config,
    uploadRollouts: options.rollouts && disk.exists(paths.rollouts),
    warn,
  }, world);
  try {
    const page = await exporting.end(standingEnd(standing, { hasMetrics: disk.exists(paths.metrics) }));
    if (page) terminal.err(`Exported to MLflow: ${page}\n`);
    return page ? 0 : 1;
  } finally {
    exporting.close();
  }
}

function firstOf(manifest: Manifest | undefined): Manifest["runs"][number] | undefined {
  return manifest?.runs[0];
}

function textAt(config: Readonly<Record<string, Value>>, key: string): string | null {
  const value = config[key];
  return typeof value === "string" ? value : null;
}
