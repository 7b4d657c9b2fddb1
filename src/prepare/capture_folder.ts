/** Where the captures of a run are, if it has any. */
import { isAbsolute } from "node:path";
import type { Config } from "../config/config.ts";
import type { Topology } from "../config/topology.ts";
import { shown } from "../config/value_errors.ts";
import { UsageFault } from "../kit/fault.ts";
import type { World } from "../ports/world.ts";

/** The folder, canonical; null with observability off. */
export interface CaptureFolder {
  readonly folder: string | null;
  readonly warning?: string | undefined;
}

/** How a configuration says yes and no, as Gym reads it. */
const YES = new Set(["1", "on", "t", "true", "y", "yes"]),
  NO = new Set(["0", "off", "f", "false", "n", "no"]);

/**
 * The folder that the model servers write captures into. Both keys count in rollcall's configuration and in the head's.
 *
 * @throws {UsageFault} when observability is on without a folder, or with one that is not an absolute path
 */
export function captureFolder(
  { observability_enabled, model_call_capture_dir: own }: Config,
  topology: Topology,
  { disk }: Pick<World, "disk">,
): CaptureFolder {
  if (!observability_enabled && !isOn(topology)) return { folder: null };
  const heads = topology.setting("model_call_capture_dir") ?? null, given = own ?? heads;
  if (given === null) {
    throw new UsageFault(
      "observability_enabled needs model_call_capture_dir (--model-call-capture-dir): the folder that the model " +
        "servers write their captures into. Nothing was sent.",
    );
  }
  if (typeof given !== "string" || !isAbsolute(given)) {
    throw new UsageFault(
      `model_call_capture_dir must be an absolute path, got ${
        shown(given, [])
      }: the model servers have other ` +
        "working folders. Nothing was sent.",
    );
  }
  const folder = disk.canonical(given);
  if (disk.exists(folder) && !disk.isFolder(folder)) {
    throw new UsageFault(`model_call_capture_dir is ${given}, which is not a folder. Nothing was sent.`);
  }
  if (disk.exists(folder) && !disk.namesIn(folder, "file")) {
    throw new UsageFault(`model_call_capture_dir is ${given}, which cannot be read. Nothing was sent.`);
  }
  return { folder, warning: warningOf({ own, heads, folder }, disk) };
}

function isOn(topology: Topology): boolean {
  const value = topology.setting("observability_enabled");
  const text = String(value ?? false).toLowerCase();
  if (YES.has(text) || NO.has(text)) return YES.has(text);
  throw new UsageFault(
    `observability_enabled in the head's configuration must be true or false, got ${shown(value, [])}.`,
  );
}

function warningOf(
  { own, heads, folder }: { readonly own: string | null; readonly heads: unknown; readonly folder: string },
  disk: World["disk"],
): string | undefined {
  if (own !== null && typeof heads === "string" && isAbsolute(heads) && disk.canonical(heads) !== folder) {
    return `captures are read from ${folder}, but the head's configuration has the model servers write them into ${heads}.`;
  }
  if (disk.exists(folder)) return undefined;
  return `there is no folder ${folder} yet, which model servers make when they start with observability on. ` +
    "Results without a capture say so in a gap.";
}
