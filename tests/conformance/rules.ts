/**
 * Reply rules: which one answers a request, and with what bytes.
 */
import { type Identity, type Part, partKey } from "./identity.ts";
import { dumps, isObject, type Json, mapValues, Num } from "./json.ts";
import { type MatchKey, readRule, type Rule } from "./script.ts";

const NO_RULE = readRule("no rule", { status: new Num("404"), text: "no rule in the case for this request" });

/** The rules of one step, and how often each can still be used. */
export class Rules {
  readonly #left: { readonly rule: Rule; times: number }[];

  constructor(rules: readonly Rule[]) {
    this.#left = rules.map((rule) => ({ rule, times: rule.times }));
  }

  /**
   * The first rule that matches and is not used up; a 404 if there is none. `server` is null for the head
   * server.
   */
  pick(server: string | null, path: string, who: Identity): Rule {
    const seen: Record<MatchKey, Part> = { server, path, ...who };
    for (const entry of this.#left) {
      const matches = [...entry.rule.match].every(([key, want]) => partKey(want) === partKey(seen[key]));
      if (!matches || entry.times < 1) continue;
      entry.times--;
      return entry.rule;
    }
    return NO_RULE;
  }
}

/**
 * The body of a rule's answer to a request.
 *
 * @throws {TypeError} if the rule refers to a part that the request lacks
 */
export function bodyOf(rule: Rule, request: Json): Uint8Array<ArrayBuffer> {
  if ("hex" in rule.body) {
    return Uint8Array.from(rule.body.hex.replace(/\s/g, "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
  }
  return new TextEncoder().encode(
    "text" in rule.body ? rule.body.text.repeat(rule.body.repeat) : jsonOf(rule.body, request),
  );
}

function jsonOf(body: { readonly json: Json; readonly echo: boolean }, request: Json): string {
  const answer = fill(body.json, request);
  if (!body.echo) return dumps(answer);
  if (!isObject(request) || !isObject(answer)) {
    throw new TypeError("echo needs a request and an answer that are objects");
  }
  return dumps({ ...request, ...answer });
}

/** Every "$req:a.b" string replaced by that part of the request. */
function fill(value: Json, request: Json): Json {
  if (Array.isArray(value)) return value.map((item) => fill(item, request));
  if (isObject(value)) return mapValues(value, (item) => fill(item, request));
  if (typeof value !== "string" || !value.startsWith("$req:")) return value;
  return value.slice("$req:".length).split(".").reduce((at: Json, part) => {
    if (!isObject(at) || !Object.hasOwn(at, part)) {
      throw new TypeError(`the request has no ${value.slice(5)}`);
    }
    return at[part]!;
  }, request);
}
