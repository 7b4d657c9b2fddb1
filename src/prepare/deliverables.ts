/** Which folders of deliverables an earlier run has left for a judge to see again. */
import { stringOf } from "../json/object.ts";
import { isTrue } from "../json/truth.ts";
import { MemberScan } from "../json/member_scan.ts";
import type { World } from "../ports/world.ts";
import { hasDeliverable } from "../resume/judge_migration.ts";
import { eachLine } from "./each_line.ts";

/**
 * The folders of deliverables that rollouts with an invalid judge response name and that hold some. Looked up here,
 * because the collector may not look anywhere but into the run's own files.
 */
export async function foldersWithDeliverables(
  path: string,
  world: World,
  stop: () => void,
): Promise<string[]> {
  const scan = new MemberScan(["invalid_judge_response", "deliverables_dir"]);
  const named = new Set<string>();
  await eachLine(path, world, stop, ({ bytes }) => {
    if (scan.scan(bytes) !== undefined || !scan.raw(1)) return;
    try {
      const folder = stringOf(scan.raw(1));
      if (folder !== undefined && isTrue(scan.raw(0))) named.add(folder);
    } catch (error) {
      // A line that is not JSON: the collector reports it.
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
    return false; // missing or unreadable: as in Gym, there is nothing to judge again
  }
}
