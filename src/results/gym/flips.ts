/** The tasks of Gym's comparison that changed sides. They are joined by their numbers, as the metrics have no other name for them. */
import { type GymFlip, type GymFlipSummary, MAX_FLIPS_SHOWN } from "./report.ts";
import { isMap, type Json, numberAt, type Run } from "./run.ts";

const FIELD = "reward", PASS = 0.5;

export function flipSummary(baseline: Run, candidate: Run): GymFlipSummary {
  const ours = byTask(baseline), theirs = byTask(candidate);
  const common = [...ours.keys()].filter((task) => theirs.has(task)).sort((a, b) => a - b);
  const counts = {
    field: FIELD,
    common_task_count: common.length,
    baseline_only_task_count: ours.size - common.length,
    candidate_only_task_count: theirs.size - common.length,
  };
  const nothing = {
    candidate_index: 0,
    reason: null,
    ...counts,
    ...{
      pass_to_fail_count: null,
      fail_to_pass_count: null,
      tied_count: null,
      unchanged_count: null,
      net: null,
    },
  };
  const none = (reason: string) => ordered({ ...nothing, mode: "unavailable", reason, flips: [] });
  if (ours.size === 0 || theirs.size === 0) return none("one or both runs recorded no per-task metrics.");
  if (common.length === 0) {
    return none(`no overlapping task indices (baseline has ${ours.size}, candidate has ${theirs.size}).`);
  }
  const scored = common.flatMap((task) => {
    const scores = [ours, theirs].map((groups) => numberAt(groups.get(task)!, `mean/${FIELD}`));
    return scores.includes(null) ? [] : [{ task, from: scores[0]!, to: scores[1]! }];
  });
  if (scored.length === 0) return none(`no \`mean/${FIELD}\` recorded for the overlapping tasks.`);
  const flip = ({ task, from, to }: (typeof scored)[number], direction: GymFlip["direction"]): GymFlip => ({
    task_index: task,
    baseline_score: from,
    candidate_score: to,
    delta: to - from,
    direction,
    baseline_rewards: rewardsOf(ours.get(task)!),
    candidate_rewards: rewardsOf(theirs.get(task)!),
  });
  const far = (a: GymFlip, b: GymFlip) =>
    Math.abs(b.delta) - Math.abs(a.delta) || a.task_index - b.task_index;
  if (!scored.every(({ task }) => [ours, theirs].every((groups) => isBinary(groups.get(task)!)))) {
    const flips = scored.filter(({ from, to }) => from !== to).map((one) => flip(one, "changed")).sort(far);
    return ordered({
      ...nothing,
      mode: "continuous",
      unchanged_count: scored.length - flips.length,
      flips: capped(flips),
    });
  }
  let tied = 0, unchanged = 0;
  const flips = scored.flatMap((one) => {
    const direction = directionOf(one.from, one.to);
    if (direction) return [flip(one, direction)];
    if (one.from === PASS || one.to === PASS) tied++;
    else unchanged++;
    return [];
  }).sort((a, b) =>
    Number(a.direction !== "pass_to_fail") - Number(b.direction !== "pass_to_fail") || far(a, b)
  );
  const lost = flips.filter(({ direction }) => direction === "pass_to_fail").length,
    won = flips.length - lost;
  return ordered({
    ...nothing,
    mode: "binary",
    pass_to_fail_count: lost,
    fail_to_pass_count: won,
    tied_count: tied,
    unchanged_count: unchanged,
    net: won - lost,
    flips: capped(flips),
  });
}

/** Keys in the order of Gym's model. */
function ordered(summary: GymFlipSummary): GymFlipSummary {
  const { candidate_index, mode, reason, field, common_task_count, flips, ...rest } = summary;
  return { candidate_index, mode, reason, field, common_task_count, ...rest, flips };
}

function directionOf(from: number, to: number): "pass_to_fail" | "fail_to_pass" | null {
  if (from === PASS || to === PASS || from > PASS === to > PASS) return null;
  return from > PASS ? "pass_to_fail" : "fail_to_pass";
}

function capped(flips: readonly GymFlip[]): GymFlip[] {
  const counts = new Map<string, number>();
  return flips.map((flip) => {
    const count = counts.get(flip.direction) ?? 0;
    counts.set(flip.direction, count + 1);
    return count < MAX_FLIPS_SHOWN ? flip : { ...flip, baseline_rewards: null, candidate_rewards: null };
  });
}

function byTask({ groups }: Run): Map<number, Json> {
  return new Map(
    groups.filter((group) => Object.hasOwn(group, "_ng_task_index")).map((
      group,
    ) => [group._ng_task_index as number, group]),
  );
}

function isBinary(group: Json): boolean {
  const ends = [group[`min/${FIELD}`], group[`max/${FIELD}`]].filter((value) =>
    value !== undefined && value !== null
  );
  return (ends.length > 0 ? ends : [group[`mean/${FIELD}`]]).every((value) => value === 0 || value === 1);
}

function rewardsOf(group: Json): number[] | null {
  const infos = group.rollout_infos;
  if (!Array.isArray(infos) || infos.length === 0) return null;
  const index = (info: unknown) => isMap(info) ? Number(info._ng_rollout_index ?? 0) : 0;
  const rewards = infos.toSorted((a, b) => index(a) - index(b)).map((info) =>
    isMap(info) ? numberAt(info, FIELD) : null
  );
  return rewards.includes(null) ? null : rewards as number[];
}
