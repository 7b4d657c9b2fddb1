/** configure() for tests, which need not wait for the schemas. */
import type { Config } from "../../src/config/config.ts";
import { type Configured, configureWith, type Given } from "../../src/config/layers.ts";
import { schemaOf } from "../../src/config/schema.ts";

/** The configuration of `collect` that this gives. */
export function configure(given: Given): Configured<Config> {
  return configureWith(schemaOf, given, "collect");
}
