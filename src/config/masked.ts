/** A configuration as it may be shown and kept: without its secrets. */
import type { Config, Value } from "./config.ts";
import { isExact } from "../kit/exact_number.ts";
import { isSecret, MASKED, SECRET_PATTERN } from "../kit/secrets.ts";

/** Keys whose maps hold whatever a user puts there; the keys of other maps are names of agents, servers and tasks. */
const FREE: ReadonlySet<string> = new Set<keyof Config>(["responses_create_params"]);

/** Keys whose texts are command lines. */
const COMMANDS: ReadonlySet<string> = new Set<keyof Config>(["serve_command", "rollout_collection_driver"]);

/** `NAME=value`, `name: value` and `--name value` in a command line, for names of secrets. */
const IN_COMMAND = new RegExp(
  String.raw`([\w.-]*${SECRET_PATTERN}[\w.-]*["']?(?:\s*[=:]\s*|\s+))("[^"]*"|'[^']*'|\S+)`,
  "gi",
);

/** User and password before the host of a URL. */
const USER = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/**
 * The configuration with its secrets masked: what keys of a secret's name hold, users and passwords in URLs, and what
 * follows such a name in a command line. Numbers are no secrets: `max_output_tokens` stays.
 */
export function masked(config: Config): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (COMMANDS.has(name) && typeof value === "string") {
        value = value.replace(IN_COMMAND, `$1${MASKED}`);
      }
      return [name, mask(value as Value, isSecret(name), FREE.has(name))];
    }),
  );
}

function mask(value: Value, secret: boolean, free: boolean): Value {
  if (typeof value === "string") {
    return secret && value !== "" ? MASKED : value.replace(USER, `$1${MASKED}@`);
  }
  if (Array.isArray(value)) return value.map((item) => mask(item, secret, free));
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mask(item, secret || (free && isSecret(name)), free)]),
  );
}
