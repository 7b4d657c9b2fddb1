/** Names as MLflow takes them; one name that it does not take makes it refuse the whole batch. Gym's rules. */

/** The most characters of a metric's, parameter's or tag's name. */
const LONGEST = 250;
/** Stands for the middle of a name that is too long. */
const CUT = "___";

/**
 * A name with what MLflow refuses replaced: `pass@1` becomes `pass_at_1`, other characters become `_`, empty parts
 * between slashes go, parts of dots become underscores, and the middle of a name beyond 250 characters is cut out, as
 * its ends tell it from others. `undefined` when nothing is left.
 */
export function mlflowName(name: string): string | undefined {
  const allowed = name.replaceAll("@", "_at_").replace(/[^/\p{L}\p{N}_.\- :]/gu, "_");
  // Cutting can make a name again that is not allowed.
  return pathOf(shortened(pathOf(allowed))) || undefined;
}

/** MLflow takes names for relative paths, and wants them normalized. */
function pathOf(name: string): string {
  return name.split("/")
    .filter((part) => part !== "")
    .map((part) => /^\.+$/.test(part) ? "_".repeat(part.length) : part)
    .join("/")
    .replace(/^\.+/, (dots) => "_".repeat(dots.length));
}

function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const kept = LONGEST - CUT.length, tail = Math.floor(kept / 2);
  return characters.slice(0, kept - tail).join("") + CUT + characters.slice(-tail).join("");
}
