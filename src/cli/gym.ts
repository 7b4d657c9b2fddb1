/**
 * Gym's own spellings: `rollcall eval run --no-serve …` takes the flags of `gym eval run`, and called through a link
 * named `ng_collect_rollouts` rollcall takes that command's words. Both become rollcall's own arguments here.
 */
import { list, UsageFault } from "../kit/fault.ts";
import type { Component, GymFile } from "../prepare/gym_configs.ts";
import { nearest } from "../kit/nearest.ts";
import type { Spelling } from "./command.ts";

/** A call in rollcall's own spelling. */
export interface Call {
  /** The arguments. */
  readonly args: readonly string[];
  /** What to tell the user. */
  readonly notes: readonly string[];
  /** Folders to look inputs up in before those of NEMO_GYM_EXTRA_ROOTS. */
  readonly searchDirs: readonly string[];
  /** The files of Gym's configuration that its flags name; only for a call in Gym's spelling. */
  readonly gymFiles?: readonly GymFile[];
  /** How help shows it; only for a call in Gym's spelling. */
  readonly spelling?: Spelling;
}

/** The commands that Gym had before it had one, without their prefix. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  collect_rollouts: ["eval", "run", "--no-serve"],
  e2e_collect_rollouts: ["eval", "run"],
  aggregate_rollouts: ["eval", "aggregate"],
  reward_profile: ["eval", "profile"],
};

/** rollcall's command for each of Gym's. */
const COMMANDS: Readonly<Record<string, string>> = {
  run: "collect",
  aggregate: "aggregate",
  "health-check": "health",
  profile: "profile",
  compare: "compare",
};

/** Commands of Gym's that rollcall does not replace. */
const GYMS = new Set(["export", "prepare", "reverify", "submit"]);

/** Of these, the names of commands of rollcall's own, which do not stand for Gym's. */
const OWN = new Set(["export", "submit"]);

/** What Gym has beside `eval`. */
const BESIDE_EVAL = new Set(["dataset", "env"]);

/** Gym's command that a name alone stands for, if any, and rollcall does not replace. */
function gymCommand(name: string): string | undefined {
  return GYMS.has(name) && !OWN.has(name) ? `eval ${name}` : BESIDE_EVAL.has(name) ? name : undefined;
}

/** Says that a command is Gym's. */
function isGyms(command: string): UsageFault {
  return new UsageFault(
    `rollcall does not replace Gym's ${command}: call gym ${command} …. ` +
      `It replaces eval ${Object.keys(COMMANDS).join(", eval ")}.`,
  );
}

/** Flags that name a file of Gym's configuration, in the order in which Gym merges what they name. */
const FILES: Readonly<Record<string, (value: string) => Component | undefined>> = {
  "--config": () => undefined,
  "--benchmark": (value) => nested("benchmarks", value),
  "--environment": (value) => nested("environments", value),
  "--resources-server": (value) => flavoured("resources_servers", value),
  "--model-type": (value) => flavoured("responses_api_models", value),
};

/** A component that may lie in folders: `a/b` is `a/b/config.yaml` where there is one, else the flavor `b` of `a`. */
function nested(folder: string, value: string): Component {
  const [name, flavor = "config"] = value.split("/");
  const whole = `${folder}/${value}/config.yaml`, flavored = `${folder}/${name}/${flavor}.yaml`;
  return { folder, paths: value.includes("/") ? [whole, flavored] : [flavored] };
}

function flavoured(folder: string, value: string): Component {
  const [name, flavor = name] = value.split("/");
  return { folder, paths: [`${folder}/${name}/configs/${flavor}.yaml`] };
}

/** Flags that only Gym has: whether a value follows. */
const GYM_FLAGS: Readonly<Record<string, boolean>> = {
  "--no-serve": false,
  "--verbose": false,
  "-v": false,
  "--agent-type": true,
  "--benchmark": true,
  "--config": true,
  "--environment": true,
  "--model": true,
  "-m": true,
  "--model-api-key": true,
  "--model-type": true,
  "--model-url": true,
  "--resources-server": true,
  "--search-dir": true,
  "--split": true,
};

const VERBOSE = ["-v, --verbose", "no effect: Gym's log goes to its servers"] as const;
const CONFIG = [
  "--config <file>",
  "a file of Gym's configuration: the collector's keys in it take effect, and flags and overrides win; repeatable",
] as const;
const IGNORED = "for starting servers: ignored with a note";

