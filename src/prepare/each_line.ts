/** Walks the lines of a file on the command line's side. */
import { LineSplitter, type TextLine } from "../kit/lines.ts";
import type { World } from "../ports/world.ts";

/**
 * Calls with each line of a file.
 *
 * @param stop asked now and then; what it throws ends the walk
 * @throws the system's error
 */
export async function eachLine(
  path: string,
  { disk }: Pick<World, "disk">,
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
