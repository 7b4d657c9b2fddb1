/** Whether a run goes on with an earlier one, and how: what a resume needs before its collector can start. */
import type { World } from "../ports/world.ts";
import type { Config } from "../config/config.ts";
import type { Route, Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";
import { parse } from "../json/object.ts";
import { isTrue } from "../json/truth.ts";
import { LineSplitter, type TextLine } from "../kit/lines.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { ResumePlan } from "../plan/run_plan.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { hasDeliverable } from "../resume/judge_migration.ts";
import { MemberScan } from "../json/member_scan.ts";
import { InputsIndex, routingBy } from "../resume/read_inputs.ts";

/** A resume that can begin. */
export interface PreparedResume {
  /** See {@link ResumePlan}. */
  readonly resume: ResumePlan;
  /** The rows of the materialized inputs. */
  readonly index: RowIndex;
  /** The servers that they go to. */
  readonly routes: readonly Route[];
  /** What the user should know. */
  readonly warnings: readonly string[];
}

/**
 * Whether the run goes on with what is there: asked for, and materialized inputs and rollouts both exist. With neither,
 * or inputs alone (which a kill at the beginning of a run leaves), it begins afresh, and `note` says so.
 *
 * @throws {UsageFault} when there are rollouts without the inputs that say what they belong to
 */
export function goesOn(
  config: Config,
  paths: RunPaths,
  { disk }: Pick<World, "disk">,
): { readonly goesOn: boolean; readonly note?: string } {
  if (!config.resume_from_cache) return { goesOn: false };
  const hasInputs = disk.exists(paths.inputs), hasRollouts = disk.exists(paths.rollouts);
  if (hasInputs && hasRollouts) return { goesOn: true };
  if (hasRollouts) {
    throw new UsageFault(
      `Cannot resume ${paths.rollouts}: the materialized inputs that belong to it are missing (${paths.inputs}), so ` +
        `what is left to run cannot be told. Put them back, or name another output; without --resume a fresh run keeps ` +
        `these rollouts as ${paths.rolloutsOld}. Nothing was touched.`,
    );
  }
  const what = hasInputs
    ? `there are no rollouts at ${paths.rollouts}`
    : `there is no run at ${paths.rollouts}`;
  return { goesOn: false, note: `Nothing to resume: ${what}. This is a fresh run.` };
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
): Promise<PreparedResume> {
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
      retryInvalidJudge: config.retry_invalid_judge_responses,
      deliverables,
    },
    index: inputs.index,
    routes,
    warnings,
  };
}

async function eachLine(
  path: string,
  { disk }: World,
  stop: () => void,
  call: (line: TextLine) => void,
): Promise<void> {
  const splitter = new LineSplitter();
  for await (const chunk of disk.readChunks(path)) {
    stop();
    for (const line of splitter.push(chunk)) call(line);
  }
  for (const line of splitter.end()) call(line);
}

/**
 * The folders of deliverables that rollouts with an invalid judge response name and that hold some. Looked up here,
 * because the collector may not look anywhere but into the run's own files.
 */
async function foldersWithDeliverables(path: string, world: World, stop: () => void): Promise<string[]> {
  const scan = new MemberScan(["invalid_judge_response", "deliverables_dir"]);
  const named = new Set<string>();
  await eachLine(path, world, stop, ({ bytes }) => {
    if (scan.scan(bytes) !== undefined || !scan.raw(1)) return;
    try {
      const folder = parse(scan.raw(1)!);
      if (typeof folder === "string" && isTrue(scan.raw(0))) named.add(folder);
    } catch (error) {
      // A line that is no JSON: the collector tells of it.
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    }
  });
  const holding: string[] = [];
  for (const folder of named) if (await holdsDeliverable(folder, world)) holding.push(folder);
  return holding;
}

async function holdsDeliverable(folder: string, { disk }: World): Promise<boolean> {
  try {
    return hasDeliverable(await disk.filesIn(folder));
  } catch {
    return false; // not there, or not to be read: as in Gym, there is nothing to judge again
  }
}
