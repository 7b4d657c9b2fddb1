/**
 * The servers of a Gym configuration and how they hang together: which agents there are, which environment
 * server fronts which agent, and where each is reached. Pure: built from the configuration a head server
 * answers and the servers named on the command line.
 */
import { UsageFault } from "../kit/fault.ts";
import { isHost } from "../kit/host.ts";
import { suggestion } from "../kit/nearest.ts";
import { resolve } from "./interpolation.ts";
import type { Env } from "../ports/env.ts";
import { shown } from "./value_errors.ts";

/** The kinds of server that a Gym configuration declares, as they are spelled in it. */
export const KINDS = [
  "responses_api_agents",
  "resources_servers",
  "responses_api_models",
  "environment_servers",
] as const;

/** One of {@link KINDS}. */
export type Kind = typeof KINDS[number];

/** One server instance: a top-level key `NAME: {KIND: {IMPLEMENTATION: {host, port, …}}}`. */
export interface Instance {
  /** The top-level key it stands under. */
  readonly name: string;
  /** What kind of server it is. */
  readonly kind: Kind;
  /** The name of its implementation; empty for an agent that was only named on the command line. */
  readonly implementation: string;
  /** What stands inside the implementation, references unresolved. */
  readonly block: Readonly<Record<string, unknown>>;
}

/** Where the rows of an agent go. */
export interface Route {
  /** The name of the server that gets the calls. */
  readonly server: string;
  /** Its base URL, without a slash at the end. */
  readonly url: string;
  /** The environment server's implementation name, stamped on results; absent when an agent is called directly. */
  readonly resultType?: string;
  /** The agent to whom what this server did is attributed; absent when it has none or several. */
  readonly agent?: string;
}

/** A reference from one server's block to another: `{type: KIND, name: NAME}`. */
interface Reference {
  readonly type: string;
  readonly name: string;
}

export class Topology {
  /** All instances by name, in the order of the configuration. */
  readonly instances: ReadonlyMap<string, Instance>;
  /** Base URLs given by hand, by server name. */
  readonly #given: ReadonlyMap<string, string>;
  readonly #config: Record<string, unknown>;
  readonly #env: Env;

  /**
   * Reads the servers out of a configuration; addresses and references are looked at when they are needed.
   *
   * @param config the merged configuration, `{}` without a head server
   * @param given server names to base URLs; a name that the configuration lacks becomes an agent
   * @param env rollcall's own environment, for `${oc.env:…}`
   */
  constructor(config: Record<string, unknown>, given: Readonly<Record<string, string>>, env: Env) {
    this.#config = config;
    this.#env = env;
    this.#given = new Map(Object.entries(given).map(([name, url]) => [name, baseUrl(name, url)]));
    const instances = new Map<string, Instance>();
    for (const [name, value] of Object.entries(config)) {
      const instance = asInstance(name, value);
      if (instance) instances.set(name, instance);
    }
    for (const name of this.#given.keys()) {
      if (instances.has(name)) continue;
      instances.set(name, { name, kind: "responses_api_agents", implementation: "", block: {} });
    }
    this.instances = instances;
  }

  /** The names of all instances of a kind. */
  names(kind: Kind): string[] {
    return [...this.instances.values()].filter((i) => i.kind === kind).map((i) => i.name);
  }

  /** A top-level value of the configuration, resolved; `undefined` if it is not there. */
  setting(key: string): unknown {
    return Object.hasOwn(this.#config, key) ? this.#resolved(this.#config[key], key) : undefined;
  }

  /** A value inside an instance's block, resolved. */
  field(instance: Instance, key: string): unknown {
    const where = `${instance.name}.${instance.kind}.${instance.implementation}.${key}`;
    return Object.hasOwn(instance.block, key) ? this.#resolved(instance.block[key], where) : undefined;
  }

  /** The name behind a reference field of a block (`{type, name}`), or `undefined` if there is none. */
  reference(instance: Instance, key: string): string | undefined {
    const value = this.field(instance, key);
    return isReference(value)
      ? String(this.#resolved(value.name, `${instance.name}.${key}.name`))
      : undefined;
  }

  /** The agents that an environment server fronts: its `agent_server`, or any other field that refers to an agent. */
  agentsOf(server: Instance): string[] {
    const names: string[] = [];
    for (const [key, value] of Object.entries(server.block)) {
      const written = this.#mayName(server, key, value);
      if (!isReference(written)) continue;
      const type = this.#resolved(written.type, `${server.name}.${key}.type`);
      if (key !== "agent_server" && type !== "responses_api_agents") continue;
      const name = this.reference(server, key)!;
      if (!names.includes(name)) names.push(name);
    }
    return names;
  }

  /** A field of a block if it can name an agent: a map, or a reference to one. Others must not get in the way. */
  #mayName(server: Instance, key: string, value: unknown): unknown {
    if (typeof value !== "string" || !/^\$\{[^:}]+\}$/.test(value)) return value;
    try {
      return this.field(server, key);
    } catch (error) {
      if (key === "agent_server" || !(error instanceof UsageFault)) throw error;
      return undefined;
    }
  }

