/**
 * The verdicts of all rollouts, sorted. Memory holds a few numbers per rollout; findings are kept in a file until they
 * are written in order, since a model server that counts no tokens makes every call a finding.
 */
import type { Scratch } from "../store/scratch.ts";
import type { Finding } from "./check.ts";
import type { Verdict } from "./verdict.ts";
import type { Examined } from "./examine.ts";
import { compareIdentities, type Identity, type Index, plainId } from "./identity.ts";
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

export class VerdictBook {
  readonly #scratch: Scratch;
  readonly #flagsDuplicates: boolean;
  readonly #columns = {
    task: [] as Index[],
    rollout: [] as Index[],
    stage: [] as (Index | null)[],
    flags: [] as number[],
    unobserved: [] as number[],
    /** Where its details are in the file; length 0 when there are none. */
    offset: [] as number[],
    length: [] as number[],
  };
  #order = new Uint32Array();
  /** By position in the order. */
  #copies = new Uint32Array();

  /**
   * @param scratch where details are kept
   * @param flagsDuplicates whether several lines of one rollout are a finding
   */
  constructor(scratch: Scratch, flagsDuplicates: boolean) {
    this.#scratch = scratch;
    this.#flagsDuplicates = flagsDuplicates;
  }

  /** How many rollouts there are. */
  get size(): number {
    return this.#columns.task.length;
  }

  add({ identity, id, findings, unobserved, callsObserved, anySuccess }: Examined): void {
    const columns = this.#columns;
    columns.task.push(identity.task);
    columns.rollout.push(identity.rollout);
    columns.stage.push(identity.stage);
    columns.flags.push(
      (findings.length > 0 ? FOUND : 0) | (callsObserved ? CALLS_OBSERVED : 0) |
        (anySuccess ? ANY_SUCCESS : 0),
    );
    columns.unobserved.push(unobserved);
    const ownId = id === plainId(identity) ? null : id;
    const details = findings.length === 0 && ownId === null
      ? undefined
      : new TextEncoder().encode(JSON.stringify([ownId, ...findings]));
    columns.offset.push(details ? this.#scratch.append(details) : 0);
    columns.length.push(details?.length ?? 0);
  }

  /** Sorts; called after the last rollout. */
  finish(): void {
    this.#scratch.seal();
    const { size } = this, compare = (a: number, b: number) => compareIdentities(this.#at(a), this.#at(b));
    this.#order = new Uint32Array(size).map((_, row) => row).sort(compare);
    this.#copies = new Uint32Array(size);
    for (let from = 0, to = 0; from < size; from = to) {
      while (to < size && compare(this.#order[from]!, this.#order[to]!) === 0) to++;
      this.#copies.fill(to - from, from, to);
    }
  }

  /** The rollouts by task, rollout and stage; equal ones in the order they were added. */
  *inOrder(): Generator<Judged> {
    for (let position = 0; position < this.size; position++) yield this.#judged(position);
  }

  #judged(position: number): Judged {
    const row = this.#order[position]!, { flags, unobserved } = this.#columns, flag = flags[row]!;
    const copies = this.#copies[position]!, isDuplicate = copies > 1 && this.#flagsDuplicates;
    const identity = this.#at(row);
    return {
      identity,
      verdict: verdictOf((flag & FOUND) !== 0 || isDuplicate, unobserved[row] !== 0),
      copies,
      unobserved: unobserved[row]!,
      callsObserved: (flag & CALLS_OBSERVED) !== 0,
      anySuccess: (flag & ANY_SUCCESS) !== 0,
      details: () => {
        const [id, ...findings] = this.#details(row);
        return {
          id: id ?? plainId(identity),
          findings: isDuplicate ? [...findings, duplicate(copies)] : findings,
        };
      },
    };
  }

  #details(row: number): [id: string | null, ...Finding[]] {
    const length = this.#columns.length[row]!;
    if (length === 0) return [null];
    return JSON.parse(new TextDecoder().decode(this.#scratch.read(this.#columns.offset[row]!, length)));
  }

  #at(row: number): Identity {
    const { task, rollout, stage } = this.#columns;
    return { task: task[row]!, rollout: rollout[row]!, stage: stage[row]! };
  }
}
