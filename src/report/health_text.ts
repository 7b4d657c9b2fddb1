/** What the health checks found, in words and for programs. */
import type { HealthSummary } from "../collect/tally.ts";
import { palette } from "./colour.ts";
import { counted, fileLines, layOut, noteLines, roomOf, type TextOptions } from "./summary_layout.ts";
import { table } from "./table.ts";
import { oneLine, wrap } from "./text.ts";
import { plural, whole } from "../kit/phrases.ts";

/** How many checks a sentence names. */
const NAMED = 3;

/** One sentence for the summary of a run: how many are what, the checks that found most, and where all of it is. */
export function healthSentence(health: HealthSummary | null): string {
  if (!health) return "";
  const { checked, ignored, summary } = health;
  const found = byCount(health), more = found.length - NAMED;
  const checks = found.slice(0, NAMED).map(([id, n]) => `${id} ${whole(n)}`);
  if (more > 0) checks.push(`${whole(more)} more`);
  return `${whole(checked)} checked${verdicts(health)}` +
    (checks.length > 0 ? ` (${checks.join(", ")})` : "") +
    (ignored.length > 0 ? `; left out: ${ignored.join(", ")}` : "") +
    `; see ${oneLine(summary)}`;
}

/** A health summary for programs. */
export function healthJson(health: HealthSummary | null): Record<string, unknown> | null {
  if (!health) return null;
  const { checked, healthy, unhealthy, unobserved, ignored, issues, summary, verdicts } = health;
  return { checked, healthy, unhealthy, unobserved, ignored, issues, summary, verdicts };
}

/**
 * What `rollcall health` says: the verdicts, each check that found something, notes, and the files. Ends with a line
 * break.
 *
 * @param finds what each check finds, by its id
 */
export function healthText(
  health: HealthSummary,
  finds: ReadonlyMap<string, string>,
  notes: readonly string[],
  options: TextOptions,
): string {
  const paint = palette(options.colour), room = roomOf(options);
  const { checked, unhealthy, ignored, summary, verdicts: lines } = health;
  const headline = checked === 0
    ? "Nothing to check: there are no rollouts."
    : `Checked ${plural(checked, "rollout")}${verdicts(health)}.`;
  const found = byCount(health).map(([id, n]) => [whole(n), oneLine(id), finds.get(id) ?? ""]);
  return layOut(headline, unhealthy > 0 ? paint.yellow : paint.green, [
    ["found", table(found, { left: true })],
    ["left out", ignored.length > 0 ? wrap(ignored.join(", "), room) : []],
    ["notes", noteLines(notes, room)],
    ["files", fileLines({ summary, verdicts: lines })],
  ], options);
}

function verdicts({ healthy, unhealthy, unobserved }: HealthSummary): string {
  const each = counted([[healthy, "healthy"], [unhealthy, "unhealthy"], [
    unobserved,
    "unobserved, as their results lack the trajectory that a check needs",
  ]]);
  return each === "" ? "" : `: ${each}`;
}

/** The checks that found something, those that found most first. */
function byCount({ issues }: HealthSummary): [string, number][] {
  return Object.entries(issues).sort(([, a], [, b]) => b - a);
}
