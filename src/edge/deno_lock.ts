/**
 * The lock on an output: an OS lock where the file system has one, and a lease (host, process, start, heartbeat)
 * in the same file where it has none, or only pretends to. A killed holder does not block.
 */
import { RunFault, UsageFault } from "../kit/fault.ts";
import { systemPlace, systemReason } from "../kit/system_error.ts";
import type { Holder, Lock, Pace } from "../ports/lock.ts";
import { isLink } from "./deno_files.ts";

/** How long things take, in milliseconds. */
export interface LockTimes {
  /** Between two heartbeats. */
  readonly beat: number;
  /** Until the first one: without locks, two that start at the same moment detect each other soon. */
  readonly firstBeat: number;
  /** A lease without a heartbeat for this long has no holder any more. Two beats and some delay. */
  readonly watch: number;
}

const TIMES: LockTimes = { beat: 5000, firstBeat: 1000, watch: 12_000 };
/** A free OS lock is granted at once. */
const TRY_MS = 50, TRIES = 5;

/** The content of the lock's file. */
interface Lease extends Holder {
  readonly beat: number;
}

/**
 * Takes the lock. Waits only if the file system cannot tell whether a lease's holder is still alive, and says so.
 *
 * @throws {UsageFault} naming the holder when there is one, or why there can be no lock
 */
export async function takeLock(
  path: string,
  output: string,
  say: (text: string) => void,
  times: LockTimes = TIMES,
): Promise<Lock> {
  for (;;) {
    const file = openLock(path);
    const granted = await tryLock(file, path, true);
    if (granted === "held") {
      // The pending request for the lock ends with the process, and so does the handle.
      throw heldBy(readLease(path), output);
    }
    if (!isStill(file, path)) {
      // Its holder has just finished and removed the file; the next turn creates a new one.
      file.close();
      continue;
    }
    const before = readLease(path);
    if (before && (granted === "unknown" || before.host !== Deno.hostname())) {
      say(
        `${path} names process ${before.pid} on ${before.host}, since ${before.since}: ` +
          `watching for ${times.watch / 1000} s whether it is alive.`,
      );
      await new Promise((resolve) => setTimeout(resolve, times.watch));
      const now = readLease(path);
      if (now && (now.beat !== before.beat || now.since !== before.since)) {
        file.close();
        throw heldBy(now, output);
      }
      if (!isStill(file, path)) {
        // Its holder finished meanwhile and removed the file.
        file.close();
        continue;
      }
    }
    return hold(file, path, output, times);
  }
}

/**
 * Who holds the lock of an output, as far as is known: by the OS lock, and on other machines' files by whether the
 * heartbeat is fresh. Changes nothing.
 */
export async function lockHolder(path: string): Promise<Holder | undefined> {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const granted = await tryLock(file, path, false);
  const lease = readLease(path);
  if (granted === "held") {
    return lease ? holderOf(lease) : { host: "an unknown host", pid: 0, since: "an unknown time" };
  }
  const beatenAt = file.statSync().mtime?.getTime() ?? 0;
  file.close();
  if (!lease || (granted === "granted" && lease.host === Deno.hostname())) return undefined;
  return Date.now() - beatenAt < TIMES.watch ? holderOf(lease) : undefined;
}

function holderOf({ host, pid, since, pace }: Lease): Holder {
  return { host, pid, since, ...(typeof pace?.per_minute === "number" ? { pace } : {}) };
}

function openLock(path: string): Deno.FsFile {
  try {
    // Its holder writes into it, so it must be what it seems to be.
    if (isLink(path)) throw new Error(`${path} is a link`);
    return Deno.openSync(path, { read: true, write: true, create: true });
  } catch (error) {
    throw unwritable(error);
  }
}

function unwritable(cause: unknown): UsageFault {
  return new UsageFault(
    `Cannot write in the folder of the output: ${systemReason(cause)}${systemPlace(cause)}.`,
    { cause },
  );
}

