/**
 * The lock on an output: an OS lock where the file system has one, and a lease (host, process, start, heartbeat)
 * in the same file for where it has not, or where it only pretends. A holder that was killed does not block.
 */
import { UsageFault } from "../kit/fault.ts";
import type { Lock } from "../cli/world.ts";

const BEAT_EVERY_MS = 5000;
/** A lease whose heartbeat has not moved for so long has no holder any more. Two beats and some delay. */
const WATCH_MS = 12_000;
/** An OS lock that is free is granted at once. */
const TRY_MS = 250;

interface Lease {
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  readonly beat: number;
}

/**
 * Takes the lock. Waits only where the file system cannot tell whether the holder of a lease still lives, and says so.
 *
 * @throws {UsageFault} naming the holder when there is one
 */
export async function takeLock(path: string, output: string, say: (text: string) => void): Promise<Lock> {
  for (;;) {
    const file = Deno.openSync(path, { read: true, write: true, create: true });
    const granted = await tryLock(file);
    if (granted === "held") {
      // The pending request for the lock ends with the process, and so does the handle.
      throw heldBy(readLease(file), output);
    }
    if (!isStill(file, path)) {
      // Its holder has just finished and taken the file away; the next turn makes a new one.
      file.close();
      continue;
    }
    const before = readLease(file);
    if (before && (granted === "unknown" || before.host !== Deno.hostname())) {
      say(
        `${path} names process ${before.pid} on ${before.host}, since ${before.since}: ` +
          `watching for ${WATCH_MS / 1000} s whether it is alive.`,
      );
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
      const now = readLease(file);
      if (now && now.beat !== before.beat) throw heldBy(now, output);
    }
    return hold(file, path);
  }
}

async function tryLock(file: Deno.FsFile): Promise<"granted" | "held" | "unknown"> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<"held">((resolve) => timer = setTimeout(() => resolve("held"), TRY_MS));
  const granted = file.lock(true).then(() => "granted" as const, () => "unknown" as const);
  return await Promise.race([granted, late]).finally(() => clearTimeout(timer));
}

function isStill(file: Deno.FsFile, path: string): boolean {
  try {
    return Deno.statSync(path).ino === file.statSync().ino;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function hold(file: Deno.FsFile, path: string): Lock {
  const since = new Date().toISOString();
  let beat = 0;
  const write = () => {
    const lease: Lease = { host: Deno.hostname(), pid: Deno.pid, since, beat: beat++ };
    const bytes = new TextEncoder().encode(`${JSON.stringify(lease)}\n`);
    file.seekSync(0, Deno.SeekMode.Start);
    file.writeSync(bytes);
    file.truncateSync(bytes.length);
  };
  file.truncateSync(0);
  write();
  const ticker = setInterval(() => {
    try {
      write();
    } catch {
      // A full disk must not end the run from here; the OS lock, where there is one, still holds.
    }
  }, BEAT_EVERY_MS);
  return {
    release() {
      clearInterval(ticker);
      try {
        Deno.removeSync(path);
      } catch {
        // A folder that has become read-only keeps the file; without a holder it blocks nobody.
      }
      file.close();
    },
  };
}

function readLease(file: Deno.FsFile): Lease | undefined {
  const bytes = new Uint8Array(1024);
  file.seekSync(0, Deno.SeekMode.Start);
  const n = file.readSync(bytes) ?? 0;
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(0, n)));
  } catch {
    return undefined; // a holder that has only just opened it
  }
}

function heldBy(lease: Lease | undefined, output: string): UsageFault {
  const who = lease ? `process ${lease.pid} on ${lease.host}, since ${lease.since}` : "another process";
  return new UsageFault(`Cannot collect into ${output}: ${who}, is collecting into it. Nothing was touched.`);
}
