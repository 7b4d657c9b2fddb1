/** A profile by the values of a field, as a table. */
import { metric, whole } from "../kit/phrases.ts";
import type { GroupProfile, MetricProfile } from "../results/profile.ts";
import type { Profile } from "./profile_data.ts";
import { costText } from "./profile_spend.ts";
import { table } from "./table.ts";
import { cut, oneLine, wrap } from "./text.ts";

/** Values that are shown; --json and --csv have all. */
const SHOWN_GROUPS = 40;

/** A line for each value. Ends with a line break. */
export function groupsText(
  groups: readonly GroupProfile[],
  by: string,
  withAgent: boolean,
  { prices }: Profile,
  columns: number,
): string {
  const shown = groups.slice(0, SHOWN_GROUPS);
  const heading = [
    cut(oneLine(by), 30),
    ...(withAgent ? ["agent"] : []),
    "tasks",
    "rewards",
    "mean/reward",
    "95 %",
    "always",
    "sometimes",
    "never",
    ...(prices ? ["cost"] : []),
  ];
  const rows = shown.map((group) => [
    group.by === null || group.by === undefined ? "(none)" : cut(oneLine(group.by), 30) || '""',
    ...(withAgent ? [cut(oneLine(group.agent), 24)] : []),
    whole(group.tasks),
    whole(group.outcomes.measured),
    group.reward ? metric(group.reward.mean) : "",
    group.reward ? intervalText(group.reward.interval) : "",
    ...(["always", "sometimes", "never"] as const).map((key) =>
      group.passes.length > 0 ? whole(group.solved[key]) : ""
    ),
    ...(prices ? [costText(group, prices)] : []),
  ]);
  const more = groups.length - shown.length;
  const lines = table([heading, ...rows]).map((line) => cut(line, Math.max(columns, 60)));
  const rough = groups.filter(({ reward }) => reward?.rough).length;
  const roughly = rough === 0 ? [] : wrap(
    `${rough === groups.length ? "All" : whole(rough)} of these intervals are rough: fewer than 50 tasks.`,
    columns,
  );
  return [
    ...lines,
    ...roughly,
    ...(more > 0 ? [`… and ${whole(more)} more: --json and --csv have all`] : []),
    "",
  ].join(
    "\n",
  );
}

/** An interval as `0.755–0.932`; nothing where there is none. */
export function intervalText(interval: MetricProfile["interval"]): string {
  return interval === null ? "" : `${interval[0].toFixed(3)}–${interval[1].toFixed(3)}`;
}
