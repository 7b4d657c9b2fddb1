/**
 * OmegaConf's `${…}` references, which stand unresolved in the configuration that a head server answers:
 * `${key}`, `${a.b}`, `${oc.env:NAME}` and `${oc.env:NAME,default}`. They are resolved where a value is needed,
 * so that a reference nobody needs (a secret, a resolver of Gym's own) never gets in the way.
 */
import { UsageFault } from "../kit/fault.ts";

/** Reads an environment variable; `undefined` when it is not set. May throw when it must not be read. */
export type Env = (name: string) => string | undefined;

/** A reference inside a reference is resolved this deep; more is a circle. */
const DEEPEST = 20;

/**
 * `value` with every reference in it replaced by what it stands for. A text that is one reference becomes the
 * value referred to, of whatever type; one with text around it becomes text.
 *
 * @throws {UsageFault} naming the reference that cannot be resolved and the key that needs it.
 */
export function resolve(value: unknown, config: Record<string, unknown>, env: Env, key: string): unknown {
  return resolveIn(value, config, env, key, 0);
}

function resolveIn(
  value: unknown,
  config: Record<string, unknown>,
  env: Env,
  key: string,
  depth: number,
): unknown {
  if (typeof value !== "string" || !value.includes("${")) return value;
  if (depth > DEEPEST) throw new UsageFault(`Cannot resolve ${key}: ${value} refers to itself.`);
  const whole = /^\$\{([^${}]*)\}$/.exec(value);
  if (whole) return resolveIn(lookUp(whole[1]!, config, env, key), config, env, key, depth + 1);
  // Innermost references first, so that `${oc.env:NAME,${other}}` works.
  const text = value.replace(/\$\{([^${}]*)\}/g, (_, reference) => {
    const found = resolveIn(lookUp(reference, config, env, key), config, env, key, depth + 1);
    return typeof found === "object" ? JSON.stringify(found) : String(found);
  });
  if (text === value) throw new UsageFault(`Cannot resolve ${key}: ${value} has an unclosed reference.`);
  return resolveIn(text, config, env, key, depth + 1);
}

function lookUp(reference: string, config: Record<string, unknown>, env: Env, key: string): unknown {
  const fromEnv = /^oc\.env:([^,]*)(?:,(.*))?$/s.exec(reference);
  if (fromEnv) {
    const name = fromEnv[1]!.trim();
    const found = env(name) ?? fromEnv[2]?.trim().replace(/^(['"])(.*)\1$/s, "$2");
    if (found !== undefined) return found;
    throw new UsageFault(`Cannot resolve ${key}: the environment variable ${name} is not set.`);
  }
  if (!/^[^:]*$/.test(reference)) {
    throw new UsageFault(
      `Cannot resolve ${key}: \${${reference}} uses a resolver that rollcall does not have.`,
    );
  }
  let at: unknown = config;
  for (const part of reference.split(/[.[\]]+/).filter((part) => part !== "")) {
    at = typeof at === "object" && at !== null && Object.hasOwn(at, part)
      ? (at as Record<string, unknown>)[part]
      : undefined;
  }
  if (at === undefined) {
    throw new UsageFault(`Cannot resolve ${key}: there is no ${reference} in the configuration.`);
  }
  return at;
}
