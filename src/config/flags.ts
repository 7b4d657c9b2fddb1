/** What stands behind a flag, read as its key needs it. */
import { UsageFault } from "../kit/fault.ts";
import { exactNumber } from "../kit/exact_number.ts";
import { isSecret, MASKED } from "../kit/secrets.ts";
import type { ConfiguredCommand, KeyName, Value } from "./config.ts";
import type { Flag, Key } from "./key.ts";
import { keyOf, keysOf } from "./keys.ts";
import { shown } from "./value_errors.ts";
import { parseWord } from "./overrides.ts";

/** One flag as it was typed: which, and the string behind it (`true` for flags that take none). */
export interface TypedFlag {
  /** The key it sets. */
  readonly key: KeyName;
  readonly flag: Flag;
  readonly text: string | true;
}

/** The flag's long name, `--input`. */
export function longName(flag: Flag): string {
  return /--[a-z0-9-]+/.exec(flag.spelling)![0];
}

/** The flag as help shows it, without its short name: `--input <file>`. */
export function usage(flag: Flag): string {
  return flag.spelling.replace(/^-\w, /, "");
}

/**
 * Sets a flag's value in a layer of configuration. Flags that may be repeated add to what is there.
 *
 * @throws {UsageFault} naming the flag, what it needs and what it got.
 */
export function setFlag(layer: Record<string, Value>, { key, flag, text }: TypedFlag): void {
  const word = String(text);
  // What stands behind an equals sign may be anything, so only what stands before it is shown.
  const given = word.replace(/=.*/s, "=…");
  const wrong = (needs: string) =>
    new UsageFault(
      `${longName(flag)}: ${needs}, got ${
        flag.kind === "param" && isSecret(word) ? MASKED : shown(given, [key])
      }`,
    );
  const inside = (name: string, value: Value) => {
    const map = layer[key] ??= {};
    Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  };
  switch (flag.kind) {
    case "on":
    case "off":
      layer[key] = flag.kind === "on";
      return;
    case "concurrency":
    case "number": {
      if (flag.kind === "concurrency" && word === "auto") {
        layer[key] = word;
        return;
      }
      const number = Number(word.replace(/(?<=\d)_(?=\d)/g, ""));
      if (word.trim() === "" || Number.isNaN(number)) throw wrong("needs a number");
      if (flag.at) inside(flag.at, exactNumber(word, number) as Value);
      else layer[key] = number;
      return;
    }
    case "repeats":
      layer[key] = valueOf(word, () => wrong("needs a number, or a map as in {some_agent: 2, _default: 1}"));
      return;
    case "list":
      layer[key] = parts(word);
      return;
    case "pair":
    case "lists":
    case "param": {
      const at = word.indexOf("=");
      if (at < 1) throw wrong(`needs ${flag.spelling.includes("<name=url>") ? "NAME=URL" : "KEY=VALUE"}`);
      const [name, rest] = [word.slice(0, at), word.slice(at + 1)];
      inside(
        name,
        flag.kind === "pair" ? rest : flag.kind === "lists" ? parts(rest) : valueOf(rest, wrong, key),
      );
      return;
    }
    case "header": {
      const at = word.indexOf(":");
      if (at < 1) throw wrong("needs 'Name: value'");
      inside(word.slice(0, at).trim(), word.slice(at + 1).trim());
      return;
    }
    case "address": {
      const address = /^(?:http:\/\/)?(\[[^\]]+\]|[^:/@]+)(?::(\d+))?\/?$/.exec(word);
      if (!address || /^\d+$/.test(address[1]!)) throw wrong("needs HOST:PORT");
      layer[key] = { host: address[1]!, ...(address[2] ? { port: Number(address[2]) } : {}) };
      return;
    }
    case "string":
      if (flag.at) inside(flag.at, word);
      else layer[key] = word;
  }
}

/** A flag with what belongs to it. */
export interface KeyFlag {
  /** The key it sets. */
  readonly key: KeyName;
  readonly flag: Flag;
  /** What it means, and its default. */
  readonly about: string;
  /**
   * Whether help leaves it out: what it asks for is not there or changes nothing, or it is the key's own name, which
   * help shows behind the flag.
   */
  readonly hidden: boolean;
}

/** All flags of a command's keys, and where a key has a flag of another name, one of the key's own: `--num-samples-in-parallel`. */
export function allFlags(command: ConfiguredCommand = "collect"): KeyFlag[] {
  return keysOf(command).flatMap((name) => {
    const key = keyOf(name), hidden = key.state !== undefined;
    const flags: KeyFlag[] = key.flags.map((flag) => ({
      key: name,
      flag,
      about: aboutFlag(key, flag),
      hidden,
    }));
    const own = `--${name.replaceAll("_", "-")}`;
    const like = flags.find(({ flag }) => flag.at === undefined && flag.kind !== "param");
    if (!like || flags.some(({ flag }) => longName(flag) === own)) return flags;
    const spelling = like.flag.spelling.replace(/^.*--[a-z0-9-]+/, own);
    return [...flags, { ...like, flag: { ...like.flag, spelling }, hidden: true }];
  });
}

function aboutFlag(key: Key, flag: Flag): string {
  const about = flag.about ?? key.about;
  if (flag.kind === "on" || flag.kind === "off") return about;
  return `${about} (${key.type.default === undefined ? "required" : `default: ${defaultOf(key)}`})`;
}

/** The default of a key that has one, in words. */
export function defaultOf({ type, unset }: Key): string {
  const isEmpty = type.default === null ||
    (typeof type.default === "object" && !Object.keys(type.default).length);
  return isEmpty ? unset ?? "none" : String(type.default);
}

function parts(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** A value written as in a word. */
function valueOf(text: string, wrong: (needs: string) => UsageFault, key = "value"): Value {
  try {
    return parseWord(`${key}=${text}`).value;
  } catch {
    throw wrong("needs a number, true, false, null, a string, a list [a, b] or a map {a: b}");
  }
}
