/** What stands behind a flag, read as its key wants it. */
import { UsageFault } from "../kit/fault.ts";
import { exactNumber } from "../kit/exact_number.ts";
import { isSecret, MASKED } from "../kit/secrets.ts";
import type { Config, Value } from "./config.ts";
import { type Flag, KEYS } from "./keys.ts";
import { parseWord } from "./words.ts";

/** One flag as it was typed: which, and the text behind it (`true` for flags that take none). */
export interface TypedFlag {
  /** The key it sets. */
  readonly key: keyof Config;
  /** Its row in the table. */
  readonly flag: Flag;
  /** The text behind it. */
  readonly text: string | true;
}

/** The flag's long name, `--input`. */
export function longName(flag: Flag): string {
  return /--[a-z0-9-]+/.exec(flag.spelling)![0];
}

/**
 * Sets a flag's value in a layer of configuration. Flags that may be repeated add to what is there.
 *
 * @throws {UsageFault} naming the flag, what it wants and what it got.
 */
export function setFlag(layer: Record<string, Value>, { key, flag, text }: TypedFlag): void {
  const wrong = (wants: string) =>
    new UsageFault(`${longName(flag)}: ${wants}, got ${isSecret(key) ? MASKED : JSON.stringify(text)}`);
  const word = String(text);
  const inside = (name: string, value: Value) => {
    const map = layer[key] ??= {};
    Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  };
  switch (flag.kind) {
    case "on":
      layer[key] = true;
      return;
    case "number": {
      const number = Number(word);
      if (word.trim() === "" || Number.isNaN(number)) throw wrong("wants a number");
      if (flag.at) inside(flag.at, exactNumber(word, number) as Value);
      else layer[key] = number;
      return;
    }
    case "repeats":
      layer[key] = valueOf(word, wrong);
      return;
    case "list":
      layer[key] = parts(word);
      return;
    case "pair":
    case "lists":
    case "param": {
      const at = word.indexOf("=");
      if (at < 1) throw wrong("wants KEY=VALUE");
      const [name, rest] = [word.slice(0, at), word.slice(at + 1)];
      inside(
        name,
        flag.kind === "pair" ? rest : flag.kind === "lists" ? parts(rest) : valueOf(rest, wrong, key),
      );
      return;
    }
    case "address": {
      const address = /^(?:https?:\/\/)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?\/?$/.exec(word);
      if (!address) throw wrong("wants HOST:PORT");
      layer[key] = { host: address[1]!, ...(address[2] ? { port: Number(address[2]) } : {}) };
      return;
    }
    case "text":
      if (flag.at) inside(flag.at, word);
      else layer[key] = word;
  }
}

/** All flags of the table with their keys. */
export function allFlags(): { readonly key: keyof Config; readonly flag: Flag; readonly says: string }[] {
  return (Object.keys(KEYS) as (keyof Config)[]).flatMap((key) =>
    KEYS[key].flags.map((flag) => ({ key, flag, says: flag.says ?? KEYS[key].says }))
  );
}

function parts(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** A value written as in a word. */
function valueOf(text: string, wrong: (wants: string) => UsageFault, key = "value"): Value {
  try {
    return parseWord(`${key}=${text}`).value;
  } catch {
    throw wrong("wants a number, true, false, null, a text, a list [a, b] or a map {a: b}");
  }
}
