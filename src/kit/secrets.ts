/** Names whose values are never shown, logged or exported. */

const SECRET = /key|token|header|secret|password|credential|authorization/i;

/** What stands in place of a secret. */
export const MASKED = "•••";

/** Whether the values of keys of this name are secrets. */
export function isSecret(name: string): boolean {
  return SECRET.test(name);
}
