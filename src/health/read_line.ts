/** A line of a rollouts file, gone through once: its members, and on the way what checks read of them. */
import { isText } from "../json/text_at.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { trajectory } from "./read_trajectory.ts";
import { type Cursor, nullOr, readShape, type Shape } from "./shape.ts";
import type { Trajectory } from "./trajectory.ts";
import { NO_USAGE, responseUsage, type Usage } from "./usage.ts";

/** What checks read of a line. */
export interface HealthLine {
  readonly row: JsonObject;
  /** Null where there is none. @throws {ShapeFault} for one of another shape */
  readonly trajectory: () => Trajectory | null;
  /** The result's own token counts. */
  readonly usage: () => Usage;
}

/** @throws {JsonFault} when the line is not a JSON object */
export function readLine(line: Uint8Array): HealthLine {
  const cursor = { bytes: line, at: 0 };
  const ofTrajectory = new Member("ng_trajectory", nullOr(trajectory), null);
  const ofResponse = new Member("response", responseUsage, NO_USAGE);
  const row = readObject(line, Infinity, (key, keyEnd, value) => {
    cursor.at = value;
    if (isText(line, key, keyEnd, ofTrajectory.name)) return ofTrajectory.read(cursor);
    return isText(line, key, keyEnd, ofResponse.name) ? ofResponse.read(cursor) : undefined;
  });
  return { row, trajectory: () => ofTrajectory.of(row), usage: () => ofResponse.of(row) };
}

/** A member that is read where it stands. */
class Member<T> {
  #at = -1;
  #value: T | undefined;
  #fault: unknown;

  constructor(readonly name: string, readonly shape: Shape<T>, readonly absent: T) {}

  /** Where the value ends; `undefined` when it has another shape, and may not even be JSON. */
  read(cursor: Cursor): number | undefined {
    this.#at = cursor.at;
    this.#fault = undefined;
    try {
      this.#value = this.shape(cursor);
      return cursor.at;
    } catch (fault) {
      if (fault instanceof JsonFault) throw fault;
      this.#fault = fault;
      return undefined;
    }
  }

  /** The row's member. @throws what reading it met */
  of(row: JsonObject): T {
    const raw = row.raw(this.name);
    if (!raw) return this.absent;
    // A later one counts, whose name is spelled with escapes.
    if (raw.byteOffset - row.bytes.byteOffset !== this.#at) return readShape(raw, this.shape);
    if (this.#fault !== undefined) throw this.#fault;
    return this.#value!;
  }
}