/** How help shows Gym's commands, by their names. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  run: {
    name: "eval run --no-serve",
    flags: [
      ["--no-serve", "needed: rollcall does not start servers"],
      CONFIG,
      ["--benchmark <name>", "Gym's configuration of a benchmark, read as with --config"],
      ["--environment <name>", "the same of an environment"],
      ["--resources-server <name>", "the same of a resources server"],
      ["--model-type <name>", "the same of a model server"],
      [
        "--search-dir <folder>",
        "where input, prompt, skills and configuration are looked up first; repeatable",
      ],
      ["--split <name>", IGNORED],
      ["-m, --model <name>", IGNORED],
      ["--model-url <url>", IGNORED],
      ["--model-api-key <key>", IGNORED],
      VERBOSE,
    ],
  },
  aggregate: { name: "eval aggregate", flags: [CONFIG, VERBOSE] },
  "health-check": { name: "eval health-check", flags: [VERBOSE] },
  profile: { name: "eval profile", flags: [VERBOSE] },
  compare: { name: "eval compare", flags: [VERBOSE] },
};

/** Those of them that say something to rollcall, or nothing to anybody but a log. */
const UNDERSTOOD = new Set(["--no-serve", "--verbose", "-v", "--search-dir", ...Object.keys(FILES)]);

/**
 * What was called, in rollcall's spelling; a call that is in it already stays as it is.
 *
 * @param name the name rollcall was called by, without its folder
 * @throws {UsageFault} for what rollcall does not replace, and for flags that contradict one another
 */
export function rollcallArgs(name: string, given: readonly string[]): Call {
  const link = /^(?:ng|nemo_gym)_(.+)$/.exec(name)?.[1];
  if (link !== undefined && !Object.hasOwn(LINKS, link)) {
    throw new UsageFault(
      `This is rollcall, called as ${name}, which it does not replace. It replaces ` +
        `${Object.keys(LINKS).map((other) => `ng_${other}`).join(", ")}.`,
    );
  }
  const called = link === undefined ? given : [...LINKS[link]!, ...given];
  const args = called[0] === "help" && called[1] === "eval" ? [...called.slice(1), "--help"] : called;
  const [first, command = "--help", ...rest] = args;
  const others = gymCommand(first ?? "");
  if (others !== undefined) throw isGyms(others);
  if (first !== "eval") return { args, notes: [], searchDirs: [] };
  if (command === "--help" || command === "-h") {
    return { args: ["eval", "--help"], notes: [], searchDirs: [] };
  }
  if (GYMS.has(command)) {
    throw isGyms(`eval ${command}`);
  }
  if (!Object.hasOwn(COMMANDS, command)) {
    const near = nearest(command, Object.keys(COMMANDS));
    throw new UsageFault(
      `rollcall has no "eval ${command}"${near ? ` (did you mean "eval ${near}"?)` : ""}. ` +
        `rollcall replaces Gym's eval ${Object.keys(COMMANDS).join(", eval ")}.`,
    );
  }
  const { own, flags, searchDirs, gymFiles } = withoutGymFlags(rest);
  const help = own.some((arg) => arg === "--help" || arg === "-h");
  if (command === "run" && !help) checkRun(flags);
  const ignored = [...new Set(flags)].filter((flag) => !UNDERSTOOD.has(flag));
  return {
    args: [COMMANDS[command]!, ...own],
    notes: ignored.length === 0 ? [] : [`Ignored, since they are for starting servers:${list(ignored)}`],
    searchDirs,
    gymFiles,
    spelling: SPELLINGS[command]!,
  };
}

function checkRun(flags: readonly string[]): void {
  if (!flags.includes("--no-serve")) {
    throw new UsageFault(
      "Starting the servers is not available yet in this version: start them (gym env start …), then " +
        "collect with --no-serve, or with `rollcall collect`.",
    );
  }
  if (flags.includes("--agent-type")) {
    throw new UsageFault(
      "--agent-type chooses what the servers are started with, so it does not go with --no-serve. " +
        "--agent names one of the agents that run.",
    );
  }
}

/** The arguments without the flags that only Gym has, the names of those, and the folders and files they name. */
function withoutGymFlags(args: readonly string[]) {
  const own: string[] = [], flags: string[] = [], searchDirs: string[] = [];
  const files = new Map<string, GymFile[]>(Object.keys(FILES).map((flag) => [flag, []]));
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") {
      own.push(...args.slice(at));
      break;
    }
    const [, name = arg, inline] = /^(-[^=]*)=(.*)$/s.exec(arg) ?? [];
    if (!Object.hasOwn(GYM_FLAGS, name)) {
      own.push(arg);
      continue;
    }
    flags.push(name);
    if (!GYM_FLAGS[name]) continue;
    const value = inline ?? args[++at];
    if (value === undefined) throw new UsageFault(`${name} needs a value.`);
    if (name === "--search-dir") searchDirs.push(value);
    const component = FILES[name]?.(value);
    files.get(name)?.push({ path: value, flag: `${name} ${value}`, ...(component ? { component } : {}) });
  }
  return { own, flags, searchDirs, gymFiles: [...files.values()].flat() };
}
