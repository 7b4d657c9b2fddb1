/** The failure classes that `--retry` names, held against those of the sidecar. */
import { list, LISTED, UsageFault } from "../kit/fault.ts";
import { suggestion } from "../kit/nearest.ts";
import type { World } from "../ports/world.ts";
import { FailureBook } from "../resume/failure_book.ts";
import { eachLine } from "./each_line.ts";

/**
 * The classes that were asked for, once each.
 *
 * @param stop asked now and then; what it throws ends the reading
 * @throws {UsageFault} for a class that no failure in the sidecar has: nothing would be retried
 */
export async function failureClasses(
  asked: readonly string[],
  sidecar: string,
  world: Pick<World, "disk">,
  stop: () => void,
): Promise<string[]> {
  const wanted = [...new Set(asked)];
  if (wanted.length === 0) return wanted;
  const book = new FailureBook();
  if (world.disk.exists(sidecar)) await eachLine(sidecar, world, stop, (line) => book.push(line));
  const names = book.names;
  const unknown = wanted.filter((name) => !names.includes(name));
  // Those of a sidecar with more classes than are told apart cannot be checked.
  if (unknown.length === 0 || book.others > 0) return wanted;
  const what = unknown.map((name) => `no failure of class ${JSON.stringify(name)}${suggestion(name, names)}`);
  throw new UsageFault(
    `retry_failures (--retry): ${sidecar} has` +
      (what.length === 1 ? ` ${what[0]}. ` : `:${list(what)}\n`) +
      (names.length === 0
        ? "It has no failures at all. "
        : `Its classes: ${names.slice(0, LISTED).map((name) => JSON.stringify(name)).join(", ")}${
          names.length > LISTED ? ", …" : ""
        }. `) +
      `Nothing was touched.`,
  );
}
