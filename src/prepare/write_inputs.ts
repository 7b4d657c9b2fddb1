/** Writes the materialized inputs of a fresh run under their temporary name. */
import { UsageFault } from "../kit/fault.ts";
import { gathering, type Sink } from "../kit/gathering.ts";
import { systemReason } from "../kit/system_error.ts";
import { materialize, type Materialized, reorder } from "../plan/materialize.ts";
import { Sha256 } from "../plan/manifest.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { NewFile } from "../ports/disk.ts";
import type { World } from "../ports/world.ts";
import type { Preparation } from "../rows/prepare.ts";

/**
 * Prepares the rows of `chunks` and writes them; when that fails nothing of it stays.
 *
 * @throws {UsageFault} when a row is wrong, or the disk does not take the rows
 */
export async function writeInputs(
  paths: RunPaths,
  chunks: AsyncIterable<Uint8Array>,
  preparation: Preparation,
  { order, behind, world: { disk, clock }, stop, seen }: {
    /** Written before the rows: they are put behind it. */
    readonly behind?: AsyncIterable<Uint8Array>;
    /** The rows in the order in which they are to be; null for that in which they are made. */
    readonly order: ((index: RowIndex) => Uint32Array) | null;
    readonly world: Pick<World, "disk" | "clock">;
    readonly stop: () => void;
    readonly seen: Sink;
  },
): Promise<Materialized & { readonly sha256: string }> {
  const hash = new Sha256();
  const hashed = (sink: Sink): Sink => (bytes) => {
    hash.add(bytes);
    sink(bytes);
  };
  const breathe = () => breath(clock);
  const made: string[] = [], open = new Set<NewFile>();
  const create = (path: string) => {
    const file = onDisk(path, () => disk.create(path));
    made.push(path);
    open.add(file);
    const { sink, flush } = gathering((bytes) => onDisk(path, () => file.write(bytes)));
    return { path, file, sink, flush };
  };
  const finish = ({ path, file }: { readonly path: string; readonly file: NewFile }) => {
    onDisk(path, () => file.finish());
    open.delete(file);
  };
  try {
    const copy = async (sink: Sink) => {
      for await (const bytes of behind ?? []) {
        stop();
        hashed(sink)(bytes);
      }
    };
    const first = create(order ? paths.inputsUnordered : paths.inputsNew);
    if (!order) await copy(first.sink);
    const { prepared, index } = await materialize(
      chunks,
      preparation,
      order ? first.sink : hashed(first.sink),
      { stop, seen, breathe },
    );
    first.flush();
    if (!order) {
      finish(first);
      return { prepared, index, sha256: hash.hex() };
    }
    const second = create(paths.inputsNew);
    await copy(second.sink);
    const ordered = await reorder(
      index,
      order(index),
      (into, offset) => first.file.readAt(into, offset),
      hashed(second.sink),
      () => breathe().then(stop),
    );
    second.flush();
    finish(second);
    first.file.abandon();
    disk.remove(made[0]!);
    return { prepared, index: ordered, sha256: hash.hex() };
  } catch (error) {
    for (const file of open) file.abandon();
    for (const path of made) disk.remove(path);
    throw error;
  }
}

/** Lets signals in, in the middle of long work. */
export function breath({ after }: World["clock"]): Promise<void> {
  return new Promise((resolve) => after(0, resolve));
}

/** Runs a call that writes to a file. @throws {UsageFault} naming it when the disk does not take it */
function onDisk<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new UsageFault(`Cannot write ${path}: ${systemReason(error)}.`, { cause: error });
  }
}
