/**
 * Records as Gym's models take them: every field is written, in the model's order, with its default where it is
 * missing. What is not a field is refused, dropped or kept, as the model says.
 */
import type { Tree } from "../rows/tree.ts";
import { Misfit, object, type Taker } from "./lax.ts";

/** A field: how it is taken, and what stands in its place; nothing if that is undefined. Without it, it must be given. */
export type Field = readonly [take: Taker, absent?: () => Tree | undefined];

/** A field that may be null, as it is where it is missing. */
export const nullable = (take: Taker): Field => [orNull(take), () => null];

/** A field that is this where it is missing. */
export const orElse = (take: Taker, byDefault: Tree): Field => [take, () => byDefault];

/** A field that is not written where it is missing. */
export const omissible = (take: Taker): Field => [take, () => undefined];

/** A value that may be null. */
export function orNull(take: Taker): Taker {
  return (value) => value === null ? null : take(value);
}

/** Any value, as it is. */
export const anything: Taker = (value) => value;

/** Takes objects with these fields. @throws {Misfit} for a field that is missing, does not fit or is unknown */
export function record(
  fields: Readonly<Record<string, Field>>,
  others: "refused" | "dropped" | "kept" = "refused",
): Taker<Map<string, Tree>> {
  const entries = Object.entries(fields);
  return (value) => {
    const given = object(value), taken = new Map<string, Tree>();
    if (others === "refused") {
      for (const name of given.keys()) {
        if (!Object.hasOwn(fields, name)) throw new Misfit(`an unknown field ${name}`);
      }
    }
    for (const [name, [take, absent]] of entries) {
      const there = given.get(name);
      if (there === undefined && !absent) throw new Misfit(`no ${name}`);
      const made = there === undefined ? absent!() : take(there);
      if (made !== undefined) taken.set(name, made);
    }
    if (others === "kept") {
      for (const name of given.keys()) if (!Object.hasOwn(fields, name)) taken.set(name, given.get(name)!);
    }
    return taken;
  };
}

/** What the first of these takes. @throws {Misfit} when none does */
export function either(...takers: readonly Taker[]): Taker {
  return (value) => {
    for (const take of takers) {
      try {
        return take(value);
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
      }
    }
    throw new Misfit("none of what it may be");
  };
}
