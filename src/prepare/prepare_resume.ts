/** Whether a run resumes an earlier one, and how: what a resume needs before its collector can start. */
import type { Config } from "../config/config.ts";
import type { Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { World } from "../ports/world.ts";
import { InputsIndex, routingBy } from "../resume/read_inputs.ts";
import { foldersWithDeliverables } from "./deliverables.ts";
import { eachLine } from "./each_line.ts";
import { failureClasses } from "./failure_classes.ts";
import type { PreparedRows } from "./prepared_rows.ts";

/**
 * Whether the run resumes an earlier one: that was asked for, and materialized inputs and rollouts both exist. With
 * neither, or with inputs alone (which a kill at the beginning of a run leaves), it starts afresh, and `note` says so.
 *
 * @throws {UsageFault} when failures are to be retried without a resume, or there are rollouts without the inputs that say what they belong to
 */
export function findEarlierRun(
  config: Config,
  paths: RunPaths,
  { disk }: Pick<World, "disk">,
): { readonly resumes: boolean; readonly note?: string } {
  if (!config.resume_from_cache) {
    if (config.retry_failures.length === 0) return { resumes: false };
    throw new UsageFault(
      "retry_failures (--retry) needs resume_from_cache (--resume): a fresh run would put the earlier rollouts aside. " +
        "Nothing was touched.",
    );
  }
  const hasInputs = disk.exists(paths.inputs), hasRollouts = disk.exists(paths.rollouts);
  if (hasInputs && hasRollouts) return { resumes: true };
  if (hasRollouts) {
    throw new UsageFault(
      `Cannot resume ${paths.rollouts}: the materialized inputs that belong to it are missing (${paths.inputs}), so ` +
        `rollcall cannot tell what is left to run. Put them back, or name another output; without --resume a fresh ` +
        `run keeps these rollouts as ${paths.rolloutsOld}. Nothing was touched.`,
    );
  }
  const what = hasInputs
    ? `there are no rollouts at ${paths.rollouts}`
    : `there is no run at ${paths.rollouts}`;
  return { resumes: false, note: `Nothing to resume: ${what}. This is a fresh run.` };
}

/**
 * Prepares a resume: reads the materialized inputs that are there.
 *
 * @param stop asked now and then; what it throws ends the preparation
 * @throws {UsageFault} when the inputs cannot be used
 */
export async function prepareResume(
  config: Config,
  { paths, topology, pairingWaived, drift }: {
    readonly paths: RunPaths;
    readonly topology: Topology;
    readonly pairingWaived: boolean;
    readonly drift: readonly string[];
  },
  world: World,
  stop: () => void,
): Promise<PreparedRows> {
  const warnings = drift.map((difference) =>
    `accepted drift: ${difference}. The rollouts run as they were planned.`
  );
  const { route, routes } = routingBy(topology, pairingWaived);
  const inputs = new InputsIndex(paths.inputs, route);
  await eachLine(paths.inputs, world, stop, (line) => inputs.push(line));
  inputs.finish();
  if (inputs.twins > 0) {
    warnings.push(
      `rows of ${paths.inputs} with the identity of an earlier one: ${inputs.twins}. Only the first of each is run.`,
    );
  }
  const deliverables = config.retry_invalid_judge_responses
    ? await foldersWithDeliverables(paths.rollouts, world, stop)
    : [];
  return {
    resume: {
      retryTerminalTimeouts: config.retry_terminal_timeouts,
      retryExhausted: config.retry_exhausted,
      retryFailures: await failureClasses(config.retry_failures, paths.failures, world, stop),
      retryInvalidJudge: config.retry_invalid_judge_responses,
      deliverables,
    },
    index: inputs.index,
    routes,
    warnings,
    counts: null,
  };
}
