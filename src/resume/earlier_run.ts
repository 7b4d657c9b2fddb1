/**
 * What the files of an earlier run hold about each rollout of the index: read line by line, looking at only a few
 * members. Memory is a few bytes per rollout, however long the lines are.
 */
import { KEYS } from "../record/keys.ts";
import { isTrue } from "../json/truth.ts";
import { isBlank, type TextLine } from "../kit/lines.ts";
import { LISTED } from "../kit/fault.ts";
import { type RowIndex, State } from "../plan/row_index.ts";
import { Spans } from "../store/remove_lines.ts";
import { ELAPSED, elapsedSeconds } from "../record/elapsed.ts";
import type { RowLookup } from "../plan/row_lookup.ts";
import { MemberScan } from "../json/member_scan.ts";
import { classNameOf } from "../record/failure.ts";
import { isTerminal } from "../record/final_failures.ts";

/** Lines to move to the quarantine. */
export interface BadLines {
  /** Where they are, with their line breaks. */
  readonly spans: Spans;
  /** `line 12: what is wrong`, of the first of them. */
  readonly shown: string[];
}

/** Lines of a file that belong to no rollout of the index. */
export interface Strays {
  /** Rows without a usable identity. Those of a rollouts file are among the bad lines, too. */
  nameless: number;
  /** Rows with the identity of no materialized row. */
  strangers: number;
  /** Lines that are not JSON, and rollouts without a usable identity: nothing can count or score them. */
  readonly bad: BadLines;
  /** Whether the last line is cut off, perhaps because it is being written right now. */
  torn: boolean;
}

/** What was found in a rollouts file, besides the rows of the index that it marked as done. */
export interface RolloutsPast extends Strays {
  /** Rows whose identity an earlier line has: the first one counts. */
  twice: number;
  /** Rows with an invalid judge response, if these are to be retried. They are not marked as done. */
  readonly invalid: Spans;
}

/** What was found in a failures sidecar, besides the attempts of the rows that it counted. */
export interface FailuresPast extends Strays {
  /** Recorded attempts. */
  attempts: number;
  /** Per row of the index, whether a failure was final. */
  readonly terminal: Uint8Array;
  /** Per row, one more than the index of its last failure's class in {@link classes}; 0 where there is no failure. */
  readonly lastClass: Uint16Array;
  /** Failure classes found. */
  readonly classes: readonly string[];
  /** Per row, the longest time an attempt took, in seconds; 0 if unknown. */
  readonly elapsed: Float64Array;
}

const TASK = 0, ROLLOUT = 1;
const IDENTITY = [KEYS.task, KEYS.rollout] as const;

/**
 * Reads a rollouts file and marks its rows in the index as done: those whose whole line is valid JSON and whose identity
 * is usable, so that later readers of the file (metrics, health, training) can read them, too.
 *
 * @param retryInvalidJudge whether rows with a true `invalid_judge_response` are to be run again
 * @param done told of each row that is done, with its line
 */
export function readRollouts(
  lines: Iterable<TextLine>,
  index: RowIndex,
  identities: RowLookup,
  retryInvalidJudge: boolean,
  done: (row: number, line: Uint8Array) => void = () => {},
): RolloutsPast {
  const past: RolloutsPast = { ...noStrays(), twice: 0, invalid: new Spans() };
  const scan = new MemberScan([...IDENTITY, "invalid_judge_response"]);
  const { state } = index.columns;
  eachRow(lines, scan, identities, past, (row, line) => {
    const { offset, bytes } = line;
    if (row === NAMELESS) {
      addBad(past, line, "it has no _ng_task_index and _ng_rollout_index that are whole numbers");
    } else if (retryInvalidJudge && isTrue(scan.raw(2))) {
      past.invalid.push(offset, bytes.length + 1);
    } else if (row >= 0) {
      if (state[row] === State.DONE) past.twice++;
      else done(row, bytes);
      state[row] = State.DONE;
    }
  });
  return past;
}

/** Reads a failures sidecar and counts the attempts of each row of the index. */
export function readFailures(
  lines: Iterable<TextLine>,
  index: RowIndex,
  identities: RowLookup,
  retryTerminalTimeouts: boolean,
): FailuresPast {
  const classes = new Map<string, number>();
  const past = {
    ...noStrays(),
    attempts: 0,
    terminal: new Uint8Array(index.size),
    lastClass: new Uint16Array(index.size),
    elapsed: new Float64Array(index.size),
  };
  const scan = new MemberScan([
    ...IDENTITY,
    KEYS.failureClass,
    KEYS.failureTerminal,
    "reuse_cached_deliverable",
    ELAPSED,
    "response",
  ]);
  const { attempts, reuse } = index.columns;
  eachRow(lines, scan, identities, past, (row) => {
    if (row < 0) return;
    const failureClass = scan.raw(2), name = failureClass && classNameOf(failureClass);
    const terminal = isTerminal(name, isTrue(scan.raw(3)), retryTerminalTimeouts);
    const reuses = isTrue(scan.raw(4)), seconds = elapsedSeconds(scan.raw(5), scan.raw(6)) ?? 0;
    past.attempts++;
    if (attempts[row]! < 0xffff) attempts[row]!++;
    past.lastClass[row] = indexOf(name ?? "unknown", classes) + 1;
    past.elapsed[row] = Math.max(past.elapsed[row]!, seconds);
    if (terminal) past.terminal[row] = 1;
    if (reuses) reuse[row] = 1;
  });
  return { ...past, classes: [...classes.keys()] };
}

/**
 * Calls back with the row of the index that each line belongs to, or {@link STRANGER} or {@link NAMELESS}. All other
 * lines are counted in `strays`.
 */
function eachRow(
  lines: Iterable<TextLine>,
  scan: MemberScan,
  identities: RowLookup,
  strays: Strays,
  call: (row: number, line: TextLine) => void,
): void {
  for (const line of lines) {
    const fault = scan.scan(line.bytes);
    if (fault !== undefined) {
      if (!isBlank(line.bytes)) addBad(strays, line, fault);
      continue;
    }
    const task = scan.wholeNumber(TASK), rollout = scan.wholeNumber(ROLLOUT);
    const row = task === undefined || rollout === undefined ? NAMELESS : identities.find(task, rollout);
    call(row, line);
    if (row === NAMELESS) strays.nameless++;
    else if (row === STRANGER) strays.strangers++;
  }
}

const STRANGER = -1, NAMELESS = -2;

function addBad(strays: Strays, line: TextLine, fault: string): void {
  if (!line.whole) {
    strays.torn = true;
    return;
  }
  const { spans, shown } = strays.bad;
  spans.push(line.offset, line.bytes.length + 1);
  if (shown.length < LISTED) shown.push(`line ${line.number}: ${fault}`);
}

function noStrays(): Strays {
  return { nameless: 0, strangers: 0, torn: false, bad: { spans: new Spans(), shown: [] } };
}

/** The index of a class among those found, as far as two bytes can count. */
function indexOf(name: string, classes: Map<string, number>): number {
  const there = classes.get(name);
  if (there !== undefined) return there;
  if (classes.size >= 0xfffe) return classes.size - 1;
  classes.set(name, classes.size);
  return classes.size - 1;
}
