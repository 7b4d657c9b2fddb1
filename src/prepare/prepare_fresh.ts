/**
 * A fresh run's rows: the input read once, and the materialized inputs and the manifest written under temporary names.
 * Nothing of an earlier run is touched.
 */
import { basename } from "node:path";
import type { Config, RowsConfig } from "../config/config.ts";
import { masked } from "../config/masked.ts";
import type { Route, Topology } from "../config/topology.ts";
import { Sha256 } from "../plan/manifest.ts";
import { materialize, type Materialized, type MaterializeOptions, reorder } from "../plan/materialize.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { orderOf } from "../plan/row_order.ts";
import { hostPort } from "../plan/permissions.ts";
import type { Holder } from "../ports/lock.ts";
import type { World } from "../ports/world.ts";
import { Preparation } from "../rows/prepare.ts";
import type { PreparedRows } from "./prepared_rows.ts";
import { readInput } from "./read_input.ts";
import type { RowSources } from "./row_sources.ts";
import { recordOf, reportsOf, writeManifest } from "./run_manifest.ts";
import { breath, writeInputs } from "./write_inputs.ts";

/**
 * Prepares the rows of a fresh run.
 *
 * @param holder this process, for the manifest; without it nothing is written, as for `plan`
 * @param stop asked now and then; what it throws ends the preparation
 * @throws {UsageFault} when input or configuration are wrong; nothing that was made stays behind
 */
export async function prepareFresh(
  config: Config,
  { paths, topology, pairingWaived, sources: { input, prompt, ids, skills } }: {
    readonly paths: RunPaths;
    readonly topology: Topology;
    readonly pairingWaived: boolean;
    readonly sources: RowSources;
  },
  world: World,
  { holder, stop }: { readonly holder?: Holder | undefined; readonly stop: () => void },
): Promise<PreparedRows> {
  const preparation = new Preparation({
    config,
    topology,
    file: config.input_jsonl_fpath,
    pairingWaived,
    ...(prompt ? { prompt: prompt.templates } : {}),
    ...(ids ? { ids: ids.ids } : {}),
    ...(skills ? { skills: skills.skills } : {}),
  });
  const chunks = readInput(input, world), hash = new Sha256(), order = orderFor(config, preparation);
  const { prepared: made, index, sha256 } = holder
    ? await writeInputs(paths, chunks, preparation, { order, world, stop, seen: (bytes) => hash.add(bytes) })
    : {
      ...await planInputs(chunks, preparation, order, { stop, breathe: () => breath(world.clock) }),
      sha256: "",
    };
  const { warnings, rows, tasks } = made, routes = keepUsed(index, made.routes);
  const isSelection = config.tasks !== null || ids !== undefined || config.sample !== null ||
    config.shard !== null;
  const counts = { rows, tasks, ...(isSelection ? { selected: tasksIn(index) } : {}) };
  const prepared = { index, routes, warnings, counts, resume: null };
  if (!holder) return prepared;
  writeManifest(
    {
      manifest: 1,
      output: basename(paths.rollouts),
      ...reportsOf(config, paths),
      materialized_sha256: sha256,
      input: { path: config.input_jsonl_fpath, sha256: hash.hex() },
      prompt: prompt?.source ?? null,
      ...(ids ? { task_ids: ids.source } : {}),
      skills: skills?.source ?? null,
      counts: { rows, tasks, rollouts: index.size },
      hosts: [...new Set(routes.map(({ url }) => hostPort(url)))].sort(),
      config: masked(config),
      runs: [recordOf(holder, world.env, { resumed: false })],
    },
    paths,
    world,
  );
  return prepared;
}

/** How the rows of a run are ordered and which of them stay; null where they stay as they are made. */
export function orderFor(
  { interleave_repeats: inRounds, shuffle_seed: shuffleSeed, sample }: RowsConfig,
  preparation: Pick<Preparation, "isSelected">,
): ((index: RowIndex) => Uint32Array) | null {
  if (!inRounds && shuffleSeed === null && sample === null) return null;
  const has = (task: number) => preparation.isSelected(task);
  return (index) => orderOf(index, { inRounds, shuffleSeed, has });
}

/** The index of rows that are not written. */
export async function planInputs(
  chunks: AsyncIterable<Uint8Array>,
  preparation: Preparation,
  order: ((index: RowIndex) => Uint32Array) | null,
  options: MaterializeOptions,
): Promise<Materialized> {
  const nothing = () => {};
  const { prepared, index } = await materialize(chunks, preparation, nothing, options);
  return { prepared, index: order ? await reorder(index, order(index), nothing, nothing) : index };
}

/** The routes that rows of the index have, which then has their new numbers: what was left out must not be reachable. */
function keepUsed(index: RowIndex, routes: readonly Route[]): readonly Route[] {
  const { route } = index.columns, used = new Set(route.subarray(0, index.size));
  if (used.size === routes.length) return routes;
  const kept = routes.map((_, number) => number).filter((number) => used.has(number));
  const numbers = new Map(kept.map((before, now) => [before, now]));
  for (let row = 0; row < index.size; row++) route[row] = numbers.get(route[row]!)!;
  return kept.map((number) => routes[number]!);
}

/** How many tasks the rows are of: each has one first rollout. */
function tasksIn({ columns: { rollout }, size }: RowIndex): number {
  let tasks = 0;
  for (let row = 0; row < size; row++) if (rollout[row] === 0) tasks++;
  return tasks;
}
