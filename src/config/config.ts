/**
 * What a command is asked to do: every key it takes, complete, with defaults filled in. What each key means and how
 * it is set is in the table (`keys.ts`), from which these types follow.
 */
import type { Key, Part } from "./key.ts";
import { type KEYS, keysOfPart } from "./keys.ts";

export type { ConfiguredCommand } from "./key.ts";
export type { ConnectionReuse, Repeats, RoutingMode, Value } from "./value_types.ts";

type Table = typeof KEYS;

/** The name of a key, of whichever command. */
export type KeyName = keyof Table;

/** Every key with the type of its value. */
type Values = { readonly [K in KeyName]: Table[K] extends Key<infer T> ? T : never };

type KeysOf<C> = { [K in KeyName]: C extends Table[K]["commands"][number] ? K : never }[KeyName];
type KeysIn<P extends Part> = { [K in KeyName]: Table[K]["part"] extends P ? K : never }[KeyName];

/** What the rows of the input become. */
export interface RowsConfig extends Pick<Values, KeysIn<"rows">> {}

/** How rollouts are sent and what becomes of the answers. */
export interface DispatchConfig extends Pick<Values, KeysIn<"dispatch">> {}

/** What `rollcall collect` is asked to do. */
export interface Config extends Pick<Values, KeysOf<"collect">> {}

/** What `rollcall aggregate` is asked to do. */
export interface AggregateConfig extends Pick<Values, KeysOf<"aggregate">> {}

/** The configuration that each command takes. */
export interface Configs {
  /** Of `collect`, and of `plan`. */
  collect: Config;
  /** Of `aggregate`. */
  aggregate: AggregateConfig;
}

/** The part of a configuration that the collector needs to know; nothing else of it, secrets above all, reaches it. */
export function dispatchOf(config: DispatchConfig): DispatchConfig {
  const entries = keysOfPart("dispatch").map((key) => [key, config[key as keyof DispatchConfig]]);
  return Object.fromEntries(entries) as unknown as DispatchConfig;
}
