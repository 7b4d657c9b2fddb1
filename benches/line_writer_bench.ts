/** What a line costs on its way into a file, apart from the disk. Run with `deno task bench`. */
import { denoFiles } from "../src/edge/deno_files.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { AppendFile } from "../src/ports/files.ts";
import { LineWriter } from "../src/store/line_writer.ts";

/** Takes everything at once. */
const nowhere: AppendFile = {
  size: () => 0,
  isInPlace: () => true,
  write: (bytes) => bytes.length,
  truncate: () => {},
  sync: () => Promise.resolve(),
  close: () => {},
};

const still: Clock = { now: () => 0, date: () => new Date(0), after: () => () => {} };

const LINES = 1000;

for (const [name, size] of [["1 KB", 1000], ["100 KB", 100_000], ["2 MB", 2_000_000]] as const) {
  const half = new Uint8Array(size / 2).fill(0x78), pieces = [half, half];

  Deno.bench({ name: `append ${LINES} lines of ${name} that come together` }, () => {
    const writer = new LineWriter(nowhere, "nowhere", still, () => {});
    let written = 0;
    for (let i = 0; i < LINES; i++) writer.append(pieces, () => written++);
    writer.flush();
    if (written !== LINES) throw new Error("lines are missing");
  });

  const toDisk = Math.min(LINES, 200_000_000 / size);

  Deno.bench(
    { name: `append ${toDisk} lines of ${name} one by one, to a real file`, n: 5, warmup: 1 },
    async () => {
      const path = await Deno.makeTempFile();
      const writer = new LineWriter(
        { ...denoFiles.append(path), sync: () => Promise.resolve() },
        path,
        still,
        (call) => call(),
      );
      for (let i = 0; i < toDisk; i++) writer.append(pieces, () => {});
      await writer.close();
      await Deno.remove(path);
    },
  );
}
