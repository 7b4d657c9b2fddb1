/** `rollcall aggregate`: from finished runs' rollouts to metrics over all of them, and to an exit code. */
import { makeOutputFolder } from "../../prepare/output_folder.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import { defineKeys, type Given, readConfiguration } from "../configured.ts";
import { EXIT_CODES, stoppedBy } from "../exit_code.ts";
import { headConfig } from "../../prepare/head_server.ts";
import { readAuthorities } from "../../prepare/certificates.ts";
import { healthPlanOf } from "../../prepare/health_plan.ts";
import { outputPaths } from "../../prepare/output_paths.ts";
import { claimReports } from "../../prepare/report_files.ts";
import type { Signals } from "../signals.ts";
import { withCollector } from "../with_collector.ts";
import type { Headers } from "../../ports/http.ts";
import type { World } from "../../ports/world.ts";
import type { CheckedAggregate } from "../../collect/aggregate.ts";
import type { AggregateConfig } from "../../config/config.ts";
import { headersOf } from "../../config/headers.ts";
import { Topology } from "../../config/topology.ts";
import { list, UsageFault } from "../../kit/fault.ts";
import { plural } from "../../kit/phrases.ts";
import { missingShards, shardSets } from "../../shards/shard_set.ts";
import { findShards } from "../../shards/find_shards.ts";
import type { AggregatePlan } from "../../plan/aggregate_plan.ts";
import { aggregatePermissions } from "../../plan/permissions.ts";
import { countingOf, shardOf } from "../../plan/score_plan.ts";
import { runPaths } from "../../plan/paths.ts";
import { scorersOf } from "../../plan/scorers.ts";
import { inColumns } from "../../report/columns.ts";
import { Display } from "../../report/display.ts";
import { Notes } from "../../report/notes.ts";
import { aggregateJson, aggregateText } from "../../report/summary_aggregate.ts";

/** The command. */
export const aggregate: CliCommand<Given> = {
  name: "aggregate",
  group: GROUPS.finished,
  about: "score the rollouts of finished runs together, and merge them",
  examples: [
    [
      "Merge the shards of a job array and score them",
      "rollcall aggregate -i 'runs/shard-*.jsonl' -o runs/all.jsonl",
    ],
    [
      "Without servers, metrics only",
      "rollcall aggregate -i 'runs/shard-*.jsonl' -o runs/all.jsonl --offline \\\n    --no-merge-shards",
    ],
  ],
  exitCodes: [
    [0, "scored"],
    ...EXIT_CODES.slice(1, 3),
    [75, "stopped by SIGTERM or SIGUSR1: no partial files are left, run it again"],
    [130, "stopped by Ctrl-C: the same"],
  ],
  define: (command, chosen) => defineKeys(command, "aggregate", chosen),
  async run(given, context) {
    const { config, notes } = await readConfiguration(given, "aggregate", context);
    return await aggregateCommand(config, notes, context.world, context.signals);
  },
};

/**
 * Aggregates and returns the exit code.
 *
 * @throws {UsageFault} when nothing was asked or touched
 * @throws {Interrupted} when a signal came before anything was asked or touched
 */
export async function aggregateCommand(
  config: AggregateConfig,
  notes: readonly string[],
  world: World,
  signals: Signals,
): Promise<number> {
  signals.check();
  const { terminal, clock, disk } = world;
  const display = new Display(terminal, clock, { quiet: config.quiet });
  const told = new Notes(display);
  for (const note of notes) told.warn(note);
  const headers = headersOf(config, world.env);
  const plan = await Promise.race([
    planAggregate(config, world, (text) => told.warn(text)),
    signals.interruption,
  ]);

  const madeFolders = makeOutputFolder(plan.paths.folder, world);
  let lock;
  try {
    lock = await disk.lock(plan.paths.lock, plan.paths.rollouts, (text) => display.note(text));
    signals.check();
    const summary = await runAggregate({ plan, headers }, lock.lost, { world, display, signals });
    disk.syncFolder(plan.paths.folder);
    display.close();
    lock.release();
    lock = undefined;
    // Before anything is printed: whoever has read it, and then sends a signal, ends a process whose terminal is paused.
    signals.close();
    const look = { columns: terminal.columns(), colour: terminal.colour };
    display.print(await inColumns(() => aggregateText(summary, look)));
    if (config.json) terminal.out(`${aggregateJson(summary, told.texts)}\n`);
    return summary.ending === "stopped" ? stoppedBy(summary.signal) : summary.ending === "failed" ? 1 : 0;
  } finally {
    display.close();
    lock?.release();
    disk.removeFolders(madeFolders);
  }
}

