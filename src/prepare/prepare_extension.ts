/**
 * More of a run that is there: repeats, rows up to a larger limit, rows added at the end of the input. What is there
 * keeps its rows, byte for byte; new rollouts come behind it, with the next free rollout indices of their tasks.
 */
import type { Config, Repeats } from "../config/config.ts";
import { masked } from "../config/masked.ts";
import type { Route, Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";
import { plural } from "../kit/phrases.ts";
import { extended, type Manifest, Sha256, withRun } from "../plan/manifest.ts";
import type { RunPaths } from "../plan/paths.ts";
import { hostPort } from "../plan/permissions.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { Holder } from "../ports/lock.ts";
import type { World } from "../ports/world.ts";
import { Preparation } from "../rows/prepare.ts";
import { orderFor, planInputs } from "./prepare_fresh.ts";
import { prepareResume } from "./prepare_resume.ts";
import type { PreparedRows } from "./prepared_rows.ts";
import { readInput } from "./read_input.ts";
import type { RowSources } from "./row_sources.ts";
import { recordOf, reportsOf, writeManifest } from "./run_manifest.ts";
import { breath, writeInputs } from "./write_inputs.ts";

/**
 * Prepares the rows of a run that is extended: the inputs and the manifest that it will have, under temporary names.
 *
 * @param then the manifest of the run that is there, with which what is asked has been compared
 * @param holder this process, for the manifest; without it nothing is written, as for `plan`
 * @param stop asked now and then; what it throws ends the preparation
 * @throws {UsageFault} when input or configuration are wrong; nothing that was made stays behind
 */
export async function prepareExtension(
  config: Config,
  { paths, topology, pairingWaived, sources: { input, prompt, ids, skills }, then }: {
    readonly paths: RunPaths;
    readonly topology: Topology;
    readonly pairingWaived: boolean;
    readonly sources: RowSources;
    readonly then: Manifest;
  },
  world: World,
  { holder, stop }: { readonly holder?: Holder | undefined; readonly stop: () => void },
): Promise<PreparedRows> {
  if (input === "-") {
    throw new UsageFault("Cannot extend a run from standard input: its rows are needed again. Name a file.");
  }
  const before = await prepareResume(config, { paths, topology, pairingWaived, drift: [] }, world, stop);
  const { index } = before, next = nextRollouts(index), planned = index.size;
  const preparation = new Preparation({
    config,
    topology,
    file: config.input_jsonl_fpath,
    pairingWaived,
    ...(prompt ? { prompt: prompt.templates } : {}),
    ...(ids ? { ids: ids.ids } : {}),
    ...(skills ? { skills: skills.skills } : {}),
    earlier: {
      rows: then.counts.rows,
      repeats: (then.config.num_repeats ?? 1) as Repeats,
      next: (task) => next.get(task) ?? 0,
    },
  });
  const chunks = readInput(input, world), hash = new Sha256(), order = orderFor(config, preparation);
  const { prepared, index: added, sha256 } = holder
    ? await writeInputs(paths, chunks, preparation, {
      order,
      behind: world.disk.readChunks(paths.inputs),
      world,
      stop,
      seen: (bytes) => hash.add(bytes),
    })
    : {
      ...await planInputs(chunks, preparation, order, { stop, breathe: () => breath(world.clock) }),
      sha256: "",
    };
  const { rows, tasks } = prepared;
  try {
    if (config.sample !== null && rows !== then.counts.rows) {
      throw new UsageFault(
        `Cannot extend ${paths.rollouts}: with sample (--sample) only repeats can be added. Of ${
          plural(rows, "row")
        } instead of ${then.counts.rows} other tasks would be drawn; use another output.`,
      );
    }
    const routes = append(
      added,
      index,
      [...before.routes],
      prepared.routes,
      world.disk.files.size(paths.inputs)!,
    );
    if (holder) {
      if (added.size === 0) world.disk.remove(paths.inputsNew);
      const now = {
        ...then,
        ...reportsOf(config, paths),
        materialized_sha256: sha256,
        input: { path: config.input_jsonl_fpath, sha256: hash.hex() },
        counts: { rows, tasks, rollouts: planned + added.size },
        hosts: [...new Set([...then.hosts, ...routes.map(({ url }) => hostPort(url))])].sort(),
        config: masked(config),
      };
      writeManifest(
        withRun(extended(then, now), recordOf(holder, world.env, { resumed: true })),
        paths,
        world,
      );
    }
    return { ...before, index, routes, resume: { ...before.resume!, extends: true } };
  } catch (error) {
    if (holder) world.disk.remove(paths.inputsNew);
    throw error;
  }
}

/** By task, the first rollout index that is free. */
function nextRollouts({ columns: { task, rollout }, size }: RowIndex): Map<number, number> {
  const next = new Map<number, number>();
  for (let row = 0; row < size; row++) {
    next.set(task[row]!, Math.max(next.get(task[row]!) ?? 0, rollout[row]! + 1));
  }
  return next;
}

/** Adds rows that stand behind the first `bytes` of the inputs to the index of those. Returns the routes of all. */
function append(
  added: RowIndex,
  index: RowIndex,
  routes: Route[],
  ofAdded: readonly Route[],
  bytes: number,
): readonly Route[] {
  const { offset, length, task, rollout, route } = added.columns;
  const names = new Map(routes.map((one, k) => [JSON.stringify(one), k]));
  const numbers = new Map<number, number>();
  const numberOf = (k: number): number => {
    const known = numbers.get(k) ?? names.get(JSON.stringify(ofAdded[k]));
    const number = known ?? routes.push(ofAdded[k]!) - 1;
    numbers.set(k, number);
    return number;
  };
  for (let row = 0; row < added.size; row++) {
    index.add({
      offset: bytes + offset[row]!,
      length: length[row]!,
      task: task[row]!,
      rollout: rollout[row]!,
      route: numberOf(route[row]!),
    });
  }
  return routes;
}
