/** Names whose values are never shown, logged or exported. */

/** The words that make a name a secret's, for patterns. */
export const SECRET_WORDS = "key|token|header|secret|password|credential|authorization";

const SECRET = new RegExp(SECRET_WORDS, "i");

/** What stands in place of a secret. */
export const MASKED = "•••";

/** Whether the values of keys of this name are secrets. */
export function isSecret(name: string): boolean {
  return SECRET.test(name);
}
