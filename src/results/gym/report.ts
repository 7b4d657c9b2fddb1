/** The content of Gym's `compare_report.json`, as far as it is about the runs: keys, order and rules are Gym's. */

/** One run's file, as Gym's report names it. */
export interface GymRunFile {
  readonly role: "baseline" | "candidate";
  readonly index: number;
  readonly rollouts_jsonl_fpath: string;
  readonly aggregate_metrics_fpath: string;
  readonly label: string;
  readonly agent_names: readonly string[];
}

export interface GymMetricValue {
  readonly value: number;
  readonly ci_low: number | null;
  readonly ci_high: number | null;
  readonly se_across_repeats: number | null;
  readonly mean_across_repeats: number | null;
  readonly std_err_across_runs: number | null;
}

export interface GymCandidateValue extends GymMetricValue {
  readonly delta: number | null;
  readonly delta_pct: number | null;
  readonly delta_ci_low: number | null;
  readonly delta_ci_high: number | null;
}

export interface GymMetricRow {
  readonly metric: string;
  readonly is_key_metric: boolean;
  readonly present_in: readonly string[];
  readonly baseline: GymMetricValue | null;
  readonly candidates: readonly (GymCandidateValue | null)[];
}

export interface GymFlip {
  readonly task_index: number;
  readonly baseline_score: number;
  readonly candidate_score: number;
  readonly delta: number;
  readonly direction: "pass_to_fail" | "fail_to_pass" | "changed";
  readonly baseline_rewards: readonly number[] | null;
  readonly candidate_rewards: readonly number[] | null;
}

export interface GymFlipSummary {
  readonly candidate_index: number;
  readonly mode: "binary" | "continuous" | "unavailable";
  readonly reason: string | null;
  readonly field: string;
  readonly common_task_count: number;
  readonly baseline_only_task_count: number;
  readonly candidate_only_task_count: number;
  readonly pass_to_fail_count: number | null;
  readonly fail_to_pass_count: number | null;
  readonly tied_count: number | null;
  readonly unchanged_count: number | null;
  readonly net: number | null;
  readonly flips: readonly GymFlip[];
}

export interface GymAgentComparison {
  readonly baseline_agent: string;
  readonly candidate_agents: readonly string[];
  readonly baseline_task_count: number;
  readonly candidate_task_counts: readonly number[];
  readonly baseline_repeat_count: number | null;
  readonly candidate_repeat_counts: readonly (number | null)[];
  readonly metrics: readonly GymMetricRow[];
  readonly flips: readonly GymFlipSummary[];
  readonly notes: readonly string[];
}

/** Flips of a direction that the Markdown shows, and whose rewards the JSON has. */
export const MAX_FLIPS_SHOWN = 10;

/** What is shown of a value, and compared. */
export function pointOf({ mean_across_repeats, value }: GymMetricValue): number {
  return mean_across_repeats ?? value;
}
