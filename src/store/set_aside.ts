/**
 * The order in which a fresh run replaces an earlier one, so that a kill at any moment never leaves new inputs
 * next to old results, and never loses the old results.
 */
import type { Files } from "../ports/files.ts";

/** The files that are replaced. */
export interface FilesInPlace {
  readonly rollouts: string;
  readonly rolloutsOld: string;
  readonly failures: string;
  readonly failuresOld: string;
  readonly inputs: string;
  readonly inputsNew: string;
  readonly manifest: string;
  readonly manifestNew: string;
  readonly metrics: string;
}

/**
 * Moves the earlier run's rollouts and sidecar to `….old`, removes its metrics and its manifest, and renames the new
 * materialized inputs and the new manifest in, in this order. Inputs without rollouts, which a kill in between leaves,
 * a resume runs from scratch, so that rollouts are never next to another run's inputs or manifest.
 *
 * An empty file is removed, not set aside: a run that was stopped before its first result does not displace the results
 * of the one before it.
 *
 * @returns whether an earlier run's rollouts were set aside
 */
export function setAside(files: Files, paths: FilesInPlace): boolean {
  const holds = (path: string) => (files.size(path) ?? 0) > 0;
  const hasRollouts = holds(paths.rollouts), hasFailures = holds(paths.failures);
  // A sidecar of an even older run does not belong to the rollouts being set aside.
  if (hasRollouts && !hasFailures) files.remove(paths.failuresOld);
  if (hasRollouts) files.rename(paths.rollouts, paths.rolloutsOld);
  else files.remove(paths.rollouts);
  if (hasFailures) files.rename(paths.failures, paths.failuresOld);
  else files.remove(paths.failures);
  files.remove(paths.metrics);
  files.remove(paths.manifest);
  files.rename(paths.inputsNew, paths.inputs);
  if (files.size(paths.manifestNew) !== undefined) files.rename(paths.manifestNew, paths.manifest);
  return hasRollouts;
}
