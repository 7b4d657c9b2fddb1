/** Truthiness as in Python, which Gym's rules rely on. */
import { parse } from "./object.ts";
import { skipSpace } from "./scan.ts";

/** Whether a JSON value is true: neither absent, null, false, zero nor empty. */
export function isTrue(raw: Uint8Array | undefined): boolean {
  switch (raw?.[0]) {
    case undefined:
    case 0x66: // false
    case 0x6e: // null
      return false;
    case 0x74: // true
      return true;
    case 0x7b: // object
      return raw![skipSpace(raw!, 1)] !== 0x7d;
    case 0x5b: // array
      return raw![skipSpace(raw!, 1)] !== 0x5d;
    default:
      return Boolean(parse(raw!));
  }
}