/** What is to be done. @throws {UsageFault} when there are no shards, or no servers to ask */
async function planAggregate(
  config: AggregateConfig,
  world: World,
  note: (text: string) => void,
): Promise<AggregatePlan> {
  const { disk, env } = world;
  const health = healthPlanOf(config);
  const named = outputPaths(config, world);
  const { paths, note: reports } = health ? await claimReports(named, world) : { paths: named };
  if (reports !== undefined) note(reports);
  refuseOutputOfRun(paths.rollouts, config.merge_shards, world);
  const { shards: found, merged } = await findShards(
    config.input_glob,
    paths.rollouts,
    disk,
    (path) => disk.canonical(path),
  );
  if (found.length === 0) {
    throw new UsageFault(
      `No shards: no rollouts file matches ${config.input_glob} (input_glob). Sidecars, materialized inputs and ` +
        `the output itself are not shards, and * does not cross folders.`,
    );
  }
  if (merged.length > 0) {
    note(
      `Left out, since the manifest of a merge says that their rows are in the other shards too:${
        list(merged)
      }`,
    );
  }
  noteMissingShards(found, config.require_complete, note);
  const scorers = config.offline
    ? null
    : scorersOf(new Topology(await headConfig(config, world), config.servers, env));
  const plan = {
    shards: found.map((path) => shardOf(runPaths(path))),
    paths,
    merge: config.merge_shards,
    scorers,
    counting: countingOf(config),
    requireComplete: config.require_complete,
    health,
    wire: {
      reuse: config.connection_reuse,
      proxy: config.proxy,
      authorities: await readAuthorities(config, world),
      idleTimeoutMs: config.idle_timeout_s === null ? null : config.idle_timeout_s * 1000,
      maxBytes: config.max_response_bytes,
    },
  };
  return { ...plan, permissions: aggregatePermissions(plan) };
}

/** Says which shards have no file. @throws {UsageFault} instead, when nothing may be missing */
function noteMissingShards(found: readonly string[], mustBeAll: boolean, note: (text: string) => void): void {
  const faults = shardSets(found).flatMap((set) => {
    const missing = missingShards(set);
    return missing === undefined ? [] : [
      `${set.count - set.files.size} of ${
        plural(set.count, "shard")
      } of ${set.output} have no rollouts file here: ` +
      `${missing}. Their rollouts are not among those expected.`,
    ];
  });
  if (mustBeAll && faults.length > 0) {
    throw new UsageFault(`${faults.join("\n")} Collect them first (require_complete). Nothing was touched.`);
  }
  for (const fault of faults) note(`Warning: ${fault}`);
}

/** A run's own rollouts must not be replaced by a merge: nothing would keep them. */
function refuseOutputOfRun(rollouts: string, merge: boolean, { disk }: World): void {
  if (!merge || !disk.exists(runPaths(rollouts).inputs)) return;
  throw new UsageFault(
    `${rollouts} is the output of a run: there are materialized inputs beside it. Merged rollouts would replace what ` +
      `it holds; name another output, or leave it with --no-merge-shards.`,
  );
}

/** Has the collector do it, in its sandbox. A first signal ends it: no partial files are left. */
function runAggregate(
  { plan, headers }: { readonly plan: AggregatePlan; readonly headers: Headers },
  lost: Promise<never>,
  { world, display, signals }: { world: World; display: Display; signals: Signals },
): Promise<CheckedAggregate> {
  return withCollector<CheckedAggregate>(world, plan.permissions, lost, {
    meet: (collector) => signals.on((_, why) => collector.send({ kind: "stop", level: "abort", why })),
    hear(message, collector, settle) {
      switch (message.kind) {
        case "ready":
          collector.send({ kind: "aggregate", plan, headers });
          return world.narrow();
        case "event":
          return display.event(message.event);
        case "aggregated":
          return settle(message.summary);
        case "refused":
          throw new UsageFault(message.message);
      }
    },
  });
}
