/** Where a run stands, as a text for people and as JSON for programs. Pure. */
import { type Account, accountOfFiles } from "../collect/accounting.ts";
import type { RunRecord } from "../plan/manifest.ts";
import type { Read } from "../resume/read_standing.ts";
import type { Holder, Pace } from "../ports/lock.ts";
import type { Standing } from "../resume/standing.ts";
import { classesJson } from "./summary_json.ts";
import { classTexts } from "./classes.ts";
import { oneLine, pad, printableJson, wrap } from "./text.ts";
import { duration, frequency, metric, plural, whole } from "../kit/phrases.ts";

/** What `rollcall status` knows of a run. */
export interface Status extends Omit<Read, "standing"> {
  /** Path of the rollouts. */
  readonly output: string;
  /** Where the rollouts stand; null where no materialized inputs say what there are. */
  readonly standing: Standing | null;
  /** How often a rollout may fail. */
  readonly cap: number;
  /** The rewards of the rows that are done. */
  readonly rewards: { readonly rows: number; readonly scored: number; readonly sum: number };
  /** The process that collects into the output right now, or null. */
  readonly holder: Holder | null;
  /** The runs that collected into it, as far as a manifest tells. */
  readonly runs: readonly RunRecord[];
}

const LABEL = 12;

/** A few lines: what is done and left, who is at it, what failed, and lines that are not rows. Ends with a line break. */
export function statusText(status: Status, { columns }: { readonly columns: number }): string {
  const { output, standing, holder, runs } = status;
  const { toRun } = standing ? accountOfFiles(standing) : { toRun: 0 };
  const rows: [label: string, text: string][] = [
    ["collector", holder ? `${nameOf(holder)}, is collecting` : "none is running"],
    ["runs", runsOf(runs)],
    [
      "rollouts",
      standing ? rolloutsOf(standing, status.cap) : "rollcall cannot tell how many there should be",
    ],
    ["reward", rewardOf(status)],
    ["rate", holder?.pace ? paceOf(holder.pace) : ""],
    ["failures", standing ? failuresOf(standing) : ""],
    ["lines", linesOf(status)],
    ["next step", standing && toRun > 0 && !holder ? "rerun the same command with --resume" : ""],
  ];
  return `${headline(status)} ${oneLine(output)}\n\n${rowsText(rows, columns)}\n`;
}

/** Labels and what they label, wrapped to the columns; rows without a text are left out. */
export function rowsText(rows: readonly (readonly [label: string, text: string])[], columns: number): string {
  const room = Math.max(30, columns - LABEL);
  return rows.filter(([, text]) => text !== "").flatMap(([label, text]) =>
    wrap(text, room).map((line, i) => `${pad(i === 0 ? label : "", LABEL)}${line}`.trimEnd())
  ).join("\n");
}

/** One line about several runs. */
export function statusTotal(all: readonly Status[]): string {
  const accounts = all.flatMap(({ standing }) => standing ? [accountOfFiles(standing)] : []);
  const sum = (of: (account: Account) => number) => accounts.reduce((sum, account) => sum + of(account), 0);
  const running = all.filter(({ holder }) => holder !== null).length;
  return `${plural(all.length, "run")}, ${whole(running)} running: ${whole(sum(({ done }) => done))} of ` +
    `${plural(sum(({ expected }) => expected), "rollout")} done, ${whole(sum(({ toRun }) => toRun))} left`;
}

/** The mean reward of the rows that are done; empty without rows. */
export function rewardOf({ rewards: { rows, scored, sum } }: Pick<Status, "rewards">): string {
  if (rows === 0) return "";
  const unscored = rows > scored ? `${whole(rows - scored)} without a reward` : "";
  if (scored === 0) return unscored;
  return `mean ${metric(sum / scored)} of ${plural(scored, "row")}${unscored && `, ${unscored}`}`;
}

function paceOf({ per_minute, seconds_left, stalled_s }: Pace): string {
  return [
    frequency(per_minute / 60),
    seconds_left !== null && `${duration(seconds_left)} left`,
    stalled_s !== null && `stalled ${duration(stalled_s)}`,
  ].filter((text) => text !== false).join(", ");
}

