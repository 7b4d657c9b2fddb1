/**
 * From rollouts files to the metrics file: reads the shards, decides what is scored, has it scored by the servers or
 * scores it itself, and writes the metrics. Works from files only, so that it gives the same whoever wrote them and
 * when, and for one run as for its shards.
 */
import { isNull } from "../json/kind.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { toJson } from "../json/edit.ts";
import { list, LISTED, RunFault, UsageFault } from "../kit/fault.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { Counting, ScorePaths, ShardPaths } from "../plan/score_plan.ts";
import type { Scorers } from "../plan/scorers.ts";
import type { Files } from "../ports/files.ts";
import type { Wire } from "../ports/wire.ts";
import { askServer } from "./request_metrics.ts";
import { type Coverage, CoverageFold } from "./coverage.ts";
import { type Group, GroupBook } from "../shards/group_book.ts";
import { identities, type Identity, isScored, type Rules, rulesOf } from "../shards/fates.ts";
import { labelsOf } from "./labels.ts";
import { merge, textInto, writeWhole } from "../shards/merge.ts";
import { type OwnInput, ownMetricsInSteps } from "./offline_metrics.ts";
import { type LineRecord, Records } from "../shards/records.ts";
import { scan, type Scanned } from "../shards/scan.ts";
import { scoredRow } from "./scored_row.ts";
import { ShardReader } from "../shards/shard_reader.ts";

/** Keys of a server's answer that go into the metrics file, in this order; lists that are absent are written empty. */
const KEPT = ["agent_metrics", "key_metrics", "group_level_metrics", "repeat_level_metrics", "perf_summary"];
const EMPTY: Readonly<Record<string, Uint8Array>> = {
  agent_metrics: toJson({}),
  key_metrics: toJson({}),
  group_level_metrics: toJson([]),
  repeat_level_metrics: toJson([]),
};
/** Identities between two calls of `breathe`. */
const BREATH = 1 << 17;

/** What is to be scored, and how. */
export interface ScoreRequest {
  /** In the order in which they count. */
  readonly shards: readonly ShardPaths[];
  /** What is written. */
  readonly paths: ScorePaths;
  /** Where the shards' rollouts are merged, or null. */
  readonly merged: Pick<RunPaths, "rollouts" | "rolloutsNew"> | null;
  /** Who scores; null for rollcall itself. */
  readonly scorers: Scorers | null;
  /** What counts without a result. */
  readonly counting: Counting;
  /** Whether inputs and failures are read; of no use where it is known that every rollout has its result. */
  readonly missing: boolean;
}

/** What scoring works with. */
export interface ScoreTools {
  /** The file system. */
  readonly files: Files;
  /** Sends. */
  readonly wire: Wire;
  /** Gives up. */
  readonly signal: AbortSignal;
  /** Called now and then in long work, so that other things get their turn. */
  readonly breathe?: () => Promise<void>;
  /** Told which stage begins, and on how many shards, rows or rollouts, for somebody who waits. */
  readonly begins?: (stage: "reading" | "merging" | "scoring", count: number) => void;
}

/** The metrics of one group. */
export interface GroupMetrics {
  /** The label of the group in the metrics file. */
  readonly label: string;
  /** How many rows were scored. */
  readonly rows: number;
  /** The key metrics, as the server sent them. */
  readonly key_metrics: Readonly<Record<string, unknown>>;
  /** Whether the server computed them, or rollcall in its place. */
  readonly computed_by: "server" | "rollcall";
}

/** What came of it. */
export interface Scored {
  /** Empty when there was nothing to score, and no file was written. */
  readonly metrics: readonly GroupMetrics[];
  /** See {@link Coverage}. */
  readonly coverage: Coverage;
  /** Rows of the rollouts files. */
  readonly rows: number;
  /** Things to know. */
  readonly notes: readonly string[];
}

