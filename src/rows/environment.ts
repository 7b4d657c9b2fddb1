/**
 * Which environment server gets a row, if the row itself or the routing mode says so. The server is
 * stamped on the row; a row without a stamp goes to the environment server in front of its agent.
 */
import { isNull, isObject } from "../json/kind.ts";
import type { RowsConfig } from "../config/config.ts";
import type { Topology } from "../config/topology.ts";
import { toJson } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { suggestion } from "../kit/nearest.ts";
import { entry } from "../config/nested.ts";
import { type Kind, RowFault, shown } from "./problems.ts";
import { type Row } from "./row.ts";
import { KEYS } from "../record/keys.ts";

const NO_ROUTE: Kind = {
  heading: "Tasksets without an environment server",
  advice: "Name one for each in environment_server_routes.",
};
const FLAT_REFUSED: Kind = {
  heading:
    "environment_routing_mode=taskset takes materialized task rows only (task_id.taskset and task_input); " +
    "these are not",
  advice: "With environment_routing_mode=agent both kinds may be in one input.",
};
const BAD_STAMP: Kind = { heading: `${KEYS.server} must be the name of an environment server`, advice: "" };
const NOT_FOR_TASK_ROWS: Kind = {
  heading: "Settings that do not apply to materialized task rows, whose request is their task_input",
  advice: "Leave them out, or leave these rows out.",
};

/** The keys of a configuration that choose environment servers. */
export type EnvironmentConfig = Pick<
  RowsConfig,
  "environment_routing_mode" | "environment_server_name" | "environment_server_routes"
>;

/**
 * The taskset of a materialized task row: one with an object `task_id` whose `taskset` is a non-empty string, and
 * a member `task_input` of any kind. `undefined` for every other row, which Gym calls flat.
 */
export function tasksetOf(row: Pick<JsonObject, "has" | "raw">): string | undefined {
  const id = row.raw(KEYS.taskId);
  if (!id || !isObject(id) || !row.has(KEYS.taskInput)) return undefined;
  const taskset = readObject(id).value("taskset");
  return typeof taskset === "string" && taskset !== "" ? taskset : undefined;
}

/** Whether a row is a materialized task row, whose request is an episode request. */
export function isTaskRow(row: Pick<JsonObject, "has" | "raw">): boolean {
  return tasksetOf(row) !== undefined;
}

export class Environments {
  /** Contradictions in the configuration; if there are any, nothing may be stamped. */
  readonly problems: readonly string[];
  readonly #config: EnvironmentConfig;
  readonly #routes: ReadonlyMap<string, string>;
  readonly #stamps = new Map<string, Uint8Array>();

  /** Routes of the head server's configuration count too; the run's own win. */
  constructor(config: EnvironmentConfig, topology: Topology) {
    this.#config = config;
    this.#routes = new Map([
      ...routesOf(topology),
      ...Object.entries(config.environment_server_routes ?? {}),
    ]);
    const problems: string[] = [];
    const mode = config.environment_routing_mode;
    if (mode === "legacy" && !config.environment_server_name) {
      problems.push("environment_routing_mode=legacy needs environment_server_name: it gets every flat row.");
    }
    if (mode === "taskset" && this.#routes.size === 0) {
      problems.push("environment_routing_mode=taskset needs environment_server_routes: taskset to server.");
    }
    this.problems = problems;
  }

  /**
   * Stamps the row with its environment server and returns it; `undefined` when it goes where its agent is. A
   * stamp already on the row stays and wins.
   *
   * @throws {RowFault} when a taskset has no route, or the mode does not accept the row.
   */
  stamp(row: Row, taskset: string | undefined): string | undefined {
    const mode = this.#config.environment_routing_mode;
    if (taskset === undefined && mode === "taskset") throw new RowFault(FLAT_REFUSED, "");
    const own = stampOf(row);
    if (own !== undefined) return own;
    const server = taskset !== undefined
      ? this.#serverOf(taskset)
      : mode === "legacy"
      ? this.#config.environment_server_name!
      : undefined;
    if (server === undefined) return undefined;
    let json = this.#stamps.get(server);
    if (!json) this.#stamps.set(server, json = toJson(server));
    row.set(KEYS.server, json);
    return server;
  }

  #serverOf(taskset: string): string {
    const server = this.#routes.get(taskset);
    if (server !== undefined) return server;
    const there = [...this.#routes.keys()];
    const known = there.length ? `environment_server_routes has ${there.join(", ")}` : "there are no routes";
    throw new RowFault(
      NO_ROUTE,
      `${JSON.stringify(taskset)}${suggestion(taskset, there)}; ${known}`,
      taskset,
    );
  }
}

/** Refuses settings that would have to change a materialized task row. @throws {RowFault} naming them. */
export function refuseForTaskRow(settings: readonly string[]): void {
  const names = settings.join(", ");
  if (names !== "") throw new RowFault(NOT_FOR_TASK_ROWS, names, names);
}

function stampOf(row: Row): string | undefined {
  const raw = row.raw(KEYS.server);
  if (!raw || isNull(raw)) return undefined;
  const name = row.value(KEYS.server);
  if (typeof name !== "string" || name === "") throw new RowFault(BAD_STAMP, `it is ${shown(name)}`);
  return name;
}

function routesOf(topology: Topology): [string, string][] {
  const routes = topology.setting("environment_server_routes");
  if (typeof routes !== "object" || routes === null) return [];
  return Object.keys(routes).map((taskset) => [
    taskset,
    String(entry(topology, "environment_server_routes", routes as Record<string, unknown>, taskset)),
  ]);
}
