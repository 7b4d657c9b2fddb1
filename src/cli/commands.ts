/** The commands, in the order in which help lists them. A new one is a file in `commands/` and a line here. */
import type { AnyCommand } from "./command.ts";
import { aggregate } from "./commands/aggregate.ts";
import { collect } from "./commands/collect.ts";
import { completions } from "./commands/completions.ts";
import { demo } from "./commands/demo.ts";
import { doctor } from "./commands/doctor.ts";
import { evalHelp } from "./commands/eval.ts";
import { exportRun } from "./commands/export.ts";
import { failures } from "./commands/failures.ts";
import { health } from "./commands/health.ts";
import { init } from "./commands/init.ts";
import { man } from "./commands/man.ts";
import { plan } from "./commands/plan.ts";
import { show } from "./commands/show.ts";
import { status } from "./commands/status.ts";
import { submit } from "./commands/submit.ts";

export const COMMANDS: readonly AnyCommand[] = [
  collect,
  plan,
  doctor,
  init,
  demo,
  submit,
  status,
  failures,
  show,
  aggregate,
  health,
  exportRun,
  completions,
  man,
  evalHelp,
];
