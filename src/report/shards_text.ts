/** Where the shards of one run stand, together, as a text for people. Pure. */
import { accountOfFiles } from "../collect/accounting.ts";
import { duration, frequency, plural, whole } from "../kit/phrases.ts";
import type { Standing } from "../resume/standing.ts";
import { failuresOf, linesOf, nameOf, rewardOf, rolloutsOf, rowsText, type Status } from "./status_text.ts";
import { oneLine } from "./text.ts";

/** What is kept of a shard's status: a few numbers, so that there may be thousands of shards. */
export interface ShardStatus extends Pick<Status, "standing" | "rewards" | "holder"> {
  readonly shard: number;
  /** Whether its files hold lines that are no rollouts of it. */
  readonly hasOddLines: boolean;
}

/** A run in shards. */
export interface ShardedStatus {
  /** The files, as a pattern. */
  readonly pattern: string;
  /** How many shards the run has. */
  readonly count: number;
  /** Those that have begun, by number. */
  readonly shards: readonly ShardStatus[];
  /** The others, as `0-1,3-7`; undefined when all have begun. */
  readonly missing: string | undefined;
  /** How often a rollout may fail. */
  readonly cap: number;
  /** Numbers as ranges. */
  readonly ranges: (numbers: readonly number[]) => string;
}

/** How many of the slowest shards are named. */
const NAMED = 5;

/** What is kept of a status. */
export function shardStatus(shard: number, status: Status): ShardStatus {
  const { standing, rewards: { rows, scored, sum }, holder } = status;
  return { shard, standing, rewards: { rows, scored, sum }, holder, hasOddLines: linesOf(status) !== "" };
}

/** A few lines: the sum, who is at it, which are slowest, how long it takes. Ends with a line break. */
export function shardsText(run: ShardedStatus, { columns }: { readonly columns: number }): string {
  const { shards, cap, ranges } = run,
    standing = sumOf(shards),
    { expected, done, toRun } = accountOfFiles(standing);
  const rewards = {
    rows: total(shards, ({ rewards }) => rewards.rows),
    scored: total(shards, ({ rewards }) => rewards.scored),
    sum: total(shards, ({ rewards }) => rewards.sum),
  };
  const numbers = (of: readonly ShardStatus[]) => ranges(of.map(({ shard }) => shard));
  const stopped = shards.filter((one) => one.holder === null && leftOf(one) > 0);
  const odd = shards.filter(({ hasOddLines }) => hasOddLines);
  const rows: [label: string, text: string][] = [
    ["shards", shardsOf(run, stopped.length)],
    ["rollouts", rolloutsOf(standing, cap)],
    ["reward", rewardOf({ rewards })],
    ["rate", paceOf(run, stopped.length)],
    ...slowest(shards).map((one, k): [string, string] => [k === 0 ? "slowest" : "", slowText(one)]),
    [
      "stopped",
      stopped.length > 0 ? `${numbers(stopped)}: ${plural(total(stopped, leftOf), "rollout")} left` : "",
    ],
    ["not begun", run.missing ?? ""],
    ["failures", failuresOf(standing)],
    [
      "lines",
      odd.length > 0 ? `some of ${numbers(odd)} are not rollouts: see rollcall status of that file` : "",
    ],
    [
      "next step",
      stopped.length > 0
        ? "rerun the commands of the stopped shards with --resume"
        : toRun === 0 && run.missing === undefined && shards.every(({ holder }) => holder === null)
        ? "rollcall aggregate with this pattern as --input-glob"
        : "",
    ],
  ];
  const head = `${whole(done)} of ${plural(expected, "rollout")} done, ${whole(toRun)} left: ${
    oneLine(run.pattern)
  }`;
  return `${head}\n\n${rowsText(rows, columns)}\n`;
}

function shardsOf({ shards, count }: ShardedStatus, stopped: number): string {
  const running = shards.filter(({ holder }) => holder !== null).length;
  const unknown = shards.filter(({ standing }) => standing === null).length;
  const finished = shards.filter((one) => one.holder === null && one.standing && leftOf(one) === 0).length;
  const parts = [
    running > 0 && `${whole(running)} running`,
    finished > 0 && `${whole(finished)} finished`,
    stopped > 0 && `${whole(stopped)} stopped with rollouts left`,
    unknown > 0 && `${whole(unknown)} without materialized inputs`,
    count > shards.length && `${whole(count - shards.length)} not begun`,
  ];
  return `${whole(count)} in all: ${parts.filter((part) => part !== false).join(", ")}`;
}

/** The rate of those that run, and when the last of them is through. */
function paceOf({ shards, count }: ShardedStatus, stopped: number): string {
  const running = shards.filter(({ holder }) => holder !== null);
  if (running.length === 0) return "";
  const paces = running.flatMap(({ holder }) => holder?.pace ? [holder.pace] : []);
  const times = paces.flatMap(({ seconds_left }) => seconds_left === null ? [] : [seconds_left]);
  const others = [
    running.length > times.length &&
    `${plural(running.length - times.length, "running shard")} that cannot say yet`,
    stopped > 0 && plural(stopped, "stopped shard"),
    count > shards.length && `${whole(count - shards.length)} not begun`,
  ].filter((part) => part !== false);
  return [
    frequency(total(paces, ({ per_minute }) => per_minute) / 60),
    times.length > 0 && `${duration(Math.max(...times))} left`,
    others.length > 0 && `not counting ${others.join(" and ")}`,
  ].filter((part) => part !== false).join(", ");
}

/** Those that will take longest: running, with rollouts left; those that cannot say when they end come first. */
function slowest(shards: readonly ShardStatus[]): ShardStatus[] {
  const time = ({ holder }: ShardStatus) => holder?.pace?.seconds_left ?? Infinity;
  return shards.filter((one) => one.holder !== null && leftOf(one) > 0)
    .sort((a, b) => time(a) === time(b) ? leftOf(b) - leftOf(a) || a.shard - b.shard : time(b) - time(a))
    .slice(0, NAMED);
}

function slowText({ shard, standing, holder }: ShardStatus): string {
  const { expected, done } = accountOfFiles(standing!), { pace } = holder!;
  return [
    `shard ${shard}: ${whole(done)} of ${whole(expected)} done`,
    pace && frequency(pace.per_minute / 60),
    pace && pace.seconds_left !== null && `${duration(pace.seconds_left)} left`,
    pace && pace.stalled_s !== null && `stalled ${duration(pace.stalled_s)}`,
    nameOf(holder!),
  ].filter((part) => typeof part === "string").join(", ");
}

function leftOf({ standing }: Pick<ShardStatus, "standing">): number {
  return standing?.left ?? 0;
}

function sumOf(shards: readonly ShardStatus[]): Standing {
  const known = shards.flatMap(({ standing }) => standing ? [standing] : []);
  const failed: Record<string, number> = Object.create(null);
  for (const one of known) {
    for (const [name, count] of Object.entries(one.failed)) failed[name] = (failed[name] ?? 0) + count;
  }
  const sum = (of: (standing: Standing) => number) => total(known, of);
  return {
    rollouts: sum(({ rollouts }) => rollouts),
    done: sum(({ done }) => done),
    terminal: sum(({ terminal }) => terminal),
    atCap: sum(({ atCap }) => atCap),
    left: sum(({ left }) => left),
    leftFailed: sum(({ leftFailed }) => leftFailed),
    attempts: sum(({ attempts }) => attempts),
    failed,
  };
}

function total<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}
