/** Which server scores which rollouts, as plain data for the collector, derived from the configuration. */
import type { Route, Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";

export interface Scorers {
  /** The servers that can be asked. */
  readonly routes: readonly Route[];
  /** By the server's name that a rollout is stamped with: an index into {@link routes}, or why it cannot be asked. */
  readonly byServer: Readonly<Record<string, number | string>>;
  /** By the agent of a rollout without a stamp: the same. */
  readonly byAgent: Readonly<Record<string, number | string>>;
}

/**
 * The scorers of a configuration. An agent's rollouts are scored by the one environment server in front of it, or
 * by the agent itself if the configuration has no environment servers, as in older Gym.
 *
 * @param among restricts them to these routes, those of the run; without it, all in the configuration
 */
export function scorersOf(topology: Topology, among?: readonly Route[]): Scorers {
  const routes: Route[] = [...among ?? []];
  const indexOf = (find: () => Route): number | string => {
    let route: Route;
    try {
      route = find();
    } catch (fault) {
      if (!(fault instanceof UsageFault)) throw fault;
      return fault.message;
    }
    const index = routes.findIndex(({ server }) => server === route.server);
    if (index >= 0) return index;
    return among
      ? `the rollouts of this run go to other servers than ${route.server}`
      : routes.push(route) - 1;
  };
  const byServer = topology.names("environment_servers").map((name) =>
    [name, indexOf(() => topology.routeTo(name))] as const
  );
  const byAgent = topology.names("responses_api_agents").map((name) =>
    [name, indexOf(() => topology.routeOf(name))] as const
  );
  return {
    routes,
    byServer: Object.fromEntries([...routes.map(({ server }, index) => [server, index]), ...byServer]),
    byAgent: Object.fromEntries(byAgent),
  };
}
