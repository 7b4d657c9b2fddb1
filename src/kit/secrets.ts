/** Names whose values are never shown, logged or exported. A name is one when it contains one of these words. */
export const SECRET_WORDS: readonly string[] = [
  "key",
  "token",
  "header",
  "secret",
  "password",
  "credential",
  "authorization",
];

/** The words as a part of a regular expression; to be matched in either case. */
export const SECRET_PATTERN: string = `(?:${SECRET_WORDS.join("|")})`;

const SECRET = new RegExp(SECRET_PATTERN, "i");

/** What stands in place of a secret. */
export const MASKED = "•••";

/** Whether the values of keys of this name are secrets. */
export function isSecret(name: string): boolean {
  return SECRET.test(name);
}