  /** The environment servers that front an agent. */
  environmentsOf(agent: string): Instance[] {
    return [...this.instances.values()].filter((i) =>
      i.kind === "environment_servers" && this.agentsOf(i).includes(agent)
    );
  }

  /** Whether the configuration knows environment servers at all; Gym before 0.7 did not. */
  get hasEnvironmentServers(): boolean {
    return this.names("environment_servers").length > 0;
  }

  /**
   * Where an agent's rows go: to the one environment server that fronts it, or to the agent itself where the
   * configuration has no environment servers or the agent was named on the command line only.
   *
   * @throws {UsageFault} when no such agent exists, or none or several environment servers front it.
   */
  routeOf(agent: string): Route {
    const instance = this.instances.get(agent);
    if (!instance || instance.kind !== "responses_api_agents") throw new UsageFault(this.unknownAgent(agent));
    if (!this.hasEnvironmentServers || instance.implementation === "") {
      return { server: agent, url: this.urlOf(agent), agent };
    }
    const fronts = this.environmentsOf(agent);
    if (fronts.length === 1) return this.routeTo(fronts[0]!.name);
    const there = fronts.length === 0
      ? `no environment server fronts it; there are: ${listed(this.names("environment_servers"))}`
      : `several environment servers front it: ${listed(fronts.map((i) => i.name))}`;
    throw new UsageFault(
      `Cannot route rows of agent ${
        JSON.stringify(agent)
      }: ${there}. Exactly one must (its agent_server names the agent).`,
    );
  }

  /**
   * The route straight to an environment server, or to a server that was named on the command line only and may
   * be one.
   *
   * @throws {UsageFault} when there is no such server.
   */
  routeTo(server: string): Route {
    const instance = this.instances.get(server);
    if (instance?.implementation === "") return { server, url: this.urlOf(server) };
    if (!instance || instance.kind !== "environment_servers") {
      const names = this.names("environment_servers");
      throw new UsageFault(
        `There is no environment server ${JSON.stringify(server)}${suggestion(server, names)}. ` +
          `The configuration has: ${listed(names) || "none"}.`,
      );
    }
    const agent = this.ownAgent(instance);
    return {
      server,
      url: this.urlOf(server),
      resultType: instance.implementation,
      ...(agent === undefined ? {} : { agent }),
    };
  }

  /** An environment server's own agent: its `agent_server`, else the only agent that it refers to. */
  ownAgent(server: Instance): string | undefined {
    const own = this.reference(server, "agent_server");
    if (own !== undefined) return own;
    const agents = this.agentsOf(server);
    return agents.length === 1 ? agents[0] : undefined;
  }

  /** What to say of a name that is not an agent's. */
  unknownAgent(name: string): string {
    const agents = this.names("responses_api_agents");
    const other = this.instances.get(name);
    const what = other
      ? `${JSON.stringify(name)} is not an agent but one of the ${other.kind}`
      : `There is no agent ${JSON.stringify(name)}${suggestion(name, agents)}`;
    return `${what}. The agents are: ${listed(agents) || "none"}.`;
  }

  /** A server's base URL. @throws {UsageFault} when neither the configuration nor the command line gives one. */
  urlOf(name: string): string {
    const given = this.#given.get(name);
    if (given !== undefined) return given;
    const instance = this.instances.get(name);
    const host = instance && (this.field(instance, "host") ?? this.setting("default_host"));
    const port = instance && this.field(instance, "port");
    if (typeof host !== "string" || port === undefined || port === null) {
      throw new UsageFault(
        `The server ${JSON.stringify(name)} has no host and port in the configuration. Is it running? ` +
          `Its address can be given with --server ${name}=http://HOST:PORT.`,
      );
    }
    return baseUrl(
      name,
      `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`,
    );
  }

  #resolved(value: unknown, key: string): unknown {
    return resolve(value, this.#config, this.#env, key);
  }
}

/** The URL of the server `name` as a base to put `/run` behind. @throws {UsageFault} when it is not one. */
export function baseUrl(name: string, text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new UsageFault(
      `The address of server ${JSON.stringify(name)} must be http://HOST:PORT, got ${
        shown(text.replace(/([?#]).*/s, "$1…"), [])
      }.`,
    );
  }
  if (!isHost(url.hostname)) {
    throw new UsageFault(
      `The address of server "${name}" must be http://HOST:PORT, and ${
        shown(url.hostname, [])
      } is not the name of a host.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Names on one line, whatever is in them. */
function listed(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name).slice(1, -1)).join(", ");
}

function asInstance(name: string, value: unknown): Instance | undefined {
  if (!isMap(value)) return undefined;
  for (const kind of KINDS) {
    const group = value[kind];
    if (!isMap(group)) continue;
    for (const [implementation, block] of Object.entries(group)) {
      if (isMap(block)) return { name, kind, implementation, block };
    }
  }
  return undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isReference(value: unknown): value is Reference {
  return isMap(value) && typeof value.name === "string" &&
    (value.type === undefined || typeof value.type === "string");
}
