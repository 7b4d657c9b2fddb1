/** What Python takes for true, as Gym's rules mean it. */
import { parse } from "./object.ts";

/** Whether a JSON value is true: neither absent, null, false, zero nor empty. */
export function isTrue(raw: Uint8Array | undefined): boolean {
  switch (raw?.[0]) {
    case undefined:
    case 0x66: // false
    case 0x6e: // null
      return false;
    case 0x74: // true
      return true;
    default: {
      const value = parse(raw!);
      return typeof value === "object" ? Object.keys(value as object).length > 0 : Boolean(value);
    }
  }
}
