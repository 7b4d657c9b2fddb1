/** The metrics of Gym's comparison. Its intervals see only what repeats differ in. */
import { welch } from "../../statistics/welch.ts";
import { type GymCandidateValue, type GymMetricRow, type GymMetricValue, pointOf } from "./report.ts";
import { isMap, type Json, numberAt, type Run } from "./run.ts";

/** One row a metric that either run reports, in the order of the baseline. */
export function metricRows(baseline: Run, candidate: Run): GymMetricRow[] {
  const ours = { ...baseline.key, ...baseline.metrics }, theirs = { ...candidate.key, ...candidate.metrics };
  const numeric = (metrics: Json) => Object.keys(metrics).filter((name) => typeof metrics[name] === "number");
  const all = [...new Set([...numeric(ours), ...numeric(theirs)])].filter(isPrimary);
  return all.map((name) => {
    const base = metricValue(ours, name), other = metricValue(theirs, name);
    const point = base && pointOf(base);
    return {
      metric: name,
      is_key_metric: Object.hasOwn(baseline.key, name) || Object.hasOwn(candidate.key, name),
      present_in: [...(base ? ["baseline"] : []), ...(other ? ["candidate[0]"] : [])],
      baseline: base,
      candidates: [
        other && moved(other, point, base ? repeatInterval(baseline, candidate, name) : [null, null]),
      ],
    };
  });
}

function moved(
  value: GymMetricValue,
  baseline: number | null,
  [low, high]: readonly [number | null, number | null],
): GymCandidateValue {
  const delta = baseline === null ? null : pointOf(value) - baseline;
  return {
    ...value,
    delta,
    delta_pct: delta === null || !baseline ? null : delta / Math.abs(baseline) * 100,
    delta_ci_low: low,
    delta_ci_high: high,
  };
}

function metricValue(metrics: Json, name: string): GymMetricValue | null {
  const at = (key: string) => numberAt(metrics, key), value = at(name);
  if (value === null) return null;
  return {
    value,
    ci_low: at(`ci_low_95_across_repeats/${name}`),
    ci_high: at(`ci_high_95_across_repeats/${name}`),
    se_across_repeats: at(`se_across_repeats/${name}`),
    mean_across_repeats: at(`mean_across_repeats/${name}`),
    std_err_across_runs: at(`${name}/std_err_across_runs`),
  };
}

function repeatInterval(
  baseline: Run,
  candidate: Run,
  name: string,
): readonly [number | null, number | null] {
  const values = [candidate, baseline].map(({ metrics, repeats }) =>
    numberAt(metrics, `mean_across_repeats/${name}`) === null
      ? []
      : repeats.filter(isMap).map((entry) => numberAt(entry, name)).filter((value) => value !== null)
  );
  return values.some((list) => list.length < 2) ? [null, null] : welch(values[0]!, values[1]!);
}

const NO_METRICS = new Set([
  ...["_ng_task_index", "_ng_rollout_index", "_ng_attempt_index"],
  ...["sample_count", "missing_count", "num_repeats", "token_usage_version"],
]);
const STATS = [
  "max",
  "min",
  "median",
  "std",
  "sem",
  "se",
  "p25",
  "p75",
  "ci_low_95",
  "ci_high_95",
  "histogram",
];
const ENDINGS = [
  ...["/max", "/min", "/median", "/p5", "/p25", "/p75", "/p95", "/ci_low_95", "/ci_high_95"],
  ...["/ci_lower", "/ci_upper", "_ci_lower", "_ci_upper", "_ci95_lower", "_ci95_upper", "/_ng_attempt_index"],
  ...["/std_dev_across_runs", "/std_err_across_runs", "/avg_sample_std_dev"],
];

/** Whether a name is of a value rather than of what is known about one. */
function isPrimary(name: string): boolean {
  return !NO_METRICS.has(name) && !STATS.some((stat) => name.startsWith(`${stat}/`)) &&
    !ENDINGS.some((ending) => name.endsWith(ending)) && !name.includes("_across_repeats/");
}
