/**
 * Which rollouts a server has to score: the rollouts file read once, its rows told apart by server and put in order,
 * of which only places and identities are kept.
 */
import type { Route } from "../config/topology.ts";
import { RunFault } from "../kit/fault.ts";
import { isBlank } from "../kit/lines.ts";
import { JsonFault } from "../json/scan.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { RowIndex } from "../plan/row_index.ts";
import type { ReadFile } from "../ports/files.ts";
import { readLines } from "../store/read_lines.ts";

/** The rollouts that one server scores. */
export interface Group {
  /** Where the request goes. */
  readonly route: Route;
  /** Where its rows are. */
  readonly rows: RowIndex;
  /** The rows by task index, then rollout index. */
  readonly order: Uint32Array;
}

/**
 * Reads a rollouts file into groups, in the order of the routes. Servers without a row have no group.
 *
 * @param path for messages
 * @throws {RunFault} naming the line that is not JSON or whose server is not among the routes
 */
export function groupsOf(file: ReadFile, path: string, routes: readonly Route[]): Group[] {
  const byServer = new Map(
    routes.map((route, place) => [route.server, { route, place, rows: new RowIndex() }]),
  );
  for (const { bytes, offset, number } of readLines(file)) {
    if (isBlank(bytes)) continue;
    const row = readRow(bytes, `${path}:${number}`);
    const server = serverOf(row);
    const group = byServer.get(server);
    if (!group) {
      throw new RunFault(
        `Cannot score ${path}:${number}: its server ${JSON.stringify(server)} is none of this run's ` +
          `(${routes.map((route) => route.server).join(", ")}).`,
      );
    }
    group.rows.add({
      offset,
      length: bytes.length,
      task: Number(row.value("_ng_task_index")),
      rollout: Number(row.value("_ng_rollout_index")),
      route: group.place,
    });
  }
  return [...byServer.values()].filter((group) => group.rows.size > 0)
    .map(({ route, rows }) => ({ route, rows, order: byIdentity(rows) }));
}

/** The rows of an index by task, then rollout; equal ones in the order of the file. */
export function byIdentity(rows: RowIndex): Uint32Array {
  const { task, rollout } = rows.columns;
  return Uint32Array.from({ length: rows.size }, (_, row) => row)
    .sort((a, b) => task[a]! - task[b]! || rollout[a]! - rollout[b]! || a - b);
}

/** The environment server that ran a row, else its agent, which answers for itself. */
function serverOf(row: JsonObject): string {
  const stamp = row.value("_ng_environment_server");
  if (typeof stamp === "string") return stamp;
  const agent = row.value("agent_ref");
  return typeof agent === "object" && agent !== null && "name" in agent ? String(agent.name) : "";
}

function readRow(bytes: Uint8Array, place: string): JsonObject {
  try {
    return readObject(bytes);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw new RunFault(`Cannot score ${place}: ${fault.message}.`, { cause: fault });
  }
}
