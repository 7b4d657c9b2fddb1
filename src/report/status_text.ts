/** Where a run stands, as a text for people and as JSON for programs. Pure. */
import { accountOfFiles } from "../collect/accounting.ts";
import { LISTED } from "../kit/fault.ts";
import type { RunRecord } from "../plan/manifest.ts";
import type { Read } from "../resume/read_standing.ts";
import type { Standing } from "../resume/standing.ts";
import { cut, oneLine, pad, printableJson, wrap } from "./text.ts";
import { plural, whole } from "../kit/phrases.ts";

/** What `rollcall status` knows of a run. */
export interface Status extends Omit<Read, "standing"> {
  /** Path of the rollouts. */
  readonly output: string;
  /** Where the rollouts stand; null where no materialized inputs say what there are. */
  readonly standing: Standing | null;
  /** How often a rollout may fail. */
  readonly cap: number;
  /** The process that collects into the output right now, or null. */
  readonly holder: { readonly host: string; readonly pid: number; readonly since: string } | null;
  /** The runs that collected into it, as far as a manifest tells. */
  readonly runs: readonly RunRecord[];
}

const LABEL = 12;

/** A few lines: what is done and left, who is at it, what failed, and lines that are not rows. Ends with a line break. */
export function statusText(status: Status, { columns }: { readonly columns: number }): string {
  const { output, standing, holder, runs } = status;
  const { toRun } = standing ? accountOfFiles(standing) : { toRun: 0 };
  const room = Math.max(30, columns - LABEL);
  const rows: [label: string, text: string][] = [
    ["collector", holder ? `${nameOf(holder)} is collecting` : "none is running"],
    ["runs", runsOf(runs)],
    [
      "rollouts",
      standing ? rolloutsOf(standing, status.cap) : "rollcall cannot tell how many there should be",
    ],
    ["failures", standing ? failuresOf(standing) : ""],
    ["lines", linesOf(status)],
    ["next step", standing && toRun > 0 && !holder ? "rerun the same command with --resume" : ""],
  ];
  const body = rows.filter(([, text]) => text !== "").flatMap(([label, text]) =>
    wrap(text, room).map((line, i) => `${pad(i === 0 ? label : "", LABEL)}${line}`.trimEnd())
  );
  return `${headline(status)} ${oneLine(output)}\n\n${body.join("\n")}\n`;
}

function headline({ standing, rollouts: { strangers } }: Status): string {
  if (!standing) return `${plural(strangers, "row")} without materialized inputs:`;
  const { expected, done, toRun } = accountOfFiles(standing);
  return `${whole(done)} of ${plural(expected, "rollout")} done, ${whole(toRun)} left:`;
}

function nameOf({ host, pid, since }: { host: string; pid: number; since: string }): string {
  return `process ${pid} on ${oneLine(host)}, since ${oneLine(since)},`;
}

function runsOf(runs: readonly RunRecord[]): string {
  const [first] = runs, last = runs.at(-1);
  if (!first || !last) return "";
  return runs.length === 1 ? `1, begun ${first.at}` : `${runs.length}, begun ${first.at} and last ${last.at}`;
}

function rolloutsOf({ rollouts, done, terminal, atCap, left, leftFailed }: Standing, cap: number): string {
  const parts = [
    done > 0 && `${whole(done)} done`,
    terminal > 0 && `${whole(terminal)} failed permanently`,
    atCap > 0 && `${whole(atCap)} at the attempt limit (${plural(cap, "attempt")})`,
    `${whole(left)} left${leftFailed > 0 ? ` (${whole(leftFailed)} of them failed before)` : ""}`,
  ].filter((part) => part !== false);
  return `${whole(rollouts)} in all: ${parts.join(", ")}`;
}

function failuresOf({ failed, attempts }: Standing): string {
  const classes = Object.entries(failed).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  if (attempts === 0) return "";
  const named = classes.slice(0, LISTED).map(([name, n]) => `${whole(n)} ${cut(oneLine(name), 60)}`);
  const more = classes.length > LISTED ? ` and ${whole(classes.length - LISTED)} more classes` : "";
  return `${plural(attempts, "attempt")} recorded` +
    (named.length > 0 ? `; rollouts without a result by their last failure: ${named.join(", ")}${more}` : "");
}

function linesOf({ standing, rollouts, failures }: Status): string {
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

/**
 * The same as one line of JSON, without a line break. Every key is always there.
 *
 * | key | value |
 * | --- | --- |
 * | `output` | path of the rollouts |
 * | `running`, `holder` | whether a collector has the lock, and `{host, pid, since}` of it or null |
 * | `materialized` | rollouts in the materialized inputs: `done + terminal + at_cap + left`; null without these |
 * | `done`, `left` | those in the rollouts file, and those that a resume would run; `left` null without inputs |
 * | `terminal`, `at_cap` | those without a result that failed permanently, or are at the attempt limit |
 * | `failed_before` | those among `left` that have failed |
 * | `failed` | rollouts without a result by the class of their last failure |
 * | `attempts`, `attempts_cap` | recorded failed attempts, and how many a rollout may have |
 * | `duplicates`, `strangers`, `nameless` | rows that repeat an identity, are of no row of the inputs, have no identity |
 * | `not_json`, `torn` | lines of rollouts and sidecar that are not JSON, and last lines that are incomplete |
 * | `runs` | the runs that collected, out of the manifest |
 */
export function statusJson({ output, standing, rollouts, failures, cap, holder, runs }: Status): string {
  const account = standing && accountOfFiles(standing);
  return printableJson({
    output,
    running: holder !== null,
    holder,
    materialized: account?.expected ?? null,
    done: account?.done ?? rollouts.strangers,
    left: account?.toRun ?? null,
    terminal: standing?.terminal ?? 0,
    at_cap: standing?.atCap ?? 0,
    failed_before: standing?.leftFailed ?? 0,
    failed: standing?.failed ?? {},
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
