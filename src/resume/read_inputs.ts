/**
 * The index over the materialized inputs of an earlier run: where each row is, its identity, and where it goes. Reads
 * only the members it needs.
 */
import { KEYS } from "../record/keys.ts";
import type { Route, Topology } from "../config/topology.ts";
import { readObject, stringOf } from "../json/object.ts";
import { isObject } from "../json/kind.ts";
import { JsonFault } from "../json/scan.ts";
import { isBlank, type TextLine } from "../kit/lines.ts";
import { list, LISTED, UsageFault } from "../kit/fault.ts";
import { RowIndex } from "../plan/row_index.ts";
import { Destinations } from "../rows/destinations.ts";
import { Problems, RowFault } from "../rows/problems.ts";
import { Sources } from "../rows/task_sources.ts";
import { RowLookup } from "../plan/row_lookup.ts";
import { MemberScan } from "../json/member_scan.ts";

/** Gives each row its route. @throws {RowFault} when there is none */
export type Routing = (names: RowNames) => number;

/** The names by which a row is routed. */
export interface RowNames {
  /** The environment server it is stamped with. */
  readonly server: string | undefined;
  /** Its `agent_ref.name`. */
  readonly agent: string | undefined;
  /** Its `task_source`. */
  readonly source: string | undefined;
}

const NO_NAMES = {
  heading: "Rows with neither an environment server nor an agent nor a task_source",
  advice: "Materialized inputs say where each row goes; these were not written by a collector.",
};

/** Routes rows to the servers of a configuration; `routes` grows as rows come. */
export function routingBy(
  topology: Topology,
  pairingWaived: boolean,
): { readonly route: Routing; readonly routes: readonly Route[] } {
  const destinations = new Destinations(topology, pairingWaived), sources = new Sources(topology);
  return {
    routes: destinations.routes,
    route({ server, agent, source }) {
      if (server !== undefined) return destinations.ofServer(server, { agent, source });
      agent ??= source === undefined ? undefined : sources.agentOf(source);
      if (agent === undefined) throw new RowFault(NO_NAMES, "");
      return destinations.ofAgent(agent, source);
    },
  };
}

const TASK = 0, ROLLOUT = 1, SERVER = 2, AGENT = 3, SOURCE = 4;

/** Builds an index from the lines of materialized inputs. */
export class InputsIndex {
  /** The rows so far. */
  readonly index: RowIndex = new RowIndex();
  /** Rows left out because an earlier one has their identity. */
  twins = 0;
  readonly #path: string;
  readonly #route: Routing;
  readonly #identities = new RowLookup(this.index);
  readonly #scan = new MemberScan([
    KEYS.task,
    KEYS.rollout,
    KEYS.server,
    KEYS.agent,
    KEYS.source,
  ]);
  /** Routes by the bytes of the members that determine them; rows have few distinct ones. */
  readonly #known = new Map<string, number>();
  readonly #problems: Problems;
  readonly #bad: string[] = [];
  #badLines = 0;

  constructor(path: string, route: Routing) {
    this.#path = path;
    this.#route = route;
    this.#problems = new Problems(path);
  }

  /** Takes the next line. */
  push({ bytes, offset, number }: TextLine): void {
    const fault = this.#scan.scan(bytes);
    if (fault !== undefined) {
      if (!isBlank(bytes)) this.#addBad(number, fault);
      return;
    }
    const task = this.#scan.wholeNumber(TASK), rollout = this.#scan.wholeNumber(ROLLOUT);
    if (task === undefined || rollout === undefined || rollout < 0 || rollout > 0xffffffff) {
      return this.#addBad(number, "it has no _ng_task_index and _ng_rollout_index that are whole numbers");
    }
    if (this.#identities.find(task, rollout) >= 0) {
      this.twins++;
      return;
    }
    try {
      this.index.add({ offset, length: bytes.length, task, rollout, route: this.#routeOfRow() });
      this.#identities.add(this.index.size - 1);
    } catch (error) {
      if (error instanceof RowFault) this.#problems.add(error, { line: number, task });
      else if (error instanceof JsonFault || error instanceof SyntaxError || error instanceof TypeError) {
        this.#addBad(number, error.message);
      } else throw error;
    }
  }

  /** Ends reading. @throws {UsageFault} that lists everything that is wrong with the rows */
  finish(): void {
    if (this.#badLines > 0) {
      throw new UsageFault(
        `Cannot use ${this.#path}, because some of its lines are not rows:${
          list(this.#bad, this.#badLines)
        }\n` +
          `A run without --resume writes it again. Nothing was touched.`,
      );
    }
    const message = this.#problems.message();
    if (message !== undefined) throw new UsageFault(message);
  }

  #addBad(number: number, fault: string): void {
    this.#badLines++;
    if (this.#bad.length < LISTED) this.#bad.push(`${this.#path}:${number}: ${fault}`);
  }

  #routeOfRow(): number {
    const raws = [SERVER, AGENT, SOURCE].map((member) => this.#scan.raw(member));
    const key = raws.map((raw) => raw ? latin1.decode(raw) : "").join("\n");
    let route = this.#known.get(key);
    if (route === undefined) {
      const [server, agent, source] = raws;
      route = this.#route({
        server: nameOf(server),
        agent: nameOf(isObject(agent) ? readObject(agent).raw("name") : undefined),
        source: nameOf(source),
      });
      this.#known.set(key, route);
    }
    return route;
  }
}

const latin1 = new TextDecoder("latin1");

function nameOf(raw: Uint8Array | undefined): string | undefined {
  return stringOf(raw) || undefined;
}
