/** The tasks, as bytes. */
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";

/**
 * The bytes of an input in chunks, `-` for standard input; `.gz` and `.zst` are unpacked.
 *
 * @throws {UsageFault} naming the file when it cannot be read, or not to its end
 */
export async function* readInput(path: string, { disk }: Pick<World, "disk">): AsyncGenerator<Uint8Array> {
  try {
    yield* disk.readChunks(path);
  } catch (error) {
    const packed = /\.(gz|zst)$/i.exec(path)?.[1];
    throw new UsageFault(
      `Cannot read ${path === "-" ? "standard input" : path}: ${systemReason(error)}.` +
        (packed ? ` Is it whole, and ${packed === "zst" ? "zstd" : "gzip"}?` : ""),
      { cause: error },
    );
  }
}
