/** Names whose values are never shown, logged or exported. A name is secret if it contains one of these words. */
export const SECRET_WORDS: readonly string[] = [
  "key",
  "token",
  "header",
  "secret",
  "password",
  "passwd",
  "passphrase",
  "credential",
  "authorization",
  "cookie",
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

// Bounded, since what servers send is looked through as well: a text of a megabyte must not take minutes.

/** User and password before the host of a URL. */
const USER = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]{0,2000}@/gi;

/** A URL as far as its query or fragment, and these: signed addresses and tokens stand there. */
const QUERY = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s?#"'<>]{0,2000})([?#][^\s"'<>]+)/gi;

/** What stands behind the scheme of an authorization header. */
const BEARER = /\b(authorization["']?\s*[:=]\s*["']?\w+\s+|bearer\s+(?=\S{8}))[^\s"',}]+/gi;

/**
 * A text without what is secret in it whatever its name: users, passwords and query values of URLs, authorizations.
 *
 * @param onlyNamed whether of a query only the values of secrets' names are masked, since the others decide something
 */
export function withoutSecrets(text: string, onlyNamed = false): string {
  return text.replace(USER, `$1${MASKED}@`).replace(BEARER, `$1${MASKED}`).replace(QUERY, (_, url, query) => {
    if (!onlyNamed && !query.includes("=")) return `${url}${query[0]}${MASKED}`;
    return url + query.replace(
      /([?#&;])([^=&;]*)=([^&;]*)/g,
      (one: string, start: string, name: string) =>
        onlyNamed && !isSecret(name) ? one : `${start}${name}=${MASKED}`,
    );
  });
}
