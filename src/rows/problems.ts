/**
 * What is wrong with the rows. A step throws a {@link RowFault} at the first thing it cannot accept in a row;
 * {@link Problems} keeps them by kind until the whole input was read, so that a user sees all of them at once.
 */
import type { JsonObject } from "../json/object.ts";
import { ownId } from "../record/task_name.ts";
import { list, LISTED } from "../kit/fault.ts";

/** A kind of problem: rows that have it are listed under one heading. */
export interface Kind {
  /** What is wrong, without a full stop: the list follows. */
  readonly heading: string;
  /** What to do about it; may be empty. */
  readonly advice: string;
}

/** Something is wrong with one row. */
export class RowFault extends Error {
  /** Shown when the error is printed raw. */
  override name = "RowFault";
  /** A fault of a row that whoever catches it knows. */
  constructor(
    /** The heading it is listed under. */
    readonly kind: Kind,
    /** Details of this row; may be empty. */
    readonly detail: string,
    /** What many rows may have in common (an agent, a setting): listed once for all of them. */
    readonly subject?: string,
  ) {
    super(`${kind.heading}: ${detail}`);
  }
}

/** Where a row comes from, for messages. */
export interface Place {
  /** Line of the input file, counted from 1. */
  readonly line: number;
  /** The row's `_ng_task_index`; absent when it is what is wrong. */
  readonly task?: number | undefined;
  /** The row itself, for its own id. */
  readonly object?: Pick<JsonObject, "raw">;
}

/** A value in a message: as JSON, truncated if long. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "missing";
  return cutOff(json);
}

function cutOff(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

interface Item {
  readonly first: Omit<Place, "object"> & { readonly id: string | undefined };
  readonly detail: string;
  rows: number;
}

interface Listing {
  readonly items: Item[];
  readonly bySubject: Map<string, Item>;
  /** Rows whose problem is not among the items. */
  more: number;
}

/** All problems of the rows of one file. Memory does not grow with the rows: what would not be shown is only counted. */
export class Problems {
  readonly #file: string;
  readonly #listings = new Map<Kind, Listing>();

  /** @param file as shown in messages */
  constructor(file: string) {
    this.#file = file;
  }

  /** Keeps a problem. */
  add(fault: RowFault, place: Place): void {
    let listing = this.#listings.get(fault.kind);
    if (!listing) {
      this.#listings.set(fault.kind, listing = { items: [], bySubject: new Map(), more: 0 });
    }
    const known = fault.subject === undefined ? undefined : listing.bySubject.get(fault.subject);
    if (known) {
      known.rows++;
    } else if (listing.items.length < LISTED) {
      const item = {
        first: { line: place.line, task: place.task, id: place.object && ownId(place.object) },
        detail: fault.detail,
        rows: 1,
      };
      listing.items.push(item);
      if (fault.subject !== undefined) listing.bySubject.set(fault.subject, item);
    } else {
      listing.more++;
    }
  }

  /** All problems, as one error message; `undefined` when there are none. */
  message(): string | undefined {
    if (this.#listings.size === 0) return undefined;
    const parts: string[] = [];
    for (const [kind, { items, more }] of this.#listings) {
      const lines = items.map((item) => this.#text(item));
      parts.push(
        `${kind.heading}:${list(lines, lines.length + more)}` + (kind.advice && `\n${kind.advice}`),
      );
    }
    return parts.join("\n\n");
  }

  #text({ first: { line, task, id }, detail, rows }: Item): string {
    const where = `${this.#file}:${line}` +
      (task === undefined ? "" : ` (task ${task}${id === undefined ? "" : `, ${cutOff(id)}`})`) +
      (rows > 1 ? ` and ${rows - 1} more` : "");
    return detail ? `${where}: ${detail}` : where;
  }
}
