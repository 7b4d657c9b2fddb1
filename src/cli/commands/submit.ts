/** `rollcall submit`: a run in shards, handed to Slurm or written down for Kubernetes. */
import { basename, dirname, extname } from "node:path";
import { Argument, Command, CommanderError } from "commander";
import { keyOf, keysOf } from "../../config/keys.ts";
import { longName } from "../../config/flags.ts";
import { parseWord } from "../../config/overrides.ts";
import type { Config } from "../../config/config.ts";
import { UsageFault } from "../../kit/fault.ts";
import { shardSuffix } from "../../kit/shard.ts";
import { makeOutputFolder } from "../../prepare/output_folder.ts";
import { runPaths } from "../../plan/paths.ts";
import { k8sJob } from "../../submit/k8s_job.ts";
import { type ShardedRun, WORK_LEFT } from "../../submit/sharded_run.ts";
import {
  afterArray,
  aggregateJob,
  collectJob,
  limitSeconds,
  signalledBefore,
  submission,
} from "../../submit/slurm_jobs.ts";
import { type CliCommand, GROUPS, positive } from "../command.ts";
import { defineKeys, type Given, readConfiguration } from "../configured.ts";

interface SubmitOptions {
  readonly where: "slurm" | "k8s";
  readonly shards: number;
  readonly atOnce: number | null;
  readonly time: string | undefined;
  readonly sbatch: readonly string[];
  readonly image: string | undefined;
  readonly claim: string | undefined;
  readonly mount: string;
  readonly program: string;
  readonly dryRun: boolean;
  /** What follows `--`. */
  readonly words: readonly string[];
}

/** The command. */
export const submit: CliCommand<SubmitOptions> = {
  name: "submit",
  group: GROUPS.collecting,
  about:
    "hand a run in shards to Slurm, as a job array with a job that aggregates; or print an indexed Kubernetes job",
  summary: "hand a run in shards to Slurm, or print it for Kubernetes",
  examples: [
    [
      "Read the job scripts first, then submit them",
      "rollcall submit slurm --shards 64 --time 4:00:00 --dry-run -- \\\n" +
      "    collect -i tasks.jsonl -o runs/a.jsonl -c 64",
    ],
    [
      "An indexed job, its runs on a volume that all pods can write",
      "rollcall submit k8s --shards 8 --image rollcall --claim runs --dry-run -- \\\n" +
      "    collect -i /runs/tasks.jsonl -o /runs/a.jsonl -c 64 | kubectl apply -f -",
    ],
  ],
  exitCodes: [
    [0, "submitted, or printed"],
    [1, "sbatch failed"],
    [2, "wrong usage or configuration: nothing was submitted"],
  ],
  define: (command, chosen) => {
    const sbatch: string[] = [];
    command
      .addArgument(new Argument("<where>", "the kind of cluster").choices(["slurm", "k8s"]))
      .argument("<command...>", "behind --: collect with its flags, as for the whole run")
      .requiredOption("--shards <n>", "how many shards", positive("--shards"))
      .option("--at-once <n>", "how many of them may run at once (default: all)", positive("--at-once"))
      .option(
        "--time <limit>",
        "slurm: time limit of a shard's job, as 4:00:00; it is requeued while work is left",
      )
      .option(
        "--sbatch <key[=value]>",
        "slurm: another option of both jobs, as partition=cpu; repeatable",
        (text) => {
          sbatch.push(text.replace(/^--/, ""));
          return sbatch;
        },
      )
      .option("--image <name>", "k8s: the container image")
      .option("--claim <name>", "k8s: claim of the volume with the input and the runs; all pods write to it")
      .option("--mount <path>", "k8s: where it is mounted", "/runs")
      .option("--program <path>", "how rollcall is called there", "rollcall")
      .option("--dry-run", "print what would be submitted")
      .action((where, words, { shards, atOnce, time, image, claim, mount, program, dryRun }) =>
        chosen({
          where: where as SubmitOptions["where"],
          shards,
          atOnce: atOnce ?? null,
          time,
          sbatch,
          image,
          claim,
          mount,
          program,
          dryRun: dryRun === true,
          words,
        })
      );
  },
  async run(options, context) {
    const { world } = context, { terminal } = world;
    const given = parseCollect(options.words);
    const { config, notes } = await readConfiguration(given, "collect", context);
    context.signals.giveUp();
    for (const note of notes) terminal.err(`${note}\n`);
    refuseOwnFlags(given, config);
    const run = shardedRun(options, given, config);
    if (options.where === "k8s") {
      const { image, claim, mount } = options;
      if (image === undefined || claim === undefined) {
        throw new UsageFault("rollcall submit k8s needs --image and --claim.");
      }
      if (!options.dryRun) {
        throw new UsageFault(
          "rollcall submit k8s prints the job and submits nothing: add --dry-run, and | kubectl apply -f -",
        );
      }
      terminal.out(k8sJob(run, { image, claim, mount }));
      return 0;
    }
    const { time, sbatch } = options, output = config.output_jsonl_fpath;
    refuseShortLimit(time, config);
    const slurm = { time, sbatch, log: `${output.slice(0, output.length - extname(output).length)}-slurm` };
    if (options.dryRun) {
      terminal.out(submission(run, slurm, dirname(output)));
      return 0;
    }
    // Slurm makes no folder for logs.
    makeOutputFolder(runPaths(world.disk.canonical(output)).folder, world);
    context.touched();
    const array = (await world.sbatch(collectJob(run, slurm), [])).split(";")[0]!.trim();
    const behind = (await world.sbatch(aggregateJob(run, slurm), [afterArray(array)])).split(";")[0]!.trim();
    terminal.out(
      `Submitted: job array ${array} (${run.shards} shards), and job ${behind}, which aggregates after it.\n` +
        `How far they are: rollcall status '${shardPattern(output, run.shards)}'\n`,
    );
    return 0;
  },
};

