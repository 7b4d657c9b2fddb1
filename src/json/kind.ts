/** What kind of value JSON bytes hold, told by the first of them. They must be valid JSON without space around. */

/** Whether they hold an object. Nothing is none. */
export function isObject(raw: Uint8Array | undefined): raw is Uint8Array {
  return raw?.[0] === 0x7b;
}

/** Whether they hold `null`. */
export function isNull(raw: Uint8Array): boolean {
  return raw[0] === 0x6e;
}

/** Whether they hold a string. Nothing is none. */
export function isString(raw: Uint8Array | undefined): raw is Uint8Array {
  return raw?.[0] === 0x22;
}

/** Whether they hold `true` itself. Nothing is not. */
export function isLiteralTrue(raw: Uint8Array | undefined): boolean {
  return raw?.[0] === 0x74;
}
