/** Where files that a run reads are looked for. */
import { isAbsolute, join } from "node:path";
import { UsageFault } from "../kit/fault.ts";
import type { World } from "./world.ts";

/**
 * The path of an input, prompt or skills folder: relative ones are looked up in the folders of
 * NEMO_GYM_EXTRA_ROOTS, then in the working folder, as Gym does.
 *
 * @param key the configuration key, for the error
 * @throws {UsageFault} naming every place that was looked at
 */
export function findInput(path: string, key: string, { env, disk }: Pick<World, "env" | "disk">): string {
  if (path === "-") return path;
  const roots = isAbsolute(path)
    ? []
    : (env("NEMO_GYM_EXTRA_ROOTS") ?? "").split(":").filter((root) => root !== "");
  const places = [...roots.map((root) => join(root, path)), path];
  const found = places.find((place) => disk.exists(place));
  if (found !== undefined) return found;
  throw new UsageFault(
    `Cannot find ${path} (${key}): there is no such file` +
      (places.length > 1 ? `; looked for ${places.join(", ")}` : "") + ".",
  );
}
