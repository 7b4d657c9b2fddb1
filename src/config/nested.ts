/** Reading nested parts of the servers' configuration with their references resolved. */
import type { Instance, Topology } from "./topology.ts";

/**
 * The value of `key` in a map that stands somewhere inside the configuration, resolved; `undefined` without it.
 *
 * @param owner what holds the map, for errors about references
 */
export function entry(
  topology: Topology,
  owner: string,
  map: Readonly<Record<string, unknown>>,
  key: string,
): unknown {
  // A topology resolves what stands in a server's block, so the map is handed to it as one.
  return topology.field({ name: owner, kind: "resources_servers", implementation: "", block: map }, key);
}

/** The maps in a list that an instance holds under `key`; none when there is no such list. */
export function mapsIn(topology: Topology, instance: Instance, key: string): Record<string, unknown>[] {
  const value = topology.field(instance, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

/** A name or a list of names that an instance holds under `key`; none when there is nothing. */
export function namesIn(topology: Topology, instance: Instance, key: string): string[] {
  const value = topology.field(instance, key);
  const names = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return names.map((name) => String(entry(topology, `${instance.name}.${key}`, { name }, "name")))
    .filter((name) => name !== "");
}
