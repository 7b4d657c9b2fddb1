/** The rollout's number as `seed`, inside the JSON text that `metadata.extra_body` is. */
import { isNull, isObject } from "../json/kind.ts";
import { edit } from "../json/edit.ts";
import { type JsonObject, parse, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { type Kind, RowFault } from "./problems.ts";
import { dumps } from "./python.ts";
import { ascii, wholeNumber } from "./row.ts";
import { NumberText, readTree, type Tree } from "./tree.ts";

const BAD_BODY: Kind = {
  heading: "num_repeats_add_seed needs responses_create_params.metadata to be an object, " +
    "and extra_body in it to be a string that holds a JSON object",
  advice: "",
};

const encoder = new TextEncoder();
const EMPTY = encoder.encode("{}");
/** A placeholder for the seed in a string where this character cannot occur otherwise, since it is escaped. */
const MARK = "\0";

/**
 * A function from a seed to the parameters with that seed, as pieces. `extra_body` is read and written back as
 * Python's `json` module would, so its numbers come out as Python writes them; everything around it stays.
 *
 * @param params a row's `responses_create_params`, an object
 * @throws {RowFault} when they cannot take a seed.
 */
export function seeding(params: Uint8Array): (seed: number) => Uint8Array[] {
  const object = readObject(params);
  const metadata = metadataOf(object);
  const body = bodyOf(metadata);
  body.set("seed", new NumberText(MARK));
  const [before, after] = dumps(body).split(MARK) as [string, string];
  // Both halves are escaped as text; a number needs no escaping.
  const head = ascii(JSON.stringify(before).slice(0, -1));
  const tail = ascii(JSON.stringify(after).slice(1));
  const inMetadata = edit(metadata, { set: new Map([["extra_body", SLOT]]) });
  const whole = replaced(edit(object, { set: new Map([["metadata", SLOT]]) }), inMetadata);
  return (seed) => replaced(whole, [head, wholeNumber(seed), tail]);
}

/** A placeholder among pieces, recognised by identity. */
const SLOT = new Uint8Array(0);

function replaced(pieces: Uint8Array[], by: Uint8Array[]): Uint8Array[] {
  return pieces.flatMap((piece) => piece === SLOT ? by : [piece]);
}

function metadataOf(params: JsonObject): JsonObject {
  const json = params.raw("metadata");
  if (!json || isNull(json)) return readObject(EMPTY);
  if (!isObject(json)) throw new RowFault(BAD_BODY, "metadata is not an object");
  return readObject(json);
}

function bodyOf(metadata: JsonObject): Map<string, Tree> {
  const json = metadata.raw("extra_body");
  if (!json || isNull(json)) return new Map();
  const text = parse(json);
  if (typeof text !== "string") throw new RowFault(BAD_BODY, "extra_body is not a string");
  try {
    return readTree(readObject(encoder.encode(text)).text()) as Map<string, Tree>;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new RowFault(BAD_BODY, `extra_body: ${error.message}`);
  }
}
