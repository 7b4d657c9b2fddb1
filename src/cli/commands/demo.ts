/** `rollcall demo`: a run against a built-in server, through the very same code as any other, over real HTTP. */
import { collectCommand } from "./collect.ts";
import { configure } from "../../config/layers.ts";
import { join } from "node:path";
import { type CliCommand, GROUPS, positive } from "../command.ts";
import { EXIT_CODES } from "../exit_code.ts";
import type { Signals } from "../signals.ts";
import { UsageFault } from "../../kit/fault.ts";
import type { World } from "../../ports/world.ts";
import { demoHandler } from "../../demo/server.ts";
import { demoTasks } from "../../demo/tasks.ts";

/** How many tasks there are, unless told otherwise. */
const COUNT = 300;

/** The command. */
export const demo: CliCommand<DemoOptions> = {
  name: "demo",
  group: GROUPS.collecting,
  about: "collect a few hundred rollouts from a built-in server",
  examples: [
    ["See a run from its start to its end", "rollcall demo"],
    ["Run again what failed in it", "rollcall demo --resume"],
  ],
  exitCodes: [[0, "done"], ...EXIT_CODES.slice(2)],
  define: (command, chosen) =>
    void command
      .option("--count <n>", `how many tasks (default: ${COUNT})`, positive("--count"))
      .option(
        "--repeats <n>",
        "rollouts of each task (default: 1); on resume the same again",
        positive("--repeats"),
      )
      .option("--resume", "run what the last demo left and what failed in it; its tasks stay as they are")
      .option("--retry <a,b>", "on resume, run rollouts again whose last failure is of these classes")
      .option("--retry-exhausted", "on resume, run rollouts at the attempt limit once more")
      .option("-q, --quiet", "no progress; warnings, errors and the summary only")
      .option("--json", "the summary as one JSON object on standard output")
      .action(({ count, repeats, resume, retry, retryExhausted, quiet, json }) =>
        chosen({
          ...(count === undefined ? {} : { count }),
          ...(repeats === undefined ? {} : { repeats }),
          resume: resume === true,
          retry: retry?.split(",").map((name) => name.trim()).filter((name) => name !== "") ?? [],
          retryExhausted: retryExhausted === true,
          quiet: quiet === true,
          json: json === true,
        })
      ),
  run: (options, { world, signals }) => demoCommand(options, world, signals),
};

/** What the demo is asked to do. */
export interface DemoOptions {
  /** How many tasks; {@link COUNT} by default. */
  readonly count?: number;
  /** How many rollouts of each; 1 by default. */
  readonly repeats?: number;
  /** Whether it resumes the last one. */
  readonly resume: boolean;
  /** Classes of failures that a resume runs again. */
  readonly retry: readonly string[];
  /** Whether a resume runs rollouts at the attempt limit again. */
  readonly retryExhausted: boolean;
  /** Whether there is no progress. */
  readonly quiet: boolean;
  /** Whether the summary goes to standard output as JSON. */
  readonly json: boolean;
}

/** Runs the demo in the folder `rollcall-demo` of the working folder and returns its exit code. */
export async function demoCommand(
  options: DemoOptions,
  world: World,
  signals: Signals,
): Promise<number> {
  signals.check();
  const { disk, clock, dice, terminal } = world;
  const folder = "rollcall-demo";
  const input = join(folder, "tasks.jsonl"), { count = COUNT } = options;
  // Those of a demo that is resumed stay: other tasks would be another run.
  const keeps = options.resume && disk.exists(input);
  if (keeps && options.count !== undefined) {
    throw new UsageFault(
      `--count does not go with --resume, which keeps the tasks in ${input}. Leave one out.`,
    );
  }
  disk.makeFolder(folder);
  if (!keeps) {
    const tasks = disk.create(input);
    tasks.write(new TextEncoder().encode(demoTasks(count)));
    tasks.finish();
  }

  let base = "";
  const delay = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const server = world.serve(demoHandler({ base: () => base, dice, delay }));
  base = `http://127.0.0.1:${server.port}`;
  try {
    const { config, notes } = await configure({
      files: [{
        path: "demo",
        value: {
          input_jsonl_fpath: input,
          output_jsonl_fpath: join(folder, "rollouts.jsonl"),
          head_server: { host: "127.0.0.1", port: server.port },
          num_repeats: options.repeats ?? 1,
          num_samples_in_parallel: 24,
          route_failures_to_sidecar: true,
          resume_from_cache: options.resume,
          retry_failures: [...options.retry],
          retry_exhausted: options.retryExhausted,
          quiet: options.quiet,
          json: options.json,
        },
      }],
      flags: [],
      words: [],
    }, "collect");
    if (!options.quiet) {
      terminal.err(
        `A Gym-like server on ${base}, ${
          keeps ? "the last demo's" : count
        } tasks in ${input}. With servers of your own:\n` +
          `  rollcall collect --head HOST:PORT --agent NAME -i ${input} -o runs/a.jsonl -c 24 ` +
          `--route-failures-to-sidecar\n\n`,
      );
    }
    return await collectCommand(config, notes, world, signals);
  } finally {
    await server.stop();
  }
}