/**
 * Scores shards and writes the metrics file, and the merged rollouts where that is asked for, each whole or not at
 * all. All servers are asked at once. With nothing to score nothing is asked, and there is no metrics file.
 *
 * @throws {UsageFault} when a line cannot be read or its server cannot be asked; nothing was touched
 * @throws {RunFault} naming the server that did not answer as it should; rollouts that were merged stay merged
 */
export async function score(request: ScoreRequest, tools: ScoreTools): Promise<Scored> {
  const { files, signal, begins = () => {} } = tools;
  const breathe = async () => {
    await tools.breathe?.();
    if (signal.aborted) throw new RunFault("Stopped before the metrics were there.");
  };
  const { shards, scorers, counting } = request;
  const records = new Records(files, request.paths.metricsIndex), reader = new ShardReader(files, shards);
  try {
    const book = new GroupBook(scorers);
    begins("reading", shards.length);
    const scanned = await scan(shards, { files, records, book, breathe }, {
      missing: request.missing,
      fields: counting.classes.length > 0 || counting.missing,
    });
    records.finish();
    const { groups, places } = book.close();
    const rules = rulesOf(counting, { places, classes: scanned.classes });
    const survey = await surveyOf(records, rules, groups, scanned, breathe);
    refuseUnaskable(survey.groups);
    if (request.merged) {
      files.remove(request.paths.metrics); // they are of other rollouts than these will be
      begins("merging", scanned.rows);
      await merge(records, reader, files, request.merged, breathe);
    }

    const scorings = scoringsOf(survey.groups, scanned, places, { records, reader, rules, book });
    begins("scoring", survey.coverage.scored);
    const answers = scorers ? await askAll(scorings, tools) : scorings.map(() => undefined);
    const metrics = await write(files, request.paths, scorings, answers, breathe);
    return {
      metrics,
      coverage: survey.coverage,
      rows: scanned.rows,
      notes: [...notesOf(request, scanned, survey), ...standIns(scorings, answers, scorers)],
    };
  } finally {
    reader.close();
    records.close();
  }
}

/** A group with something to score. */
interface Surveyed extends Group {
  /** Its place among all groups. */
  readonly place: number;
  /** How many rows are scored. */
  rows: number;
  /** What its first row comes from. */
  readonly first: LineRecord;
}

/** Lines of one kind: how many, and the first few. */
interface Counted {
  count: number;
  readonly first: LineRecord[];
}

interface Survey {
  /** By their first rollout. */
  readonly groups: readonly Surveyed[];
  readonly coverage: Coverage;
  readonly nameless: number;
  readonly duplicates: Counted;
  /** Rows with the numbers of one in another shard. */
  readonly shared: Counted;
  readonly unclaimed: number;
}

/** One pass over all identities, which decides everything but reads no row. */
async function surveyOf(
  records: Records,
  rules: Rules,
  groups: readonly Group[],
  { classes, hasInputs }: Scanned,
  breathe: () => Promise<void>,
): Promise<Survey> {
  const fold = new CoverageFold(classes, (place) => groups[place]?.server ?? "no server or agent");
  const surveyed = new Map<number, Surveyed>(), duplicates: Counted = { count: 0, first: [] };
  const shared: Counted = { count: 0, first: [] };
  const count = (counted: Counted, line: LineRecord) => {
    if (counted.count++ < LISTED) counted.first.push(line);
  };
  let unclaimed = 0, seen = 0;
  for (const identity of identities(records, rules)) {
    if (++seen % BREATH === 0) await breathe();
    fold.add(identity);
    const { fate, group: place, line } = identity;
    if (identity.again) count(shared, line);
    if (fate === "unclaimed") unclaimed++;
    else if (fate === "duplicate") {
      count(duplicates, line);
    } else if (isScored(identity)) {
      const group = surveyed.get(place);
      if (group) group.rows++;
      else surveyed.set(place, { ...groups[place]!, place, rows: 1, first: line });
    }
  }
  return {
    groups: [...surveyed.values()],
    coverage: fold.coverage(hasInputs),
    nameless: fold.nameless,
    duplicates,
    shared,
    unclaimed,
  };
}

