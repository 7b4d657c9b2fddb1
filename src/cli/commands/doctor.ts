/** `rollcall doctor`: whether a run could start here, without starting it. */
import { examine } from "../../doctor/examine.ts";
import { inColumns } from "../../report/columns.ts";
import { doctorJson, doctorText } from "../../report/doctor_text.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import { defineKeys, type Given, readRunConfiguration } from "../configured.ts";
import { USAGE } from "../exit_code.ts";

/** The command. */
export const doctor: CliCommand<Given> = {
  name: "doctor",
  group: GROUPS.collecting,
  about: "check what a run needs: servers, files, disk, locks, clock, proxy; sends no row",
  examples: [
    ["Could this run start here?", "rollcall doctor -i tasks.jsonl -o runs/a.jsonl -c 64"],
    ["The same for a script", "rollcall doctor --config run.jsonc --json"],
  ],
  exitCodes: [
    [0, "a run can start"],
    [1, "the machine failed"],
    [2, "a run would fail, or wrong usage"],
  ],
  define: (command, chosen) => defineKeys(command, "collect", chosen, "what was found"),
  async run(given, context) {
    const { config, notes } = await readRunConfiguration(given, context);
    const { world: { terminal }, world, signals } = context;
    signals.giveUp();
    for (const note of notes) terminal.err(`${note}\n`);
    const findings = await examine(config, world);
    terminal.out(
      config.json
        ? `${doctorJson(findings)}\n`
        : await inColumns(() => doctorText(findings, { columns: terminal.columns() })),
    );
    return findings.some(({ verdict }) => verdict === "fail") ? USAGE : 0;
  },
};
