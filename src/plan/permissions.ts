/** What a collector may touch: exactly the servers and the files of its plan. */
import type { Route } from "../config/topology.ts";
import type { Permissions } from "../ports/sandbox.ts";
import type { AggregatePlan } from "./aggregate_plan.ts";
import type { RunPaths } from "./paths.ts";

/** The permissions of a run: exactly its servers, exactly its files, and to read the folder of captures, if there is one. */
export function permissionsOf(
  paths: RunPaths,
  routes: readonly Route[],
  proxy: string | null,
  captures: string | null = null,
): Permissions {
  const hosts = routes.map((route) => hostPort(route.url));
  if (proxy !== null) hosts.push(hostPort(proxy));
  // The lock belongs to the command line's side, and so does ordering the inputs.
  const { folder: _, lock: __, inputsUnordered: ___, ...files } = paths;
  const all = Object.values(files);
  return {
    net: [...new Set(hosts)].sort(),
    read: captures === null ? all : [...all, captures],
    write: all,
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "socks5:": 1080, "socks5h:": 1080 };

/** `HOST:PORT` of a URL, always with the port. */
export function hostPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (DEFAULT_PORTS[protocol] ?? 80)}`;
}

/** The permissions of an aggregation: its servers, its shards to read, its own files to write. */
export function aggregatePermissions(
  { shards, paths, merge, scorers, wire, health }: Omit<AggregatePlan, "permissions">,
): Permissions {
  const hosts = (scorers?.routes ?? []).map((route) => hostPort(route.url));
  if (wire.proxy !== null && hosts.length > 0) hosts.push(hostPort(wire.proxy));
  const written = [
    ...(merge ? [paths.rollouts, paths.rolloutsNew, paths.manifest, paths.manifestNew] : []),
    paths.metrics,
    paths.metricsNew,
    paths.metricsIndex,
    ...(health
      ? [
        paths.qualitySummary,
        paths.qualitySummaryNew,
        paths.verdicts,
        paths.verdictsNew,
        paths.findings,
        paths.verdictsIndex,
      ]
      : []),
  ];
  const read = shards.flatMap(({ rollouts, inputs, failures }) => [rollouts, inputs, failures]);
  return { net: [...new Set(hosts)].sort(), read: [...new Set([...read, ...written])], write: written };
}
