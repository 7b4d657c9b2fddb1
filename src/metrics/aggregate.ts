/**
 * Asks every server for the metrics of its rollouts and writes them to the metrics file. Works from files only, so
 * that it gives the same whoever wrote them and when.
 */
import type { Route } from "../config/topology.ts";
import { join, toJson } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { RunFault } from "../kit/fault.ts";
import type { Files, ReadFile } from "../ports/files.ts";
import type { Wire } from "../ports/wire.ts";
import type { GroupMetrics } from "../collect/tally.ts";
import { type Group, groupsOf } from "./groups.ts";
import { strip } from "./strip.ts";

/** Keys of a server's answer that go into the metrics file, in this order; lists that are absent are written empty. */
const KEPT = ["agent_metrics", "key_metrics", "group_level_metrics", "repeat_level_metrics", "perf_summary"];
const EMPTY: Readonly<Record<string, Uint8Array>> = {
  agent_metrics: toJson({}),
  key_metrics: toJson({}),
  group_level_metrics: toJson([]),
  repeat_level_metrics: toJson([]),
};

/** The body of a request is sent in chunks of about this size. */
const CHUNK = 1 << 16;

/** What aggregation works with. */
export interface AggregateTools {
  /** The file system. */
  readonly files: Files;
  /** Sends. */
  readonly wire: Wire;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/**
 * Scores the rollouts file and writes the metrics file, whole or not at all. All servers are asked at once. With no
 * rollouts nothing is asked and no file is written.
 *
 * @throws {RunFault} naming the server that did not answer as it should; the rollouts are untouched
 */
export async function aggregate(
  paths: { readonly rollouts: string; readonly metrics: string; readonly metricsNew: string },
  routes: readonly Route[],
  { files, wire, signal }: AggregateTools,
): Promise<GroupMetrics[]> {
  const file = files.read(paths.rollouts);
  try {
    const groups = groupsOf(file, paths.rollouts, routes);
    if (groups.length === 0) return [];
    const answers = await Promise.all(groups.map((group) => ask(group, file, wire, signal)));
    const labels = labelsOf(groups.map((group) => group.route));
    const entries = groups.map(({ route }, k) => entry(route, labels[k]!, answers[k]!));
    await write(files, paths, entries);
    return groups.map(({ rows }, k) => ({
      label: labels[k]!,
      rows: rows.size,
      key_metrics: (answers[k]!.value("key_metrics") ?? {}) as Record<string, unknown>,
    }));
  } finally {
    file.close();
  }
}

/**
 * What each group is called: its agent's name when that agent ran behind one of these servers only and no server
 * has the name itself, else the server's own name.
 */
export function labelsOf(routes: readonly Route[]): string[] {
  return routes.map((route) => {
    const { agent, server } = route;
    const alone = routes.filter((other) => other.agent === agent).length === 1 &&
      !routes.some((other) => other !== route && other.server === agent);
    return agent !== undefined && alone ? agent : server;
  });
}

async function ask(group: Group, file: ReadFile, wire: Wire, signal: AbortSignal): Promise<JsonObject> {
  const url = `${group.route.url}/aggregate_metrics`;
  const wrong = (what: string, cause?: unknown) =>
    new RunFault(
      `No metrics from server ${group.route.server}: ${url} ${what}. The rollouts are complete and kept; mend the ` +
        `server, then run the same command with --resume to ask again.`,
      { cause },
    );
  const answer = await wire.post({ url, body: requestBody(group, file), signal });
  if (answer.kind === "aborted") throw new RunFault("Stopped before the metrics were there.");
  if (answer.kind !== "answered") throw wrong(`could not be asked: ${answer.reason}`);
  if (answer.broken !== undefined) throw wrong(`broke off its answer: ${answer.broken}`);
  if (answer.status < 200 || answer.status > 299) {
    throw wrong(`answered ${answer.status}: ${new TextDecoder().decode(answer.body.subarray(0, 200))}`);
  }
  try {
    return readObject(answer.body);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw wrong(`answered with what is not a JSON object: ${fault.message}`, fault);
  }
}

async function* requestBody(group: Group, file: ReadFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { offset, length } = group.rows.columns;
  let pieces: Uint8Array[] = [new TextEncoder().encode('{"verify_responses":[')], size = 0;
  for (const [place, row] of group.order.entries()) {
    const bytes = new Uint8Array(length[row]!);
    if (file.readAt(bytes, offset[row]!) < bytes.length) {
      throw new RunFault("The rollouts file was cut short.");
    }
    if (place > 0) pieces.push(toComma());
    for (const piece of strip(readObject(bytes))) {
      pieces.push(piece);
      size += piece.length;
    }
    if (size < CHUNK) continue;
    yield join(pieces);
    pieces = [];
    size = 0;
  }
  yield join([...pieces, new TextEncoder().encode("]}")]);
}

function toComma(): Uint8Array {
  return new Uint8Array([0x2c]);
}

/** One entry of the metrics file; what the server computed is copied as bytes. */
function entry(route: Route, label: string, answer: JsonObject): Uint8Array {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [encoder.encode(`{"agent_ref":${JSON.stringify({ name: label })}`)];
  // An agent that was called directly, as older Gym does, is no environment server: the key stays away.
  if (route.resultType !== undefined) {
    pieces.push(encoder.encode(`,"_ng_environment_server":${JSON.stringify(route.server)}`));
  }
  for (const name of KEPT) {
    const raw = answer.raw(name) ?? EMPTY[name];
    if (raw) pieces.push(encoder.encode(`,${JSON.stringify(name)}:`), raw);
  }
  return join([...pieces, encoder.encode("}")]);
}

async function write(
  files: Files,
  { metrics, metricsNew }: { readonly metrics: string; readonly metricsNew: string },
  entries: readonly Uint8Array[],
): Promise<void> {
  const encoder = new TextEncoder();
  files.remove(metricsNew);
  const file = files.append(metricsNew);
  try {
    const text = join([
      encoder.encode("[\n"),
      ...entries.flatMap((entry, k) => k ? [encoder.encode(",\n"), entry] : [entry]),
      encoder.encode("\n]\n"),
    ]);
    for (let at = 0; at < text.length;) at += file.write(text.subarray(at));
    await file.sync();
  } finally {
    file.close();
  }
  files.rename(metricsNew, metrics);
}
