/** The run's `responses_create_params` are laid over the row's. */
import { isNull, isObject } from "../json/kind.ts";
import { edit, join, toJson } from "../json/edit.ts";
import { readObject } from "../json/object.ts";
import { type Kind, RowFault } from "./problems.ts";
import { type Row } from "./row.ts";
import { KEYS } from "../record/keys.ts";

const NO_PARAMS: Kind = {
  heading: "Rows without responses_create_params",
  advice: "Every row needs that object, or a prompt_config that makes it.",
};
const NO_OBJECT: Kind = { heading: "responses_create_params must be an object", advice: "" };

/** The run's parameters as JSON, ready to be laid over rows. */
export function asOverrides(params: Readonly<Record<string, unknown>>): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(params).map(([name, value]) => [name, toJson(value)]));
}

/**
 * Lays the overrides over the row's parameters: each replaces the whole member of its name, the others stay.
 *
 * @throws {RowFault} when the row has no parameters, with or without overrides.
 */
export function layOver(row: Row, overrides: ReadonlyMap<string, Uint8Array>): void {
  const params = row.raw(KEYS.params);
  if (!params || isNull(params)) throw new RowFault(NO_PARAMS, "");
  if (!isObject(params)) throw new RowFault(NO_OBJECT, "");
  if (overrides.size === 0) return;
  row.set(KEYS.params, join(edit(readObject(params), { set: overrides })));
}
