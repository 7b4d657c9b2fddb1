/** The zod schemas of the keys: the one place that loads zod. Built on first use. */
import { z } from "zod";
import type { Configs, ConfiguredCommand, KeyName } from "./config.ts";
import { KEYS, keysOf } from "./keys.ts";

const schemas = new Map<KeyName, z.ZodType>();

/** The schema of a key, its default filled in where it has one. */
export function schemaOf(name: KeyName): z.ZodType {
  let schema = schemas.get(name);
  if (!schema) {
    const { type } = KEYS[name];
    schema = type.schema(z);
    if (type.default !== undefined) schema = schema.default(type.default);
    schemas.set(name, schema);
  }
  return schema;
}

/** The schema of a command's whole configuration; unknown keys are refused. */
export function configSchema<C extends ConfiguredCommand>(command: C): z.ZodType<Configs[C]> {
  const shape = Object.fromEntries(keysOf(command).map((name) => [name, schemaOf(name)]));
  return z.strictObject(shape) as unknown as z.ZodType<Configs[C]>;
}
