/**
 * Reads the body of a response within limits. Memory is taken as bytes arrive, whatever length was announced and however
 * small the pieces are: at most eight times what has arrived where a length was announced, twice where none was.
 */
import type { Clock } from "../ports/clock.ts";
import type { BodyReader, HttpAnswer } from "../ports/http.ts";
import type { ByteRoom } from "./byte_room.ts";
import { timeLimit } from "./time_limit.ts";

/** Allocated at first for a body that is larger, or of unknown length. */
const FIRST_BYTES = 1 << 16;

/** By how much the memory grows while it is smaller than the announced length. */
const TOWARDS_ANNOUNCED = 8;

/** What a body is read within. */
export interface BodyLimits {
  /** Maximum size of the body, decompressed, in bytes, or none. */
  readonly maxBytes: number | null;
  /** Longest silence in milliseconds, or none. */
  readonly idleTimeoutMs: number | null;
  /** Times the silence. */
  readonly clock: Clock;
  /** The memory it shares with other bodies, if any; it waits while that is full. */
  readonly room?: ByteRoom;
  /** Ends the waiting; the reader ends the reading itself. */
  readonly signal: AbortSignal;
  /** Called with true when it starts to wait for room, and with false when it continues. */
  readonly onWait?: (isWaiting: boolean) => void;
}

/** A body that was read: complete, or with the reason why it is not. */
export interface ReadBody {
  /** The bytes; of one that is broken those that could be kept. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Why it is incomplete. */
  readonly broken?: string;
}

const NOTHING = new Uint8Array();

/** The length that the headers announce for the body as it is read, if they do. */
export function announcedLength({ header }: HttpAnswer & { kind: "answered" }): number | undefined {
  // A decompressed body has another length.
  if (header("content-encoding") !== undefined) return undefined;
  const text = header("content-length");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Reads to the end, or to the first limit. Never throws. */
export async function readBody(
  reader: BodyReader,
  announced: number | undefined,
  { maxBytes, idleTimeoutMs, clock, room, signal, onWait }: BodyLimits,
): Promise<ReadBody> {
  let broken: string | undefined;
  const stop = (why: string) => {
    broken ??= why;
    reader.cancel();
  };
  if (maxBytes !== null && announced !== undefined && announced > maxBytes) {
    stop(`${announced} bytes, more than max_response_bytes=${maxBytes}`);
    return { body: NOTHING, broken: broken! };
  }
  const silence = idleTimeoutMs === null
    ? undefined
    : timeLimit(clock, idleTimeoutMs, () => stop(`no byte for idle_timeout_s=${idleTimeoutMs / 1000}`));
  const place = room?.enter(stop);
  try {
    let buffer = new ArrayBuffer(firstSize(announced)), size = 0;
    for (;;) {
      if (size === buffer.byteLength) buffer = buffer.transfer(nextSize(size, announced));
      silence?.restart();
      const read = await reader.read(buffer, size);
      silence?.hold();
      if (broken !== undefined) return { body: NOTHING, broken };
      buffer = read.buffer;
      if (read.count === 0) return { body: new Uint8Array(buffer, 0, size) };
      size += read.count;
      if (maxBytes !== null && size > maxBytes) {
        stop(`more than max_response_bytes=${maxBytes}`);
        return { body: new Uint8Array(buffer, 0, size), broken: broken! };
      }
      const ready = place?.grow(read.count);
      if (!ready) continue;
      onWait?.(true);
      await unlessAborted(ready, signal);
      onWait?.(false);
    }
  } catch (error) {
    return { body: NOTHING, broken: broken ?? (error as Error).message };
  } finally {
    silence?.cancel();
    place?.leave();
  }
}

/**
 * The first step of those that end at one byte more than announced, in which the end is found: then all steps together
 * copy no more than a quarter of the body.
 */
function firstSize(announced: number | undefined): number {
  if (announced === undefined) return FIRST_BYTES;
  let size = announced + 1;
  while (size > FIRST_BYTES) size = Math.ceil(size / TOWARDS_ANNOUNCED);
  return size;
}

function nextSize(size: number, announced: number | undefined): number {
  return announced !== undefined && size <= announced
    ? Math.min(size * TOWARDS_ANNOUNCED, announced + 1)
    : size * 2;
}

/** Waits for a promise, or for the signal if that comes first: the next read then ends with it. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) resolve();
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", onAbort);
}
