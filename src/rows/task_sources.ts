/** The agent of a row that has only a `task_source`, as the servers' configuration has it. */
import type { Instance, Topology } from "../config/topology.ts";
import { suggestion } from "../kit/nearest.ts";
import { entry, mapsIn } from "../config/nested.ts";
import { type Kind, RowFault } from "./problems.ts";

const UNRESOLVED: Kind = {
  heading: "Task sources that cannot be resolved to an agent",
  advice:
    "Start the servers that these rows are for, or say which agent with agent_map={TASK_SOURCE: AGENT}.",
};

/** Task sources, resolved once each. */
export class Sources {
  readonly #topology: Topology;
  readonly #agents = new Map<string, string>();

  /** Looks up sources among these servers. */
  constructor(topology: Topology) {
    this.#topology = topology;
  }

  /**
   * The agent for a task source: the agent of that name; or for a resources server the agent that its datasets
   * pin, else the only agent that uses it.
   *
   * @throws {RowFault} when there is none, or several, or the pins disagree.
   */
  agentOf(source: string): string {
    let agent = this.#agents.get(source);
    if (agent === undefined) this.#agents.set(source, agent = this.#resolve(source));
    return agent;
  }

  #resolve(source: string): string {
    const refuse = (why: string) => new RowFault(UNRESOLVED, `${JSON.stringify(source)} ${why}`, source);
    const topology = this.#topology;
    const instance = topology.instances.get(source);
    if (!instance) {
      if (topology.setting(source) !== undefined) {
        throw refuse("is in the configuration, but is not a server");
      }
      throw refuse(`is not in the configuration${suggestion(source, topology.instances.keys())}`);
    }
    if (instance.kind !== "responses_api_agents" && instance.kind !== "resources_servers") {
      throw refuse(`is one of the ${instance.kind}, and only agents and resources servers have tasks`);
    }
    const pins = this.#pins(instance);
    if (pins.length > 1) throw refuse(`has datasets that pin different agents: ${pins.join(", ")}`);
    const [pin] = pins;
    if (instance.kind === "responses_api_agents") {
      if (pin === undefined || pin === source) return source;
      throw refuse(`is an agent whose dataset pins another one, ${pin}, which its rows would not reach`);
    }
    const users = this.#usersOf(source);
    const used = users.length ? `those that do: ${users.join(", ")}` : "no agent does";
    if (pin !== undefined) {
      if (users.includes(pin)) return pin;
      throw refuse(`has a dataset that pins ${pin}, which is not an agent that uses it; ${used}`);
    }
    if (users.length === 1) return users[0]!;
    throw refuse(
      users.length === 0
        ? "is used by no agent (none has it as its resources_server)"
        : `is used by several agents: ${users.join(", ")}`,
    );
  }

  /** The agents that the datasets of an instance name, each once. */
  #pins(instance: Instance): string[] {
    const pins = mapsIn(this.#topology, instance, "datasets")
      .map((dataset) => entry(this.#topology, `${instance.name}.datasets`, dataset, "agent"));
    return [...new Set(pins)].filter((pin) => typeof pin === "string");
  }

  /** The agents whose `resources_server` is this one. */
  #usersOf(resources: string): string[] {
    return this.#topology.names("responses_api_agents").filter((agent) =>
      this.#topology.reference(this.#topology.instances.get(agent)!, "resources_server") === resources
    );
  }
}
