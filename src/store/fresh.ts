/**
 * The order in which a fresh run takes the place of an earlier one, so that a kill at any moment never leaves
 * new inputs beside old results, and never loses the old results.
 */
import type { Files } from "../ports/files.ts";
import type { RunPaths } from "../plan/paths.ts";

/**
 * Moves the earlier run's rollouts and sidecar to `….old`, removes its metrics, and renames the new materialized
 * inputs in, in this order. Inputs without rollouts, which a kill in between leaves, are run afresh by a resume.
 */
export function takeOver(files: Files, paths: RunPaths): void {
  const hasRollouts = files.size(paths.rollouts) !== undefined;
  const hasFailures = files.size(paths.failures) !== undefined;
  if (hasRollouts) files.rename(paths.rollouts, paths.rolloutsOld);
  if (hasFailures) files.rename(paths.failures, paths.failuresOld);
  // A sidecar of an even older run does not belong to the rollouts that were just put aside.
  else if (hasRollouts) files.remove(paths.failuresOld);
  files.remove(paths.metrics);
  files.rename(paths.inputsNew, paths.inputs);
}
