/** From the arguments to an exit code: the one place where errors become words. */
import { aggregateCommand } from "./aggregate.ts";
import { collectCommand, planCommand } from "./collect.ts";
import { demoCommand } from "./demo.ts";
import { USAGE } from "./exit_code.ts";
import { rollcallArgs } from "./gym.ts";
import { healthCommand } from "./health.ts";
import { runProgram } from "./program.ts";
import { statusCommand } from "./status.ts";
import type { World } from "./world.ts";
import type { Env } from "../config/interpolation.ts";
import { RunFault, UsageFault } from "../kit/fault.ts";

/** Runs rollcall and returns its exit code. Only faults of rollcall's own are thrown. */
export async function run(given: World): Promise<number> {
  try {
    const { args, notes, searchDirs } = rollcallArgs(given.name, given.args);
    const world: World = { ...given, args, env: lookingIn(searchDirs, given.env) };
    return await runProgram(world, {
      collect: (config, notes) => collectCommand(config, notes, world),
      plan: (config, notes) => planCommand(config, notes, world),
      aggregate: (config, notes) => aggregateCommand(config, notes, world),
      health: (options) => healthCommand(options, world),
      status: (options) => statusCommand(options, world),
      demo: (options) => demoCommand(options, world),
    }, notes);
  } catch (error) {
    if (!(error instanceof UsageFault) && !(error instanceof RunFault)) throw error;
    given.terminal.err(`rollcall: ${error.message}\n`);
    return error instanceof UsageFault ? USAGE : 1;
  }
}

/** The environment with folders in front of those that inputs are looked up in. */
function lookingIn(folders: readonly string[], env: Env): Env {
  if (folders.length === 0) return env;
  return (name) => {
    const value = env(name);
    return name === "NEMO_GYM_EXTRA_ROOTS" ? [...folders, ...(value ? [value] : [])].join(":") : value;
  };
}
