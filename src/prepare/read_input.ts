/** The tasks, as bytes. */
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";

/**
 * The bytes of an input in chunks, `-` for standard input; gzip and zstd are unpacked.
 *
 * @throws {UsageFault} naming the file when it cannot be read, or not to its end
 */
export async function* readInput(path: string, { disk }: Pick<World, "disk">): AsyncGenerator<Uint8Array> {
  const shown = path === "-" ? "standard input" : path;
  try {
    let isFirst = true;
    for await (const chunk of disk.readChunks(path)) {
      if (isFirst && chunk.length > 0) {
        refuseOtherFormats(chunk, shown);
        isFirst = false;
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof UsageFault) throw error;
    const packed = /\.(gz|zst)$/i.exec(path)?.[1];
    throw new UsageFault(
      `Cannot read ${shown}: ${systemReason(error)}.` +
        (packed ? ` Is it whole, and ${packed === "zst" ? "zstd" : "gzip"}?` : ""),
      { cause: error },
    );
  }
}

/** What a file that is not JSON lines begins with, by what it is. @throws {UsageFault} that says what to do */
function refuseOtherFormats(bytes: Uint8Array, shown: string): void {
  const start = String.fromCharCode(...bytes.subarray(0, 4096));
  const [what, advice] = start.startsWith("PAR1")
    ? ["a Parquet file", `Convert it, for example: duckdb -c "COPY (FROM 'tasks.parquet') TO 'tasks.jsonl'".`]
    : /^(\xff\xfe|\xfe\xff|[\s{]\0|\0[\s{])/.test(start)
    ? ["UTF-16 text", "Convert it, for example: iconv -f UTF-16 -t UTF-8 tasks.jsonl > tasks_utf8.jsonl."]
    : /^(\xef\xbb\xbf)?\s*\[/.test(start)
    ? ["a JSON array", "Convert it, for example: jq -c '.[]' tasks.json > tasks.jsonl."]
    : [];
  if (what === undefined) return;
  throw new UsageFault(
    `Cannot use ${shown}: it is ${what}, and JSON lines are needed, one object a line. ${advice}`,
  );
}