function refuseUnaskable(groups: readonly Surveyed[]): void {
  const problems = groups.flatMap(({ problem, rows }) => problem ? [`${problem} (${rows} rollouts)`] : []);
  if (problems.length === 0) return;
  throw new UsageFault(
    `Cannot score all rollouts, since some have no server that could:${list(problems)}\n` +
      `Aggregate with the configuration that they were collected with, or with \`rollcall aggregate --offline\`.`,
  );
}

/** A group about to be scored. */
interface Scoring extends Surveyed {
  readonly label: string;
  /** What is sent, read anew for each row; a row is only valid until the next one. */
  readonly rowsInOrder: () => Iterable<JsonObject>;
  /** The same with those that are missing. */
  readonly rollouts: () => Iterable<OwnInput>;
}

function scoringsOf(
  groups: readonly Surveyed[],
  { fields }: Scanned,
  places: readonly number[],
  { records, reader, rules, book }: {
    readonly records: Records;
    readonly reader: ShardReader;
    readonly rules: Rules;
    readonly book: GroupBook;
  },
): Scoring[] {
  const labels = labelsOf(groups.map(({ server, route, first }) => ({
    server,
    agent: book.agentOf(readObject(reader.read(first))) ?? route?.agent,
  })));
  return groups.map((group, k) => {
    const own = new Set<string>();
    for (const [number, names] of fields) {
      if (places[number - 1] === group.place) { for (const name of names) own.add(name); }
    }
    const row = (identity: Identity) => scoredRow(identity, reader, own);
    const ofGroup = function* () {
      for (const identity of identities(records, rules)) if (identity.group === group.place) yield identity;
    };
    return {
      ...group,
      label: labels[k]!,
      *rowsInOrder() {
        for (const identity of ofGroup()) if (isScored(identity)) yield row(identity);
      },
      *rollouts() {
        for (const identity of ofGroup()) {
          if (identity.fate === "duplicate") continue;
          const { task, rollout } = identity.line;
          yield { task, rollout, ...(isScored(identity) ? { row: row(identity) } : {}) };
        }
      },
    };
  });
}

/** The servers' answers; `undefined` of those that have no such route. The first that goes wrong ends the others. */
async function askAll(
  scorings: readonly Scoring[],
  { wire, signal }: ScoreTools,
): Promise<(JsonObject | undefined)[]> {
  const others = new AbortController(), either = AbortSignal.any([signal, others.signal]);
  let fault: unknown;
  const answers = await Promise.all(scorings.map(async ({ route, rowsInOrder }) => {
    try {
      return await askServer(route!, rowsInOrder(), wire, either);
    } catch (error) {
      fault ??= error;
      others.abort();
      return undefined;
    }
  }));
  if (fault) throw fault;
  return answers;
}

async function write(
  files: Files,
  paths: ScorePaths,
  scorings: readonly Scoring[],
  answers: readonly (JsonObject | undefined)[],
  breathe: () => Promise<void>,
): Promise<GroupMetrics[]> {
  if (scorings.length === 0) {
    files.remove(paths.metrics); // of other rollouts than these
    return [];
  }
  const metrics: GroupMetrics[] = [];
  await writeWhole(files, paths.metricsNew, paths.metrics, async (bytes) => {
    const text = textInto(bytes);
    for (const [k, scoring] of scorings.entries()) {
      const answer = answers[k];
      text(k === 0 ? "[\n" : ",\n");
      text(`{"agent_ref":${JSON.stringify({ name: scoring.label })}`);
      // An agent that was called directly, as older Gym does, is no environment server: the key stays away.
      if (scoring.isEnvironment) text(`,"_ng_environment_server":${JSON.stringify(scoring.server)}`);
      const key_metrics = answer ? copy(answer, text, bytes) : await compute(scoring, text, breathe);
      text("}");
      metrics.push({
        label: scoring.label,
        rows: scoring.rows,
        key_metrics,
        computed_by: answer ? "server" : "rollcall",
      });
    }
    text("\n]\n");
  });
  return metrics;
}