function headline({ standing, rollouts: { strangers } }: Status): string {
  if (!standing) return `${plural(strangers, "row")} without materialized inputs:`;
  const { expected, done, toRun } = accountOfFiles(standing);
  return `${whole(done)} of ${plural(expected, "rollout")} done, ${whole(toRun)} left:`;
}

/** A process for people. */
export function nameOf({ host, pid, since }: { host: string; pid: number; since: string }): string {
  return `process ${pid} on ${oneLine(host)}, since ${oneLine(since)}`;
}

function runsOf(runs: readonly RunRecord[]): string {
  const [first] = runs, last = runs.at(-1);
  if (!first || !last) return "";
  return runs.length === 1 ? `1, begun ${first.at}` : `${runs.length}, begun ${first.at} and last ${last.at}`;
}

/** How many rollouts there are, and what became of them. */
export function rolloutsOf(
  { rollouts, done, terminal, atCap, left, leftFailed }: Standing,
  cap: number,
): string {
  const parts = [
    done > 0 && `${whole(done)} done`,
    terminal > 0 && `${whole(terminal)} failed permanently`,
    atCap > 0 && `${whole(atCap)} at the attempt limit (${plural(cap, "attempt")})`,
    `${whole(left)} left${leftFailed > 0 ? ` (${whole(leftFailed)} of them failed before)` : ""}`,
  ].filter((part) => part !== false);
  return `${whole(rollouts)} in all: ${parts.join(", ")}`;
}

/** How many attempts failed, and the classes; empty without failures. */
export function failuresOf({ failed, attempts }: Standing): string {
  if (attempts === 0) return "";
  const named = classTexts(failed);
  return `${plural(attempts, "attempt")} recorded` +
    (named.length > 0 ? `; rollouts without a result by their last failure: ${named.join(", ")}` : "");
}

/** Lines that are no rollouts of the run; empty without any. */
export function linesOf({ standing, rollouts, failures }: Status): string {
  const parts = [
    [
      rollouts.twice,
      "repeats an identity, of which the first counts",
      "repeat an identity, of which the first counts",
    ],
    [
      standing ? rollouts.strangers : 0,
      "belongs to no row of the materialized inputs",
      "belong to no row of the materialized inputs",
    ],
    [rollouts.nameless, "has no identity", "have no identity"],
    [
      rollouts.bad.spans.size + failures.bad.spans.size,
      "is not JSON; a resume sets it aside",
      "are not JSON; a resume sets them aside",
    ],
    [
      Number(rollouts.torn) + Number(failures.torn),
      "is incomplete or just being written",
      "are incomplete or just being written",
    ],
  ] as const;
  return parts.filter(([n]) => n > 0)
    .map(([n, one, many]) => `${plural(n, "line")} ${n === 1 ? one : many}`).join("; ");
}

/** Rollouts without an identity are counted by themselves. */
function notJson(rollouts: Status["rollouts"], failures: Status["failures"]): number {
  return rollouts.bad.spans.size - rollouts.nameless + failures.bad.spans.size;
}

/** The same as one line of JSON, without a line break: `statusSchema` of schemas.ts says what it holds. */
export function statusJson(
  { output, standing, rollouts, failures, rewards, cap, holder, runs }: Status,
): string {
  const account = standing && accountOfFiles(standing);
  return printableJson({
    output,
    running: holder !== null,
    holder: holder && { host: holder.host, pid: holder.pid, since: holder.since },
    per_minute: holder?.pace?.per_minute ?? null,
    seconds_left: holder?.pace?.seconds_left ?? null,
    stalled_s: holder?.pace?.stalled_s ?? null,
    materialized: account?.expected ?? null,
    done: account?.done ?? rollouts.strangers,
    left: account?.toRun ?? null,
    reward: rewards.scored > 0 ? rewards.sum / rewards.scored : null,
    unscored: rewards.rows - rewards.scored,
    terminal: standing?.terminal ?? 0,
    at_cap: standing?.atCap ?? 0,
    failed_before: standing?.leftFailed ?? 0,
    ...classesJson(standing?.failed ?? {}, "failed"),
    attempts: standing?.attempts ?? failures.strangers,
    attempts_cap: cap,
    duplicates: rollouts.twice,
    strangers: standing ? rollouts.strangers : 0,
    nameless: rollouts.nameless,
    not_json: notJson(rollouts, failures),
    torn: Number(rollouts.torn) + Number(failures.torn),
    runs,
  });
}
