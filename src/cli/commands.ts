/** The commands, in the order in which help lists them. A new one is a file in `commands/` and a line here. */
import type { AnyCommand } from "./command.ts";
import { aggregate } from "./commands/aggregate.ts";
import { collect } from "./commands/collect.ts";
import { compare } from "./commands/compare.ts";
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
import { filter } from "./commands/filter.ts";
import { profile } from "./commands/profile.ts";
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
  compare,
  aggregate,
  health,
  profile,
  filter,
  exportRun,
  completions,
  man,
  evalHelp,
];