/** Asks for an OS lock. A request that is not granted stays pending for as long as the process lives. */
async function tryLock(
  file: Deno.FsFile,
  path: string,
  exclusive: boolean,
): Promise<"granted" | "held" | "unknown"> {
  const granted = file.lock(exclusive).then(() => "granted" as const, () => "unknown" as const);
  // In steps, each with a round through the same thread pool: on a machine so busy that the request got no turn for a
  // while, what was asked after it gets none either, and that is not a holder.
  for (let tries = 0; tries < TRIES; tries++) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = new Promise<void>((resolve) => timer = setTimeout(resolve, TRY_MS));
    // Not of the file itself: whatever is asked of that waits for the lock.
    let looking: Promise<unknown> | undefined;
    const late = wait.then(() => looking = Deno.stat(path)).then(() => undefined, () => undefined);
    const answer = await Promise.race([granted, late]).finally(() => clearTimeout(timer));
    // One that has begun is not left behind.
    await looking?.catch(() => {});
    if (answer) return answer;
  }
  return "held";
}

function isStill(file: Deno.FsFile, path: string): boolean {
  try {
    return Deno.lstatSync(path).ino === file.statSync().ino;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function hold(file: Deno.FsFile, path: string, output: string, times: LockTimes): Lock {
  const holder: Holder = { host: Deno.hostname(), pid: Deno.pid, since: new Date().toISOString() };
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  let pace: Pace | undefined,
    beat = 0,
    timer: ReturnType<typeof setTimeout>,
    isLost = false,
    isReleased = false;
  const isOurs = (lease: Lease | undefined) =>
    !lease || (lease.host === holder.host && lease.pid === holder.pid && lease.since === holder.since);
  const write = () => {
    const bytes = new TextEncoder().encode(`${JSON.stringify({ ...holder, beat: beat++, pace })}\n`);
    file.seekSync(0, Deno.SeekMode.Start);
    file.writeSync(bytes);
    file.truncateSync(bytes.length);
  };
  const turn = () => {
    // The runtime still calls a timer that is cleared in the very turn in which it is due.
    if (isReleased) return;
    try {
      const lease = readLease(path);
      if (!isOurs(lease)) {
        isLost = true;
        return lost.reject(takenOver(lease!, output));
      }
      write();
    } catch {
      // A full disk must not end the run from here; the OS lock, if any, still holds.
    }
    timer = setTimeout(turn, times.beat);
  };
  try {
    file.truncateSync(0);
    write();
  } catch (error) {
    throw unwritable(error);
  }
  timer = setTimeout(turn, times.firstBeat);
  return {
    holder,
    lost: lost.promise,
    tell: (now) => void (pace = now),
    release() {
      isReleased = true;
      clearTimeout(timer);
      try {
        if (!isLost && isStill(file, path)) Deno.removeSync(path);
      } catch {
        // A folder that became read-only keeps the file; without a holder it blocks nothing.
      }
      file.close();
    },
  };
}

/** Opened anew each time, as network file systems show what others have written only to those who open. */
function readLease(path: string): Lease | undefined {
  for (let tries = 0; tries < 3; tries++) {
    try {
      const lease = JSON.parse(Deno.readTextFileSync(path));
      if (typeof lease?.host === "string" && typeof lease.pid === "number") return lease;
    } catch (error) {
      // Not there, empty, or read while it was being written.
      if (!(error instanceof SyntaxError)) return undefined;
    }
  }
  return undefined;
}

function nameOf({ pid, host, since }: Holder): string {
  return `process ${pid} on ${host}, since ${since},`;
}

function heldBy(lease: Lease | undefined, output: string): UsageFault {
  const who = lease ? nameOf(lease) : "another process";
  return new UsageFault(`Cannot collect into ${output}: ${who} is collecting into it. Nothing was touched.`);
}

function takenOver(lease: Lease, output: string): RunFault {
  return new RunFault(
    `Stopped: ${
      nameOf(lease)
    } collects into ${output} as well. The file system has no locks that hold, and this ` +
      `process is the one that gives way. What it has written is whole.`,
  );
}
