/**
 * Keys that are known and checked, but whose feature is not there yet: asking for it is answered plainly instead
 * of with silence.
 */
import type { KeyName } from "./config.ts";
import { keyOf, NAMES } from "./keys.ts";

/** The keys that ask for something missing, each with what to say. */
export function notYet(config: Readonly<Partial<Record<KeyName, unknown>>>): [KeyName, string][] {
  return NAMES.filter((name) =>
    keyOf(name).state === "planned" && Object.hasOwn(config, name) &&
    config[name] !== keyOf(name).type.default
  ).map((name) => [name, `${name} is not available yet in this version`]);
}
