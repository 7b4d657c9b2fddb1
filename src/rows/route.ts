/** Which agents a row is run with, by its own names, `agent_map` and `fan_out`. */
import { isNull, isObject } from "../json/kind.ts";
import type { RowsConfig } from "../config/config.ts";
import { list } from "../kit/fault.ts";
import { type Kind, RowFault, shown } from "./problems.ts";
import { agentRef, type Row } from "./row.ts";
import { KEYS } from "../record/keys.ts";

const NO_AGENT: Kind = {
  heading: "Rows with neither an agent (agent_ref.name) nor a task_source, which no agent_map entry is for",
  advice: "Give agent_name, or agent_map with _default, or rows with an agent_ref or a task_source.",
};
const BAD_NAMES: Kind = {
  heading: "agent_ref must be an object whose `name` is a string, and task_source a string",
  advice: "",
};

/** The keys of a configuration that choose agents. */
export type RouteConfig = Pick<RowsConfig, "agent_name" | "agent_map" | "fan_out">;

/** The names in a row. */
export interface Names {
  /** Its `agent_ref.name`. */
  readonly agent: string | undefined;
  /** Its `task_source`. */
  readonly source: string | undefined;
}

/** Where a row goes. */
export interface Routed {
  /** The row's routing key, from before any map changed it; `undefined` when only `_default` matched it. */
  readonly key: string | undefined;
  /** The agent that the row itself now names, if any. */
  readonly agent: string | undefined;
  /** The agents to run it with; `undefined` if its task source is still to be resolved, or its server decides. */
  readonly targets: readonly (string | undefined)[];
}

/** The names in a row. `null` counts as none. @throws {RowFault} when they are not names. */
export function namesOf(row: Row): Names {
  return { agent: agentOf(row), source: sourceOf(row) };
}

function agentOf(row: Row): string | undefined {
  const raw = row.raw(KEYS.agent);
  if (!raw || isNull(raw)) return undefined;
  if (!isObject(raw)) throw new RowFault(BAD_NAMES, "agent_ref is not an object");
  const { name } = row.value(KEYS.agent) as { name?: unknown };
  if (name === undefined || name === null) return undefined;
  if (typeof name !== "string") throw new RowFault(BAD_NAMES, `agent_ref.name is ${shown(name)}`);
  return name;
}

function sourceOf(row: Row): string | undefined {
  const raw = row.raw(KEYS.source);
  if (!raw || isNull(raw)) return undefined;
  const source = row.value(KEYS.source);
  if (typeof source !== "string") throw new RowFault(BAD_NAMES, `task_source is ${shown(source)}`);
  return source;
}

/** The route of a row that has an environment server: neither `agent_map` nor `fan_out` applies. */
export function serverRoute(server: string, taskset: string | undefined, names: Names): Routed {
  return { key: taskset ?? names.source ?? server, agent: names.agent, targets: [undefined] };
}

/** Routes rows by their agents and task sources. */
export class Router {
  /** Contradictions in the configuration; if there are any, nothing may be routed. */
  readonly problems: readonly string[];
  readonly #agents: ReadonlyMap<string, string>;
  readonly #default: string | undefined;
  readonly #fanOut: ReadonlyMap<string, readonly string[]>;
  /** Rows by the pair of names, old and new, as JSON. */
  readonly #replaced = new Map<string, number>();

  /** `agent_name` is another way to write `agent_map._default`. */
  constructor(config: RouteConfig) {
    const agents = new Map(Object.entries(config.agent_map ?? {}));
    const byMap = agents.get("_default") ?? undefined;
    const problems: string[] = [];
    if (config.agent_name !== null && byMap !== undefined && byMap !== config.agent_name) {
      problems.push(
        `agent_name is ${JSON.stringify(config.agent_name)} and agent_map._default is ` +
          `${JSON.stringify(byMap)}: both say where all rows go. Set only one of them.`,
      );
    }
    this.#default = config.agent_name ?? byMap;
    agents.delete("_default");
    this.#agents = agents;
    this.#fanOut = new Map(Object.entries(config.fan_out ?? {}));
    for (const [key, targets] of this.#fanOut) {
      const twice = targets.filter((name, i) => targets.indexOf(name) !== i);
      if (targets.length === 0) {
        problems.push(
          `fan_out.${key} is an empty list, which would drop its rows. List an agent, or leave it out.`,
        );
      } else if (twice.length > 0) {
        problems.push(
          `fan_out.${key} lists ${[...new Set(twice)].join(", ")} more than once. ` +
            `Each agent runs every row once; num_repeats is for more.`,
        );
      }
    }
    this.problems = problems;
  }

  /**
   * Where the row goes. An `agent_map` entry for its agent, else its task source, else `_default`, replaces its
   * `agent_ref`; `fan_out` uses the name it had before.
   *
   * @throws {RowFault} when the row has no name and no entry matches it.
   */
  route(row: Row, { agent, source }: Names): Routed {
    const key = agent ?? source;
    const mapped = this.#mapped(agent) ?? this.#mapped(source) ?? this.#default;
    if (mapped !== undefined) {
      if (agent !== undefined && agent !== mapped) this.#count(agent, mapped);
      row.set(KEYS.agent, agentRef(mapped));
      agent = mapped;
    }
    const fanned = key === undefined ? undefined : this.#fanOut.get(key);
    if (fanned) return { key, agent, targets: fanned };
    if (agent === undefined && source === undefined) throw new RowFault(NO_AGENT, "");
    return { key, agent, targets: [agent] };
  }

  /** One warning that lists the agents that rows named and `agent_map` replaced. */
  warnings(): string[] {
    if (this.#replaced.size === 0) return [];
    const pairs = [...this.#replaced].map(([pair, rows]) => {
      const [from, to] = JSON.parse(pair) as [string, string];
      return `${from} → ${to} (${rows} ${rows === 1 ? "row" : "rows"})`;
    });
    return [`agent_map (or agent_name) replaced agents that rows name themselves:${list(pairs)}`];
  }

  #mapped(name: string | undefined): string | undefined {
    return name === undefined ? undefined : this.#agents.get(name) ?? undefined;
  }

  #count(from: string, to: string): void {
    const pair = JSON.stringify([from, to]);
    this.#replaced.set(pair, (this.#replaced.get(pair) ?? 0) + 1);
  }
}
