/** From the arguments to an exit code: the one place where errors become words. */
import { COMMANDS } from "./commands.ts";
import { stoppedBy, USAGE } from "./exit_code.ts";
import { rollcallArgs } from "./gym.ts";
import { runProgram } from "./program.ts";
import { Interrupted, Signals } from "./signals.ts";
import { isSystemError, systemPlace, systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";
import type { Env } from "../ports/env.ts";
import { RunFault, UsageFault } from "../kit/fault.ts";
import { cleaned, oneLine } from "../report/text.ts";

/** Runs rollcall and returns its exit code. Only faults of rollcall's own are thrown. */
export async function run(given: World): Promise<number> {
  const signals = new Signals(given);
  let isTouched = false;
  const touched = () => void (isTouched = true);
  try {
    const { args, notes, searchDirs, gymFiles, spelling } = rollcallArgs(given.name, given.args);
    const world: World = {
      ...given,
      args,
      env: lookingIn(searchDirs, given.env),
      startCollector(...how) {
        touched();
        return given.startCollector(...how);
      },
    };
    const gym = { ...(gymFiles ? { gymFiles } : {}), ...(spelling ? { spelling } : {}) };
    return await runProgram(COMMANDS, { world, signals, notes, touched, ...gym });
  } catch (error) {
    if (error instanceof Interrupted) {
      given.terminal.err(`Stopped by ${error.message} before anything was sent. Nothing was touched.\n`);
      return stoppedBy(error.message);
    }
    given.terminal.err(`rollcall: ${wordsFor(error)}\n`);
    return error instanceof UsageFault || (isSystemError(error) && !isTouched) ? USAGE : 1;
  } finally {
    signals.close();
  }
}

/** What is said of an error. @throws the error itself when it is a fault of rollcall's own */
function wordsFor(error: unknown): string {
  if (error instanceof UsageFault || error instanceof RunFault) return cleaned(error.message);
  if (!isSystemError(error)) throw error;
  return oneLine(`${systemReason(error)}${systemPlace(error)}.`);
}

/** The environment with folders in front of those that inputs are looked up in. */
function lookingIn(folders: readonly string[], env: Env): Env {
  if (folders.length === 0) return env;
  return (name) => {
    const value = env(name);
    return name === "NEMO_GYM_EXTRA_ROOTS" ? [...folders, ...(value ? [value] : [])].join(":") : value;
  };
}