/** What the server computed, as the bytes that it sent. */
function copy(
  answer: JsonObject,
  text: (json: string) => void,
  bytes: (bytes: Uint8Array) => void,
): Record<string, unknown> {
  for (const name of KEPT) {
    const sent = answer.raw(name);
    const raw = sent === undefined || isNull(sent) ? EMPTY[name] : sent; // null is no part, as in Gym
    if (!raw) continue;
    text(`,${JSON.stringify(name)}:`);
    bytes(raw);
  }
  return (answer.value("key_metrics") ?? {}) as Record<string, unknown>;
}

/** What rollcall computes; the tasks come first, as they are written while they are computed. */
async function compute(
  { rollouts }: Scoring,
  text: (json: string) => void,
  breathe: () => Promise<void>,
): Promise<Record<string, unknown>> {
  text(`,"group_level_metrics":[`);
  let tasks = 0;
  const steps = ownMetricsInSteps(rollouts(), (task) => text(tasks++ === 0 ? task : `,${task}`));
  let step = steps.next();
  for (; !step.done; step = steps.next()) await breathe();
  const { agent_metrics, key_metrics, repeat_level_metrics } = step.value;
  // JSON has no number for the spread of numbers that are near the largest there are.
  const finite = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? undefined : value;
  const rest = JSON.stringify({ agent_metrics, key_metrics, repeat_level_metrics }, finite);
  text(`],${rest.slice(1, -1)}`);
  return key_metrics;
}

function notesOf(
  { shards, counting }: ScoreRequest,
  { hasInputs }: Scanned,
  { nameless, duplicates, shared, unclaimed }: Survey,
): string[] {
  const notes: string[] = [];
  const without = shards.filter((_, shard) => !hasInputs[shard]).map(({ inputs }) => inputs);
  if (counting.missing && without.length > 0) {
    notes.push(
      `Rollouts that left no row cannot be counted where nobody knows what was owed; these are missing:` +
        list(without),
    );
  }
  if (nameless > 0) {
    notes.push(
      `${nameless} rollouts of the materialized inputs name neither an agent nor an environment server ` +
        `and are not counted.`,
    );
  }
  if (unclaimed > 0) {
    notes.push(`${unclaimed} rows name neither an environment server nor an agent and are not scored.`);
  }
  const places = ({ count, first }: Counted) =>
    list(
      first.map(({ task, rollout, shard }) =>
        `rollout ${task}-${rollout}, again in ${shards[shard]!.rollouts}`
      ),
      count,
    );
  if (duplicates.count > 0) {
    notes.push(
      `${duplicates.count} rows are of rollouts that the same file has already; only the first of each is scored:` +
        places(duplicates),
    );
  }
  if (shared.count > 0) {
    notes.push(
      `${shared.count} rows have the task and rollout number of a row in another shard, and are scored all the same. ` +
        `Every run numbers its tasks from 0: shards of one task set need rows with a _ng_task_index of their own, ` +
        `or different tasks are taken for one:` + places(shared),
    );
  }
  return notes;
}

function standIns(
  scorings: readonly Scoring[],
  answers: readonly unknown[],
  scorers: Scorers | null,
): string[] {
  const names = scorings.filter((_, k) => !answers[k]).map(({ server }) => server);
  if (names.length === 0) return [];
  const why = scorers ? `${names.join(", ")} answered 404 to /aggregate_metrics` : "No server was asked";
  return [
    `${why}: rollcall computed the metrics as Gym's servers do by default (95 % intervals by Student's t). ` +
    `A benchmark's own metrics are not among them.`,
  ];
}
