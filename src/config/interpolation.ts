/**
 * OmegaConf's `${…}` references, which stand unresolved in the configuration that a head server answers:
 * `${key}`, `${a.b}`, `${oc.env:NAME}` and `${oc.env:NAME,default}`. They are resolved where a value is needed,
 * so that a reference nobody needs (a secret, a resolver of Gym's own) never gets in the way.
 */
import { UsageFault } from "../kit/fault.ts";
import type { Env } from "../ports/env.ts";

/** A reference that leads to a reference is followed this far; more is a circle. */
const DEEPEST = 20;

/**
 * `value` with every reference in it replaced by what it stands for. A string that is one reference becomes
 * the value referred to, of whatever type; one with text around it becomes a string.
 *
 * @throws {UsageFault} naming the reference that cannot be resolved and the key that needs it.
 */
export function resolve(value: unknown, config: Record<string, unknown>, env: Env, key: string): unknown {
  return new Resolver(config, env, key).resolve(value, 0);
}

class Resolver {
  constructor(
    readonly config: Record<string, unknown>,
    readonly env: Env,
    readonly key: string,
  ) {}

  resolve(value: unknown, depth: number): unknown {
    if (typeof value !== "string") return value;
    if (depth > DEEPEST) this.#fail("its references form a circle");
    let text = "", at = 0;
    for (let start = value.indexOf("${"); start >= 0; start = value.indexOf("${", at)) {
      const end = endOf(value, start);
      if (end < 0) this.#fail("it has a reference that is not closed");
      const found = this.#lookUp(value.slice(start + 2, end), depth + 1);
      if (start === 0 && end === value.length - 1) return found;
      text += value.slice(at, start) + (typeof found === "object" ? JSON.stringify(found) : String(found));
      at = end + 1;
    }
    return text + value.slice(at);
  }

  /** What stands between the braces; it may hold references itself. */
  #lookUp(reference: string, depth: number): unknown {
    const fromEnv = /^oc\.env:((?:[^,$]|\$(?!\{))*)(?:,(.*))?$/s.exec(reference);
    if (fromEnv) return this.#fromEnv(fromEnv[1]!.trim(), fromEnv[2]?.trim(), depth);
    const path = String(this.resolve(reference, depth)).trim();
    if (path === "") this.#fail("it has an empty reference");
    if (path.includes(":")) {
      this.#fail(`\${${path.replace(/:.*/s, ":…")}} uses a resolver that rollcall does not have`);
    }
    if (path.startsWith(".")) this.#fail(`\${${path}} is relative: write the whole path`);
    let at: unknown = this.config;
    for (const part of path.split(/[.[\]]+/).filter((part) => part !== "")) {
      // What is on the way may be a reference as well.
      at = this.resolve(at, depth);
      const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, part);
      at = isThere && !(Array.isArray(at) && part === "length")
        ? (at as Record<string, unknown>)[part]
        : undefined;
    }
    if (at === undefined) this.#fail(`there is no ${path} in the configuration`);
    return this.resolve(at, depth);
  }

  /** A variable, or else the default, which is looked at only then. */
  #fromEnv(name: string, otherwise: string | undefined, depth: number): unknown {
    const found = this.env(name);
    if (found !== undefined) return found;
    if (otherwise === undefined) this.#fail(`the environment variable ${name} is not set`);
    if (otherwise === "null") return null;
    return this.resolve(otherwise.replace(/^(['"])(.*)\1$/s, "$2"), depth);
  }

  #fail(reason: string): never {
    throw new UsageFault(`Cannot resolve ${this.key}: ${reason}.`);
  }
}

/** Where the brace is that closes the reference which starts at `start`, or -1. */
function endOf(text: string, start: number): number {
  let open = 0;
  for (let at = start; at < text.length; at++) {
    if (text.startsWith("${", at)) open++;
    else if (text[at] === "}" && --open === 0) return at;
  }
  return -1;
}
