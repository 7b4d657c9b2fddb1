/** From the arguments to an exit code: the one place where errors become words. */
import { collectCommand, planCommand } from "./collect.ts";
import { demoCommand } from "./demo.ts";
import { USAGE } from "./exit_code.ts";
import { runProgram } from "./program.ts";
import type { World } from "./world.ts";
import { RunFault, UsageFault } from "../kit/fault.ts";

/** Runs rollcall and returns its exit code. Only faults of rollcall's own are thrown. */
export async function run(world: World): Promise<number> {
  try {
    return await runProgram(world, {
      collect: (config, notes) => collectCommand(config, notes, world),
      plan: (config, notes) => planCommand(config, notes, world),
      demo: (options) => demoCommand(options, world),
    });
  } catch (error) {
    if (!(error instanceof UsageFault) && !(error instanceof RunFault)) throw error;
    world.terminal.err(`rollcall: ${error.message}\n`);
    return error instanceof UsageFault ? USAGE : 1;
  }
}
