/** From a line to what the checks find in it. */
import { isObject } from "../json/kind.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { JsonFault, skipSpace, skipValue } from "../json/scan.ts";
import type { Finding } from "./check.ts";
import { chainsOf, failedEnd, isFailed, replayed } from "./calls.ts";
import { ROLLOUT_CHECKS, TRAJECTORY_CHECKS } from "./checks.ts";
import { Evidence } from "./evidence.ts";
import { type Identity, identityOf, idOf, plainId } from "./identity.ts";
import {
  checkExecutionError,
  executionError,
  recordUnreadable,
  unreadableLine,
  unreadableTrajectory,
} from "./record_checks.ts";
import { ShapeFault } from "./shape.ts";
import { type Trajectory } from "./trajectory.ts";
import { type HealthLine, readLine } from "./read_line.ts";

/** Where a line is from. */
export interface Source {
  /** The file, as shown to the user. */
  readonly file: string;
  /** The index of the file. */
  readonly fileIndex: number;
  /** The line's number in it, from 1. */
  readonly line: number;
  /** The number of non-blank lines before it, over all files. */
  readonly ordinal: number;
}

/** What is known about one rollout from its line. */
export interface Examined {
  readonly identity: Identity;
  /** The rollout's id. */
  readonly id: string;
  /** What was found. */
  readonly findings: readonly Finding[];
  /** The checks that lacked their evidence, as bits by their indexes in {@link ROLLOUT_CHECKS}. */
  readonly unobserved: number;
  /** Whether it is known which model calls the turns made. */
  readonly callsObserved: boolean;
  /** Whether one of these calls succeeded. */
  readonly anySuccess: boolean;
  /** The stack of the first fault of rollcall's own in a check; absent where there was none. */
  readonly fault?: string;
  /** For the statistics; null for a line that is not an object. */
  readonly counts: Counts | null;
}

/** Numbers of one rollout. */
export interface Counts {
  /** Captured model calls. */
  readonly calls: number;
  /** The HTTP status of each that failed. */
  readonly failed: readonly (number | null)[];
  /** Whether a model's last call failed. */
  readonly endedOnError: boolean;
  /** Calls that repeat an earlier one. */
  readonly replayed: number;
  /** Tokens of prompts and responses, by the result's own count and as captured. */
  readonly tokens: {
    /** By the result's own count. */
    readonly prompt: number;
    /** By the result's own count. */
    readonly completion: number;
    /** Over all captured calls. */
    readonly capture_prompt: number;
    /** Over all captured calls. */
    readonly capture_completion: number;
  };
}

/** Runs all checks except the ignored ones on one line. Never throws, whatever the line is. */
export function examine(line: Uint8Array, source: Source, ignored: ReadonlySet<string>): Examined {
  let read: HealthLine;
  try {
    read = readLine(line);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    return unreadable(source, isJson(line), ignored);
  }
  const examination = new Examination(ignored);
  const identity = identityOf(read.row, source.ordinal);
  try {
    return examineRow(read, identity, examination);
  } catch (error) {
    // A bug in a check is a finding, too: one rollout must not end the checks of the others.
    examination.fail(checkExecutionError.id, error);
    for (const { id } of TRAJECTORY_CHECKS) examination.lacks(id);
    return unobserved(identity, examination);
  }
}

function examineRow(read: HealthLine, identity: Identity, examination: Examination): Examined {
  const { row } = read;
  let trajectory: Trajectory | null = null;
  try {
    trajectory = read.trajectory();
  } catch (fault) {
    if (!(fault instanceof ShapeFault)) throw fault;
    examination.found(unreadableTrajectory(fault.message));
  }
  const evidence = new Evidence(read.usage(), trajectory);
  for (const check of TRAJECTORY_CHECKS) examination.run(check, evidence);
  return {
    identity,
    id: idOf(row, trajectory ?? objectAt(row, "ng_trajectory"), identity),
    ...examination.result(),
    callsObserved: evidence.callsObserved,
    anySuccess: evidence.anySuccess,
    counts: countsOf(evidence),
  };
}

function objectAt(row: JsonObject, name: string): JsonObject | undefined {
  const raw = row.raw(name);
  return isObject(raw) ? readObject(raw) : undefined;
}

/** Collects findings, and checks that lacked evidence. */
class Examination {
  readonly #ignored: ReadonlySet<string>;
  readonly #findings: Finding[] = [];
  #unobserved = 0;
  #fault: string | undefined;

  constructor(ignored: ReadonlySet<string>) {
    this.#ignored = ignored;
  }

  found(finding: Finding): void {
    if (!this.#ignored.has(finding.check)) this.#findings.push(finding);
  }

  lacks(check: string): void {
    if (!this.#ignored.has(check)) this.#unobserved |= 1 << CHECK_INDEXES.get(check)!;
  }

  fail(check: string, error: unknown): void {
    this.#fault ??= `${check}: ${error instanceof Error ? error.stack ?? error.message : typeof error}`;
    this.found(executionError(check, error));
  }

  run(check: (typeof TRAJECTORY_CHECKS)[number], evidence: Evidence): void {
    if (this.#ignored.has(check.id)) return;
    try {
      const found = evidence.has(check.reads) ? check.find(evidence) : undefined;
      if (found) { for (const each of found) this.found({ check: check.id, ...each }); }
      else this.lacks(check.id);
    } catch (error) {
      this.lacks(check.id);
      this.fail(check.id, error);
    }
  }

  result(): Pick<Examined, "findings" | "unobserved" | "fault"> {
    const fault = this.#fault;
    return {
      findings: this.#findings,
      unobserved: this.#unobserved,
      ...(fault === undefined ? {} : { fault }),
    };
  }
}

const CHECK_INDEXES = new Map(ROLLOUT_CHECKS.map(({ id }, index) => [id, index]));

/** A line without an identity gets a unique one, so that it appears in the report. */
function unreadable(
  { file, fileIndex, line }: Source,
  isJson: boolean,
  ignored: ReadonlySet<string>,
): Examined {
  const examination = new Examination(ignored);
  examination.found(unreadableLine(file, line, isJson));
  for (const { id } of ROLLOUT_CHECKS) if (id !== recordUnreadable.id) examination.lacks(id);
  const identity = { task: `__unreadable_record__:input-${fileIndex}:line-${line}`, rollout: 0, stage: null };
  return unobserved(identity, examination);
}

function isJson(line: Uint8Array): boolean {
  try {
    return skipSpace(line, skipValue(line, skipSpace(line, 0))) === line.length;
  } catch {
    return false;
  }
}

function countsOf({ calls, usage }: Evidence): Counts {
  const sum = (name: "prompt_tokens" | "completion_tokens") =>
    calls.reduce((sum, { token_stats }) => sum + (token_stats[name] ?? 0), 0);
  return {
    calls: calls.length,
    failed: calls.filter(isFailed).map(({ response_metadata }) => response_metadata.status_code),
    endedOnError: calls.some(isFailed) && chainsOf(calls).some((chain) => failedEnd(chain) !== undefined),
    replayed: replayed(calls),
    tokens: {
      prompt: usage.prompt ?? 0,
      completion: usage.completion ?? 0,
      capture_prompt: sum("prompt_tokens"),
      capture_completion: sum("completion_tokens"),
    },
  };
}

/** The result for a line whose calls could not be examined. */
function unobserved(identity: Identity, examination: Examination): Examined {
  return {
    identity,
    id: plainId(identity),
    ...examination.result(),
    callsObserved: false,
    anySuccess: false,
    counts: null,
  };
}
