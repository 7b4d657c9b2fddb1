/** A row on its way through the steps: the bytes it came with and the members that the steps set. */
import { edit, toJson } from "../json/edit.ts";
import { type JsonObject, parse } from "../json/object.ts";

/** Reading sees what was set before. */
export class Row {
  /** The row's `_ng_task_index`; `undefined` until it is known. */
  task: number | undefined;
  readonly #set = new Map<string, Uint8Array>();

  constructor(
    /** What the input line holds. */
    readonly object: JsonObject,
    /** The line's number in the file, from 1. */
    readonly line: number,
  ) {}

  /** Whether there is a member with that name, `null` included. */
  has(name: string): boolean {
    return this.#set.has(name) || this.object.has(name);
  }

  /** The bytes of a member's value, `undefined` when there is none. */
  raw(name: string): Uint8Array | undefined {
    return this.#set.get(name) ?? this.object.raw(name);
  }

  /** A member's value, parsed, `undefined` when there is none. Numbers lose their text: not for sending. */
  value(name: string): unknown {
    const raw = this.raw(name);
    return raw && parse(raw);
  }

  /** Sets a member to a JSON value. */
  set(name: string, json: Uint8Array): void {
    this.#set.set(name, json);
  }

  /** The row as pieces to be written one after another, with `more` members set in this copy only. */
  pieces(more: Iterable<readonly [string, Uint8Array]>): Uint8Array[] {
    const set = new Map(this.#set);
    for (const [name, json] of more) set.set(name, json);
    return edit(this.object, { set });
  }
}

const refs = new Map<string, Uint8Array>();

/** `{"name": NAME}`, what a row's `agent_ref` becomes when rollcall chooses the agent. */
export function agentRef(name: string): Uint8Array {
  let json = refs.get(name);
  if (!json) refs.set(name, json = toJson({ name }));
  return json;
}

const small = Array.from({ length: 256 }, (_, n) => ascii(String(n)));

/** A whole number as JSON bytes. */
export function wholeNumber(n: number): Uint8Array {
  return small[n] ?? ascii(String(n));
}

/** Text of ASCII characters only, as bytes. Several times faster than an encoder for short text. */
export function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
