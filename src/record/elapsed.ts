/** How long a recorded attempt took, if its row says so. */
import { isObject } from "../json/kind.ts";
import { parse, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";

/** The key, in the row and in the metadata of its response. */
export const ELAPSED = "elapsed_seconds";

/**
 * Seconds from a row's `elapsed_seconds`, else from `response.metadata.elapsed_seconds`: a positive number, possibly as
 * a string. `undefined` if there is neither.
 *
 * @param elapsed bytes of the row's member, if it has one
 * @param response bytes of its `response`, if it has one
 */
export function elapsedSeconds(
  elapsed: Uint8Array | undefined,
  response: Uint8Array | undefined,
): number | undefined {
  try {
    return positive(elapsed) ?? positive(inMetadata(response));
  } catch (fault) {
    if (fault instanceof JsonFault || fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

function positive(raw: Uint8Array | undefined): number | undefined {
  // A container is not a number, and may be nested too deeply to be parsed.
  const value = raw && raw[0] !== 0x7b && raw[0] !== 0x5b ? parse(raw) : undefined;
  const seconds = typeof value === "string" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 ? seconds : undefined;
}

function inMetadata(response: Uint8Array | undefined): Uint8Array | undefined {
  if (!isObject(response)) return undefined;
  const metadata = readObject(response).raw("metadata");
  return isObject(metadata) ? readObject(metadata).raw(ELAPSED) : undefined;
}
