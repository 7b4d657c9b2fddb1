/**
 * Who scores a line: the environment server that it is stamped with, otherwise the one in front of its agent. The book
 * numbers names as they appear and works out at the end which of them form one group.
 */
import { KEYS } from "../record/keys.ts";
import type { Route } from "../config/topology.ts";
import type { JsonObject } from "../json/object.ts";
import { UsageFault } from "../kit/fault.ts";
import type { Scorers } from "../plan/scorers.ts";

/** The number of a line that names neither a server nor an agent: nothing scores it. */
export const NOBODY = 0;

/** Lines that are scored together. */
export interface Group {
  /** The server's name, or the agent's if only that is known. */
  readonly server: string;
  /** Whether it is an environment server, as opposed to an agent that is called directly. */
  readonly isEnvironment: boolean;
  /** Where it is asked; absent when there is no server to ask. */
  readonly route?: Route;
  /** Why it cannot be asked although it should be. */
  readonly problem?: string;
}

/** A name found in lines. */
interface Name {
  readonly text: string;
  readonly isStamp: boolean;
  /** For an agent: the servers that its stamped lines named. */
  readonly servers: Set<string>;
}

const MOST = 0xffff;
const decoder = new TextDecoder();

export class GroupBook {
  readonly #scorers: Scorers | null;
  /** By number, from 1. */
  readonly #names: Name[] = [];
  readonly #numbers = { stamp: new Map<string, number>(), agent: new Map<string, number>() };
  /** Agents' names by the bytes of their `agent_ref`. */
  readonly #agents = new Map<string, string | undefined>();

  /** @param scorers null when no server is to be asked */
  constructor(scorers: Scorers | null) {
    this.#scorers = scorers;
  }

  /** The number of whoever scores a line. */
  numberOf(line: JsonObject): number {
    const stamp = line.value(KEYS.server);
    if (typeof stamp !== "string" || this.#answersForItself(line)) {
      const agent = this.agentOf(line);
      return agent === undefined ? NOBODY : this.#number("agent", agent);
    }
    // Without a configuration, only the lines show which server is in front of an agent.
    if (!this.#scorers) {
      const agent = this.agentOf(line);
      if (agent !== undefined) this.#names[this.#number("agent", agent) - 1]!.servers.add(stamp);
    }
    return this.#number("stamp", stamp);
  }

  /**
   * Whether a line is of an agent that is called directly. rollcall stamps no server on its results, so a stamp there
   * came from the server and is not trusted.
   */
  #answersForItself(line: JsonObject): boolean {
    const agent = this.#scorers ? this.agentOf(line) : undefined;
    if (agent === undefined || !Object.hasOwn(this.#scorers!.byAgent, agent)) return false;
    const route = this.#scorers!.byAgent[agent];
    return typeof route === "number" && this.#scorers!.routes[route]!.resultType === undefined;
  }

  /** The agent that a line names, if any. */
  agentOf(line: JsonObject): string | undefined {
    const raw = line.raw(KEYS.agent);
    if (!raw) return undefined;
    const text = decoder.decode(raw);
    if (this.#agents.has(text)) return this.#agents.get(text);
    const ref = JSON.parse(text);
    const name = typeof ref?.name === "string" && ref.name !== "" ? ref.name : undefined;
    if (this.#agents.size < MOST) this.#agents.set(text, name);
    return name;
  }

  /** The groups, and for each number from 1 the index of its group among them. */
  close(): { readonly groups: readonly Group[]; readonly groupIndexes: readonly number[] } {
    const groups: Group[] = [], byServer = new Map<string, number>();
    const groupIndexes = this.#names.map((name) => {
      const group = this.#groupOf(name);
      let index = byServer.get(group.server);
      if (index === undefined) byServer.set(group.server, index = groups.push(group) - 1);
      // One stamped line shows that what other lines call by its agent's name is an environment server.
      else if (group.isEnvironment) groups[index] = { ...groups[index]!, isEnvironment: true };
      return index;
    });
    return { groups, groupIndexes };
  }

  #number(kind: "stamp" | "agent", text: string): number {
    let number = this.#numbers[kind].get(text);
    if (number === undefined) {
      if (this.#names.length === MOST) {
        throw new UsageFault(`Cannot score these rollouts: they name more than ${MOST} servers and agents.`);
      }
      number = this.#names.push({ text, isStamp: kind === "stamp", servers: new Set() });
      this.#numbers[kind].set(text, number);
    }
    return number;
  }

  #groupOf({ text, isStamp, servers }: Name): Group {
    if (!this.#scorers) {
      const [server] = servers;
      if (isStamp) return { server: text, isEnvironment: true };
      return servers.size === 1
        ? { server: server!, isEnvironment: true }
        : { server: text, isEnvironment: false };
    }
    const { routes, byServer, byAgent } = this.#scorers;
    const table = isStamp ? byServer : byAgent;
    const found = Object.hasOwn(table, text) ? table[text] : undefined;
    if (typeof found === "number") {
      const route = routes[found]!;
      return { server: route.server, isEnvironment: isStamp || route.resultType !== undefined, route };
    }
    const known = routes.map(({ server }) => server).join(", ") || "none";
    return {
      server: text,
      isEnvironment: isStamp,
      problem: `${isStamp ? "environment server" : "agent"} ${JSON.stringify(text)}: ` +
        (found ?? `it is not in the configuration, which has ${known}`),
    };
  }
}
