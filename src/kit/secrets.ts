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

/** User and password before the host of a URL. */
const USER = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** A URL as far as its query or fragment, and these. */
const QUERY = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"']*)([?#][^\s"']*)/gi;

/**
 * A text with the users, passwords and query values of the URLs in it masked.
 *
 * @param onlyNamed whether of a query only the values of secrets' names are masked, since the others decide something
 */
export function withoutUrlSecrets(text: string, onlyNamed = false): string {
  return text.replace(USER, `$1${MASKED}@`).replace(QUERY, (_, url: string, query: string) => {
    if (!onlyNamed && !query.includes("=")) return `${url}${query[0]}${MASKED}`;
    const values = query.replace(
      /([?#&;])([^=&;]*)=([^&;]*)/g,
      (one, start: string, name: string) => onlyNamed && !isSecret(name) ? one : `${start}${name}=${MASKED}`,
    );
    return url + values;
  });
}
