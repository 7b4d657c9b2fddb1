/** Names whose values are never shown, logged or exported. A name is secret if it contains one of these words. */
export const SECRET_WORDS: readonly string[] = [
  "key",
  "token",
  "header",
  "secret",
  "password",
  "credential",
  "authorization",
];

/** The words as part of a regular expression; match it case-insensitively. */
export const SECRET_PATTERN: string = `(?:${SECRET_WORDS.join("|")})`;

const SECRET = new RegExp(SECRET_PATTERN, "i");

/** Shown instead of a secret. */
export const MASKED = "•••";

/** Whether the values of keys of this name are secrets. */
export function isSecret(name: string): boolean {
  return SECRET.test(name);
}
