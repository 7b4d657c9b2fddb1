/** Which captured calls the turns and invocations of a trajectory refer to. */
import type { CallRef, CapturedCall, Trajectory } from "./trajectory.ts";

/** What references resolve to. */
export interface Binding {
  /** How many distinct references there were. */
  readonly references: number;
  /** Calls that a reference matches uniquely, in trajectory order. */
  readonly calls: readonly CapturedCall[];
  /** The references that match no call. */
  readonly missing: readonly string[];
  /** Those that match several, and how many. */
  readonly ambiguous: readonly (readonly [reference: string, calls: number])[];
  /** Whether there are references, and each matches exactly one call. */
  readonly isComplete: boolean;
}

/** The references of the turns, and those of turns and invocations together. */
export interface Bindings {
  /** Of the turns. */
  readonly turns: Binding;
  /** Of both. */
  readonly owned: Binding;
}

/** Looks up all references of a trajectory. */
export function bind({ turns, invocations, model_calls }: Trajectory): Bindings {
  const distinct = new Map<string, CallRef>(), lookup = new Lookup(model_calls);
  for (const { model_calls } of turns) addNew(distinct, model_calls);
  const ofTurns = bindAll([...distinct.values()], lookup), before = distinct.size;
  for (const { model_calls } of invocations) addNew(distinct, model_calls);
  const owned = distinct.size === before ? ofTurns : bindAll([...distinct.values()], lookup);
  return { turns: ofTurns, owned };
}

/** Finds captured calls by reference. */
class Lookup {
  readonly #indexes = new Map<string, number[]>();
  readonly calls: readonly CapturedCall[];

  constructor(calls: readonly CapturedCall[]) {
    this.calls = calls;
    calls.forEach(({ model_call_id, response_metadata: { model_ref, response_id } }, index) => {
      if (model_call_id) this.#add(`call:${model_call_id}`, index);
      if (model_ref && response_id) this.#add(ofResponse(model_ref, response_id), index);
    });
  }

  /** The indexes of the calls that match everything a reference says. */
  find(reference: CallRef): readonly number[] {
    const { model_call_id, model_ref, response_id } = reference;
    const indexes = this.#indexes.get(textOf(reference)) ?? [];
    if (!model_call_id) return indexes;
    return indexes.filter((index) => {
      const of = this.calls[index]!.response_metadata;
      return (model_ref === null || isSame(model_ref, of.model_ref)) &&
        (response_id === null || response_id === of.response_id);
    });
  }

  #add(key: string, index: number): void {
    const indexes = this.#indexes.get(key);
    if (indexes) indexes.push(index);
    else this.#indexes.set(key, [index]);
  }
}

function bindAll(references: readonly CallRef[], lookup: Lookup): Binding {
  const indexes = new Set<number>(), missing: string[] = [], ambiguous: [string, number][] = [];
  for (const reference of references) {
    const [index, ...more] = lookup.find(reference);
    if (index === undefined) missing.push(textOf(reference));
    else if (more.length > 0) ambiguous.push([textOf(reference), 1 + more.length]);
    else indexes.add(index);
  }
  const inOrder = [...indexes].sort((a, b) => a - b);
  return {
    references: references.length,
    calls: inOrder.map((index) => lookup.calls[index]!),
    missing,
    ambiguous,
    isComplete: references.length > 0 && missing.length + ambiguous.length === 0,
  };
}

/** Of references that are the same, the first stays. */
function addNew(distinct: Map<string, CallRef>, references: readonly CallRef[]): void {
  for (const reference of references) {
    const { model_call_id, model_ref, response_id } = reference;
    const key = part(model_call_id) + part(model_ref?.type) + part(model_ref?.name) + part(response_id);
    if (!distinct.has(key)) distinct.set(key, reference);
  }
}

/** A part of a key: its length in front, so that no other parts make the same key. */
export function part(text: string | null | undefined): string {
  return text ? `${text.length} ${text}` : "-";
}

function textOf({ model_call_id, model_ref, response_id }: CallRef): string {
  return model_call_id ? `call:${model_call_id}` : ofResponse(model_ref!, response_id!);
}

function ofResponse({ type, name }: { type: string; name: string }, id: string): string {
  return `response:${type}:${name}:${id}`;
}

function isSame(a: CallRef["model_ref"], b: CallRef["model_ref"]): boolean {
  return a?.type === b?.type && a?.name === b?.name;
}
