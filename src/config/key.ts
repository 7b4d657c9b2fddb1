/** What the table of keys (`keys.ts`) says of each key. */
import type { Type } from "./value_types.ts";

/** A command with a configuration; `plan` takes that of `collect`. */
export type ConfiguredCommand = "collect" | "aggregate";

/** What a key is about, for those who need the keys of one concern. */
export type Part =
  | "rows"
  | "dispatch"
  | "slurm"
  | "files"
  | "resume"
  | "exit"
  | "score"
  | "health"
  | "trajectory"
  | "servers"
  | "export"
  | "terminal";

/** How the string behind a flag becomes the value of its key. */
export type FlagKind =
  /** The string itself. */
  | "string"
  | "number"
  /** A number, or `auto`. */
  | "concurrency"
  /** Nothing behind it: the key becomes true. */
  | "on"
  /** Nothing behind it: the key becomes false. */
  | "off"
  /** A number, or a map written as a word: `{_default: 4}`. */
  | "repeats"
  /** Strings separated by commas. */
  | "list"
  /** `KEY=VALUE`; repeatable. */
  | "pair"
  /** `KEY=A,B`; repeatable. */
  | "lists"
  /** `KEY=VALUE`, where VALUE is written as in a word (number, true, null, list, map, string); repeatable. */
  | "param"
  /** `NAME: VALUE`; repeatable. */
  | "header"
  /** `HOST:PORT`. */
  | "address";

/** A flag of the command line. */
export interface Flag {
  /** As commander spells it: `-i, --input <file>`. */
  readonly spelling: string;
  readonly kind: FlagKind;
  /** Where inside the key's value it goes, for keys that hold maps. */
  readonly at?: string;
  /** What it means, where that differs from the key's own meaning. */
  readonly about?: string;
}

/** A configuration key. */
export interface Key<T = unknown, C extends ConfiguredCommand = ConfiguredCommand, P extends Part = Part> {
  /** Its type, with the default. */
  readonly type: Type<T>;
  /** What it means, for help and docs. */
  readonly about: string;
  /** The heading that help shows it under. */
  readonly group: string;
  readonly part: P;
  /** The commands that take it. */
  readonly commands: readonly C[];
  /** The flags that set it; none for keys that only files and words set. */
  readonly flags: readonly Flag[];
  /** What happens where it is null or empty, as it is by default. */
  readonly unset?: string;
  /** Whether a resume refuses to go on with another value: the key decides what the rollouts are. */
  readonly decides?: true;
  /** `planned`: known and checked, but asking for it is refused. `inert`: accepted, and changes nothing. Help leaves both out. */
  readonly state?: "planned" | "inert";
  /** What has to be masked inside its value: a command line, or a map of whatever a user puts there. */
  readonly holds?: "command" | "anything";
  /** `false` for keys of rollcall's own. */
  readonly isGym?: false;
  /** An old name, still understood, with a warning. */
  readonly was?: string;
}

/** An entry of the table, its types kept. */
export function key<T, C extends ConfiguredCommand, P extends Part>(key: Key<T, C, P>): Key<T, C, P> {
  return key;
}

/** A flag of an entry. */
export function flag(
  spelling: string,
  kind: FlagKind = "string",
  more: Pick<Flag, "at" | "about"> = {},
): Flag {
  return { spelling, kind, ...more };
}
