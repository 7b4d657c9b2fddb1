/** A configuration that may be shown and kept: without its secrets. */
import type { Config, KeyName, Value } from "./config.ts";
import { keyOf } from "./keys.ts";
import { isExact } from "../kit/exact_number.ts";
import { isSecret, MASKED, SECRET_PATTERN, withoutSecrets } from "../kit/secrets.ts";

/** `NAME=value`, `name: value` and `--name value` in a command line, for names of secrets. */
const IN_COMMAND = new RegExp(
  `([\\w.-]*${SECRET_PATTERN}[\\w.-]*["']?(?:\\s*[=:]\\s*|\\s+))("[^"]*"|'[^']*'|\\S+)`,
  "gi",
);

/**
 * The configuration with its secrets masked: what keys of a secret's name hold, what {@link withoutSecrets} takes out
 * of any text, and what follows such a name in a command line. Numbers are not secrets: `max_output_tokens` stays.
 */
export function masked(config: Config): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      const { holds } = keyOf(name as KeyName);
      if (holds === "command" && typeof value === "string") {
        value = value.replace(IN_COMMAND, `$1${MASKED}`);
      }
      return [name, mask(value as Value, isSecret(name), holds === "anything")];
    }),
  );
}

function mask(value: Value, secret: boolean, free: boolean): Value {
  if (typeof value === "string") {
    return secret && value !== "" ? MASKED : withoutSecrets(value, free);
  }
  if (Array.isArray(value)) return value.map((item) => mask(item, secret, free));
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mask(item, secret || (free && isSecret(name)), free)]),
  );
}
