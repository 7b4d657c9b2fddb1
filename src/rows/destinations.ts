/**
 * Is there a server for every row, and may its agent work on it? Returns the route, as an index into
 * those found so far.
 */
import type { Instance, Route, Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";
import { namesIn } from "../config/nested.ts";
import { type Kind, RowFault, shown } from "./problems.ts";
import { type Row } from "./row.ts";
import { KEYS } from "../record/keys.ts";
import type { Names } from "./route.ts";

const UNREACHABLE: Kind = {
  heading: "Rows that no server can be found for",
  advice:
    "Start its server, give its address with --server NAME=URL, or choose other agents with agent_name or agent_map.",
};
const PAIRING: Kind = {
  heading: "Agents that the resources server which checks their answers does not allow",
  advice:
    "Choose another agent, or set allow_unsupported_pairing=true (NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING=1).",
};
const NOT_OF_SERVER: Kind = {
  heading: "Rows that do not fit the environment server they are for",
  advice: "",
};
const BAD_ID: Kind = {
  heading: `${KEYS.rolloutId} must be letters, digits, ".", "_" and "-", with a letter or a digit first`,
  advice: "It becomes part of file names and addresses.",
};

/** Refuses a row with an `_ng_rollout_id` that cannot be one. @throws {RowFault} naming it. */
export function checkRolloutId(row: Row): void {
  const id = row.value(KEYS.rolloutId);
  if (id === undefined || id === null) return;
  if (typeof id === "string" && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id)) return;
  throw new RowFault(BAD_ID, `it is ${shown(id)}`);
}

/** An environment server as rows see it. */
interface Server {
  readonly route: number;
  readonly agents: readonly string[];
  readonly resources: string | undefined;
}

/** The servers that rows go to. */
export class Destinations {
  /** The distinct routes, in order of first use. */
  readonly routes: Route[] = [];
  readonly #topology: Topology;
  readonly #waived: boolean;
  readonly #named: string | null;
  readonly #indexes = new Map<string, number>();
  readonly #agents = new Map<string, number>();
  readonly #servers = new Map<string, Server>();
  /** Pairs known to be allowed: agent to resources servers. */
  readonly #allowed = new Map<string, Set<string>>();

  /**
   * Pairings go unchecked when `waived`, or when the servers' configuration sets `allow_unsupported_pairing`.
   *
   * @param named the `agent_name` of the configuration, which no row is to blame for
   */
  constructor(topology: Topology, waived: boolean, named: string | null = null) {
    this.#topology = topology;
    this.#named = named;
    this.#waived = waived || isTrue(topology.setting("allow_unsupported_pairing"));
  }

  /**
   * The route of an agent's rows.
   *
   * @param source the rows' `task_source`
   * @throws {RowFault} when it is not an agent, is unreachable, or is not allowed.
   * @throws {UsageFault} when that is so of `agent_name`.
   */
  ofAgent(agent: string, source: string | undefined): number {
    let route = this.#agents.get(agent);
    if (route === undefined) {
      route = this.#index(agent, () => this.#topology.routeOf(agent));
      this.#checkPairing(agent, this.#resourcesOf(agent), "which it is bound to");
      this.#agents.set(agent, route);
    }
    this.#checkPairing(agent, source, "their task_source");
    return route;
  }

  /**
   * The route of rows for an environment server.
   *
   * @throws {RowFault} when there is no such server, or the row has an agent or a task source of another one.
   */
  ofServer(name: string, { agent, source }: Names): number {
    let server = this.#servers.get(name);
    if (!server) this.#servers.set(name, server = this.#server(name));
    const { route, agents, resources } = server;
    if (agent !== undefined && agents.length > 0 && !agents.includes(agent)) {
      throw new RowFault(
        NOT_OF_SERVER,
        `${JSON.stringify(agent)} is not an agent of ${name}, which has ${agents.join(", ")}`,
        JSON.stringify([name, "agent", agent]),
      );
    }
    if (source !== undefined && resources !== undefined && source !== resources) {
      throw new RowFault(
        NOT_OF_SERVER,
        `${name} works for the resources server ${resources}, not for the task_source ${
          JSON.stringify(source)
        }`,
        JSON.stringify([name, "source", source]),
      );
    }
    return route;
  }

  /** An environment server's own agent, if there are such a server and exactly one such agent. */
  agentOf(server: string): string | undefined {
    const instance = this.#topology.instances.get(server);
    return instance && this.#topology.ownAgent(instance);
  }

  /** An environment server, its own agent checked. */
  #server(name: string): Server {
    const topology = this.#topology;
    const route = this.#index(name, () => topology.routeTo(name));
    const instance = topology.instances.get(name)!;
    const own = topology.ownAgent(instance);
    const resources = topology.reference(instance, "resources_server");
    if (own !== undefined) {
      if (topology.instances.get(own)?.kind !== "responses_api_agents") {
        throw new RowFault(UNREACHABLE, `the agent of ${name}: ${topology.unknownAgent(own)}`, name);
      }
      this.#checkPairing(own, this.#resourcesOf(own), "which it is bound to");
      this.#checkPairing(own, resources, `the resources server of ${name}`);
    }
    return { route, agents: topology.agentsOf(instance), resources };
  }

  #index(subject: string, find: () => Route): number {
    let route: Route;
    try {
      route = find();
    } catch (error) {
      if (!(error instanceof UsageFault)) throw error;
      if (subject === this.#named) {
        throw new UsageFault(
          `agent_name (--agent, -a): ${error.message} Name one of the agents, or give the address of this one ` +
            `with --server ${subject}=URL.`,
        );
      }
      throw new RowFault(UNREACHABLE, error.message.replace(/\.$/, ""), subject);
    }
    let index = this.#indexes.get(route.server);
    if (index === undefined) {
      this.#indexes.set(route.server, index = this.routes.length);
      this.routes.push(route);
    }
    return index;
  }

  #resourcesOf(agent: string): string | undefined {
    return this.#topology.reference(this.#topology.instances.get(agent)!, "resources_server");
  }

  /** What a resources server allows; without a setting, everything. `resources` may name anything. */
  #checkPairing(agent: string, resources: string | undefined, relation: string): void {
    const verifier = resources === undefined ? undefined : this.#topology.instances.get(resources);
    if (this.#waived || verifier?.kind !== "resources_servers") return;
    let allowed = this.#allowed.get(agent);
    if (allowed?.has(verifier.name)) return;
    const refusal = this.#refusal(this.#topology.instances.get(agent)!, verifier, relation);
    if (refusal !== undefined) throw new RowFault(PAIRING, refusal, JSON.stringify([agent, verifier.name]));
    if (!allowed) this.#allowed.set(agent, allowed = new Set());
    allowed.add(verifier.name);
  }

  #refusal(agent: Instance, verifier: Instance, relation: string): string | undefined {
    const names = namesIn(this.#topology, verifier, "allowed_agents");
    // An agent given with --server has no implementation to look up.
    if (names.length === 0 || agent.implementation === "" || names.includes(agent.implementation)) {
      return undefined;
    }
    return `${
      JSON.stringify(agent.name)
    } runs ${agent.implementation}, and ${verifier.name} (${relation}) allows only ` +
      names.join(", ");
  }
}

/** Whether a setting of the servers is on; `${oc.env:NAME}` makes it text. */
function isTrue(value: unknown): boolean {
  return typeof value === "string" ? !["", "0", "false"].includes(value.toLowerCase()) : Boolean(value);
}
