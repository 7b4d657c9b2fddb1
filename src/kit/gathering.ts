/** Turns many small writes into a few large ones. */

/** Takes bytes in order; it must be done with them when it returns. */
export type Sink = (bytes: Uint8Array) => void;

/** A sink that gathers small writes and hands on large ones. Call `flush` at the end. */
export function gathering(write: Sink, size = 1 << 18): { sink: Sink; flush: () => void } {
  const batch = new Uint8Array(size);
  let filled = 0;
  const flush = () => {
    if (filled) write(batch.subarray(0, filled));
    filled = 0;
  };
  return {
    flush,
    sink(bytes) {
      if (filled + bytes.length > size) flush();
      if (bytes.length > size) return write(bytes);
      batch.set(bytes, filled);
      filled += bytes.length;
    },
  };
}
