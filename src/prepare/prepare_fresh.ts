/**
 * A fresh run's rows: the input read once, and the materialized inputs and the manifest written under temporary names.
 * Nothing of an earlier run is touched.
 */
import { basename } from "node:path";
import type { Config } from "../config/config.ts";
import { masked } from "../config/masked.ts";
import type { Topology } from "../config/topology.ts";
import { Sha256 } from "../plan/manifest.ts";
import { materialize } from "../plan/materialize.ts";
import type { RunPaths } from "../plan/paths.ts";
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
  { paths, topology, pairingWaived, sources: { input, prompt, skills } }: {
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
    ...(skills ? { skills: skills.skills } : {}),
  });
  const chunks = readInput(input, world), hash = new Sha256();
  const { prepared: { routes, warnings, rows, tasks }, index, sha256 } = holder
    ? await writeInputs(paths, chunks, preparation, {
      inRounds: config.interleave_repeats,
      world,
      stop,
      seen: (bytes) => hash.add(bytes),
    })
    : {
      ...await materialize(chunks, preparation, () => {}, { stop, breathe: () => breath(world.clock) }),
      sha256: "",
    };
  const prepared = { index, routes, warnings, counts: { rows, tasks }, resume: null };
  if (!holder) return prepared;
  writeManifest(
    {
      manifest: 1,
      output: basename(paths.rollouts),
      ...reportsOf(config, paths),
      materialized_sha256: sha256,
      input: { path: config.input_jsonl_fpath, sha256: hash.hex() },
      prompt: prompt?.source ?? null,
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
