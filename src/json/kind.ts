/** What kind of value JSON bytes hold, by their first byte. They must be valid JSON without surrounding white space. */

/** Whether they hold an object; false for no bytes. */
export function isObject(raw: Uint8Array | undefined): raw is Uint8Array {
  return raw?.[0] === 0x7b;
}

/** Whether they hold `null`. */
export function isNull(raw: Uint8Array): boolean {
  return raw[0] === 0x6e;
}

/** Whether they hold a string; false for no bytes. */
export function isString(raw: Uint8Array | undefined): raw is Uint8Array {
  return raw?.[0] === 0x22;
}

/** Whether they hold `true`; false for no bytes. */
export function isLiteralTrue(raw: Uint8Array | undefined): boolean {
  return raw?.[0] === 0x74;
}
