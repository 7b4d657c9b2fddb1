/**
 * The verdicts of all rollouts, sorted, in memory that does not grow with them: what is known of each is a record of
 * fixed size; findings are kept in a file until they are written in order, since a model server that counts no tokens
 * makes every call a finding. Only rollouts with odd identities stay in memory.
 */
import type { Files } from "../ports/files.ts";
import type { Scratch } from "../store/scratch.ts";
import { type Packing, SortedRecords } from "../store/sorted_records.ts";
import type { Finding } from "./check.ts";
import type { Verdict } from "./verdict.ts";
import type { Examined } from "./examine.ts";
import { compareIdentities, type Identity, plainId } from "./identity.ts";
import { duplicate } from "./record_checks.ts";
import { verdictOf } from "./verdict.ts";

/** A rollout and its verdict. */
export interface Judged {
  readonly identity: Identity;
  readonly verdict: Verdict;
  /** How many lines there are of this task, rollout and stage. */
  readonly copies: number;
  readonly unobserved: number;
  readonly callsObserved: boolean;
  readonly anySuccess: boolean;
  /** Its id and what was found, read from the file. */
  details(): { readonly id: string; readonly findings: readonly Finding[] };
}

const FOUND = 1, CALLS_OBSERVED = 2, ANY_SUCCESS = 4;

/** What is kept of a rollout. */
interface Entry {
  readonly identity: Identity;
  readonly flags: number;
  readonly unobserved: number;
  /** Where its details are in the file; length 0 when there are none. */
  readonly offset: number;
  readonly length: number;
}

/** Without a stage, in the order: after all of them. */
const NO_STAGE = 0xffff;

const PACKING: Packing<Entry> = {
  pack: ({ identity: { task, rollout, stage }, flags, unobserved, offset, length }) => ({
    major: task as number,
    minor: rollout as number,
    rank: stage === null ? NO_STAGE : stage as number,
    offset,
    length,
    a: flags,
    b: unobserved,
    c: 0,
  }),
  unpack: ({ major, minor, rank, offset, length, a, b }) => ({
    identity: { task: major, rollout: minor, stage: rank === NO_STAGE ? null : rank },
    flags: a,
    unobserved: b,
    offset,
    length,
  }),
};

/** Whether an identity fits into a record: nearly every one does. */
function isPlain({ task, rollout, stage }: Identity): boolean {
  return typeof task === "number" && isBelow(rollout, 2 ** 32) &&
    (stage === null || isBelow(stage, NO_STAGE));
}

function isBelow(index: Identity["rollout"], end: number): boolean {
  return typeof index === "number" && index >= 0 && index < end;
}

/** Where verdicts are kept. */
export interface BookTools {
  readonly files: Files;
  /** The file for what does not fit in memory; removed at the end. */
  readonly index: string;
  /** Where details are kept. */
  readonly scratch: Scratch;
  /** Records that are kept in memory. */
  readonly capacity?: number;
}

/** Add, then {@link finish}, then iterate repeatedly, then {@link close}. */
export class VerdictBook {
  readonly #scratch: Scratch;
  readonly #flagsDuplicates: boolean;
  readonly #entries: SortedRecords<Entry>;
  /** Those whose identities do not fit into a record. */
  readonly #odd: Entry[] = [];
  /** Of identities with several lines: the position of the first in the order, and how many there are. */
  readonly #repeated: { readonly position: number; readonly copies: number }[] = [];

  /** @param flagsDuplicates whether several lines of one rollout are a finding */
  constructor({ files, index, scratch, capacity }: BookTools, flagsDuplicates: boolean) {
    this.#scratch = scratch;
    this.#flagsDuplicates = flagsDuplicates;
    this.#entries = new SortedRecords(PACKING, files, index, capacity);
  }

  /** How many rollouts there are. */
  get size(): number {
    return this.#entries.size + this.#odd.length;
  }

  add({ identity, id, findings, unobserved, callsObserved, anySuccess }: Examined): void {
    const ownId = id === plainId(identity) ? null : id;
    const details = findings.length === 0 && ownId === null
      ? undefined
      : new TextEncoder().encode(JSON.stringify([ownId, ...findings]));
    const entry = {
      identity,
      flags: (findings.length > 0 ? FOUND : 0) | (callsObserved ? CALLS_OBSERVED : 0) |
        (anySuccess ? ANY_SUCCESS : 0),
      unobserved,
      offset: details ? this.#scratch.append(details) : 0,
      length: details?.length ?? 0,
    };
    if (isPlain(identity)) this.#entries.add(entry);
    else this.#odd.push(entry);
  }

  /** Sorts; called after the last rollout. */
  finish(): void {
    this.#scratch.seal();
    this.#entries.finish();
    this.#odd.sort((a, b) => compareIdentities(a.identity, b.identity));
    let position = 0, first = 0, last: Identity | undefined;
    const close = () => {
      if (position - first > 1) this.#repeated.push({ position: first, copies: position - first });
      first = position;
    };
    for (const { identity } of this.#sorted()) {
      if (last && compareIdentities(last, identity) !== 0) close();
      last = identity;
      position++;
    }
    close();
  }

  /** The rollouts by task, rollout and stage; equal ones in the order they were added. */
  *inOrder(): Generator<Judged> {
    let position = 0, next = 0, copiesLeft = 0, copies = 1;
    for (const entry of this.#sorted()) {
      if (copiesLeft === 0) {
        const repeated = this.#repeated[next];
        copies = repeated?.position === position ? repeated.copies : 1;
        if (copies > 1) next++;
        copiesLeft = copies;
      }
      copiesLeft--;
      position++;
      yield this.#judged(entry, copies);
    }
  }

  /** Removes the file, if there is one. */
  close(): void {
    this.#entries.close();
  }

  /** Plain and odd ones, merged. */
  *#sorted(): Generator<Entry> {
    const odd = this.#odd;
    let at = 0;
    for (const entry of this.#entries) {
      while (at < odd.length && compareIdentities(odd[at]!.identity, entry.identity) < 0) yield odd[at++]!;
      yield entry;
    }
    while (at < odd.length) yield odd[at++]!;
  }

  #judged({ identity, flags, unobserved, offset, length }: Entry, copies: number): Judged {
    const isDuplicate = copies > 1 && this.#flagsDuplicates;
    return {
      identity,
      verdict: verdictOf((flags & FOUND) !== 0 || isDuplicate, unobserved !== 0),
      copies,
      unobserved,
      callsObserved: (flags & CALLS_OBSERVED) !== 0,
      anySuccess: (flags & ANY_SUCCESS) !== 0,
      details: () => {
        const [id, ...findings] = this.#details(offset, length);
        return {
          id: id ?? plainId(identity),
          findings: isDuplicate ? [...findings, duplicate(copies)] : findings,
        };
      },
    };
  }

  #details(offset: number, length: number): [id: string | null, ...Finding[]] {
    if (length === 0) return [null];
    return JSON.parse(new TextDecoder().decode(this.#scratch.read(offset, length)));
  }
}
