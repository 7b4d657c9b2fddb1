/** What a command of the command line is: its file in `commands/` exports one, `commands.ts` lists them. */
import type { Command, Option } from "commander";
import { UsageFault } from "../kit/fault.ts";
import type { GymFile } from "../prepare/gym_configs.ts";
import type { World } from "../ports/world.ts";
import type { Signals } from "./signals.ts";

/** One of Gym's commands, as help shows it. */
export interface Spelling {
  /** Behind `rollcall`: `eval run --no-serve`. */
  readonly name: string;
  /** Flags that only Gym has, or has with another meaning. */
  readonly flags: readonly (readonly [spelling: string, about: string])[];
}

/** What a command may use. */
export interface Context {
  readonly world: World;
  readonly signals: Signals;
  /** What to tell the user before everything else. */
  readonly notes: readonly string[];
  /** The files of Gym's configuration that its flags name; only for calls in Gym's spelling. */
  readonly gymFiles?: readonly GymFile[];
  /** How help shows the command; only for calls in Gym's spelling. */
  readonly spelling?: Spelling;
  /** Says that files are touched from now on, so that an error of the machine is not one of usage. */
  touched(): void;
  /** All commands, and what commander has made of them, for what is made from them in turn. */
  readonly commands: readonly AnyCommand[];
  readonly program: Command;
}

/** A command whose arguments and flags make an `O`. */
export interface CliCommand<O> {
  readonly name: string;
  /** The heading that `rollcall --help` lists it under. */
  readonly group: string;
  /** What it does. */
  readonly about: string;
  /** The same in a line, where `about` is longer. */
  readonly summary?: string;
  /** Two or three, each with what it is for. */
  readonly examples: readonly (readonly [about: string, command: string])[];
  readonly exitCodes: readonly (readonly [number, string])[];
  /** Adds its arguments and flags; `chosen` takes what they say. */
  define(command: Command, chosen: (options: O) => void): void;
  /** Returns the exit code. */
  run(options: O, context: Context): Promise<number>;
}

/** A command of a list of different ones. */
// deno-lint-ignore no-explicit-any -- what `define` chooses is what `run` of the same command takes
export type AnyCommand = CliCommand<any>;

/** Headings of `rollcall --help`. */
export const GROUPS = { collecting: "Collecting:", finished: "Runs:", shell: "Shell and Gym:" } as const;

/** A parser of a flag's number. */
export function positive(flag: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= 1) return number;
    throw new UsageFault(`${flag}: needs a whole number, 1 or more, got ${text}`);
  };
}

/** The same of any number. */
export function anyNumber(flag: string): (text: string) => number {
  return (text) => {
    const number = text.trim() === "" ? NaN : Number(text);
    if (Number.isFinite(number)) return number;
    throw new UsageFault(`${flag}: needs a number, got ${text}`);
  };
}

/** Whether a flag adds to what it was given before: a map's entries, and files of configuration. */
export function isRepeatable({ long, flags }: Pick<Option, "long" | "flags">): boolean {
  return long === "--config" || /<name:|<.*=.*>/.test(flags);
}