/** A job that may start nothing, or is stopped as soon as it starts, would be requeued for ever. */
function refuseShortLimit(
  time: string | undefined,
  { grace_s, teardown_s, num_samples_in_parallel, disable_slurm_budget, dispatch_budget_s }: Config,
): asserts time is string {
  const limit = time === undefined ? undefined : limitSeconds(time);
  if (limit === undefined) {
    throw new UsageFault(
      "rollcall submit slurm needs --time, a limit as 4:00:00, 90 (minutes) or 1-12:00:00.",
    );
  }
  const hasBudget = num_samples_in_parallel !== null && !disable_slurm_budget && dispatch_budget_s === null;
  const used = Math.max(hasBudget ? teardown_s : 0, signalledBefore(grace_s));
  if (limit > used) return;
  throw new UsageFault(
    `--time ${time} leaves no time for rollouts: the last ${used} s of a job are for its end ` +
      `(--teardown ${teardown_s}, --grace ${grace_s}). Give it more.`,
  );
}

function shardPattern(output: string, count: number): string {
  const ending = extname(output),
    suffix = shardSuffix({ index: 0, count }).replace(/^-shard-\d+/, "-shard-*");
  return output.slice(0, output.length - ending.length) + suffix + ending;
}

/** What was given to the collector. @throws {UsageFault} when it is not a call of `collect` */
function parseCollect([name, ...args]: readonly string[]): Given {
  if (name !== "collect") {
    throw new UsageFault(
      "Behind -- comes collect with its flags: rollcall submit slurm … -- collect -i … -o …",
    );
  }
  let given: Given | undefined;
  const command = new Command("collect").exitOverride().configureOutput({
    writeErr: () => {},
    writeOut: () => {},
  });
  defineKeys(command, "collect", (one) => given = one);
  try {
    command.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Behind a flag that does not exist there may be a secret.
    throw new UsageFault(`collect: ${error.message.replace(/^error: /, "").replace(/=.*?'/s, "=…'")}`, {
      cause: error,
    });
  }
  return given!;
}

/** What the job script sets itself. */
function refuseOwnFlags(given: Given, config: Config): void {
  const own = config.shard !== null
    ? "--shard"
    : config.fresh
    ? "--fresh (a shard that is started again would begin again)"
    : config.input_jsonl_fpath === "-"
    ? "--input -, as every shard reads the input"
    : config.drain_exit_code !== 0 && config.drain_exit_code !== WORK_LEFT
    ? `--drain-exit-code ${config.drain_exit_code}: the job script takes ${WORK_LEFT} for work that is left`
    : undefined;
  if (own !== undefined) throw new UsageFault(`collect: leave out ${own}.`);
  const secret = given.flags.find(({ key }) => key === "headers" || key === "mlflow_tracking_token");
  if (secret) {
    throw new UsageFault(
      `collect: ${
        longName(secret.flag)
      } would stand readable in the job: put it into a file (--config), or take it out ` +
        `of the environment (--header-env).`,
    );
  }
}

function shardedRun(
  { shards, atOnce, program, words: [, ...args] }: SubmitOptions,
  given: Given,
  config: Config,
): ShardedRun {
  const output = config.output_jsonl_fpath, stem = basename(output, extname(output));
  const has = (key: string) => given.flags.some((flag) => flag.key === key);
  // The script's own come behind these; a flag may be there once.
  const kept = args.filter((word, k) =>
    !(has("resume_from_cache") && /^--resume(-from-cache)?$/.test(word)) &&
    !(has("drain_exit_code") &&
      (/^--drain-exit-code(=|$)/.test(word) || /^--drain-exit-code$/.test(args[k - 1] ?? "")))
  );
  return {
    program,
    shards,
    atOnce,
    name: `rollcall-${stem.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}`.slice(0, 50),
    collect: ["collect", ...kept],
    aggregate: [
      "aggregate",
      "--input-glob",
      shardPattern(output, shards),
      "--output",
      output,
      ...aggregateArguments(given),
    ],
    graceS: config.grace_s,
  };
}

/** What of the collector's arguments is for `aggregate` too: servers, what counts, health. */
function aggregateArguments({ files, flags, words }: Given): string[] {
  const shared = new Set<string>(
    keysOf("aggregate").filter((key) =>
      keyOf(key).commands.includes("collect") && !["output_jsonl_fpath", "quiet", "json"].includes(key)
    ),
  );
  return [
    ...files.flatMap((path) => ["--config", path]),
    ...flags.filter(({ key }) => shared.has(key)).flatMap(({ flag, text }) =>
      text === true ? [longName(flag)] : [longName(flag), text]
    ),
    ...words.filter((word) => shared.has(parseWord(word).path[0]!)),
  ];
}
