/** What may be written to standard error besides text. */

/** Whether a line may be redrawn there, and whether colours may be used. */
export interface Style {
  readonly live: boolean;
  readonly colour: boolean;
}

/**
 * By the conventions: NO_COLOR, when it is not empty, takes colours away, whatever else is set; FORCE_COLOR gives them
 * also where there is no terminal (0 and false take them away); CI, unless it is false or 0, shows logs, where nothing
 * can be redrawn. Otherwise a terminal that is not dumb has both.
 */
export function styleOf(isTerminal: boolean, env: (name: string) => string | undefined): Style {
  const usable = isTerminal && env("TERM") !== "dumb";
  const live = usable && !isOn(env("CI"));
  if (env("NO_COLOR")) return { live, colour: false };
  const forced = env("FORCE_COLOR");
  return { live, colour: forced ? isOn(forced) : usable };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}
