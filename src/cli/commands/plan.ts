/** `rollcall plan`: says what `collect` would do, and does nothing. */
import type { Config } from "../../config/config.ts";
import type { World } from "../../ports/world.ts";
import { prepareRun } from "../../prepare/prepare_run.ts";
import { planJson } from "../../report/plan_json.ts";
import { planText } from "../../report/plan_text.ts";
import { cleaned } from "../../report/text.ts";
import { readStanding } from "../../resume/read_standing.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import { defineKeys, type Given, readRunConfiguration } from "../configured.ts";
import type { Signals } from "../signals.ts";

/** The command. */
export const plan: CliCommand<Given> = {
  name: "plan",
  group: GROUPS.collecting,
  about: "print what collect would do: rows, routes, files, permissions",
  examples: [
    ["What would be sent where", "rollcall plan -i tasks.jsonl -o runs/a.jsonl -n 4"],
    ["What a resume would still run", "rollcall plan -i tasks.jsonl -o runs/a.jsonl -n 4 --resume"],
  ],
  exitCodes: [
    [0, "printed"],
    [1, "the machine failed"],
    [2, "wrong usage, configuration or input: collect would refuse it too"],
  ],
  define: (command, chosen) => defineKeys(command, "collect", chosen, "the plan"),
  async run(given, context) {
    const { config, notes } = await readRunConfiguration(given, context);
    return await planCommand(config, notes, context.world, context.signals);
  },
};

/** `rollcall plan`: says what a run would do. @throws {Interrupted} when a signal has come already */
export async function planCommand(
  config: Config,
  notes: readonly string[],
  world: World,
  signals: Signals,
): Promise<number> {
  signals.giveUp();
  for (const note of notes) world.terminal.err(`${cleaned(note)}\n`);
  const { plan, index, notes: more, warnings } = await prepareRun(config, world, { stop: () => {} });
  for (const note of more) world.terminal.err(`${cleaned(note)}\n`);
  const standing = plan.resume
    ? readStanding(world.disk.files, plan.paths, index, { ...plan.resume, cap: plan.attempts }).standing
    : undefined;
  world.terminal.out(
    config.json
      ? `${planJson(plan, { warnings, notes: [...notes, ...more], standing })}\n`
      : planText(plan, warnings, standing),
  );
  return 0;
}
