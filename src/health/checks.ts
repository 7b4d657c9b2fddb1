/** All checks, in the order of the reports. A new one is a file of its own, and a line here. */
import { agentTurnHollow } from "./agent_turn_hollow.ts";
import type { CheckInfo, RolloutCheck, TaskCheck } from "./check.ts";
import { modelCallFailed } from "./model_call_failed.ts";
import { modelCallMissingTokenCounts } from "./model_call_missing_token_counts.ts";
import { modelCallRunawayGeneration } from "./model_call_runaway_generation.ts";
import { modelCallZeroCompletionTokens } from "./model_call_zero_completion_tokens.ts";
import { checkExecutionError, recordUnreadable, rolloutDuplicateIdentity } from "./record_checks.ts";
import { rolloutEndedOnFailedModelCall } from "./rollout_ended_on_failed_model_call.ts";
import { rolloutMissingAgentTurns } from "./rollout_missing_agent_turns.ts";
import { rolloutTokenCountMismatch } from "./rollout_token_count_mismatch.ts";
import { taskConsistentlyUnhealthy } from "./task_consistently_unhealthy.ts";
import { taskNoSuccessfulModelCalls } from "./task_no_successful_model_calls.ts";
import { trajectoryCaptureMismatch } from "./trajectory_capture_mismatch.ts";

/** Checks of a rollout's trajectory. */
export const TRAJECTORY_CHECKS: readonly RolloutCheck[] = [
  rolloutMissingAgentTurns,
  rolloutEndedOnFailedModelCall,
  agentTurnHollow,
  modelCallZeroCompletionTokens,
  modelCallMissingTokenCounts,
  trajectoryCaptureMismatch,
  modelCallFailed,
  rolloutTokenCountMismatch,
  modelCallRunawayGeneration,
];

/** All checks of rollouts. At most 16: missing evidence is stored as one bit per check. */
export const ROLLOUT_CHECKS: readonly CheckInfo[] = [
  checkExecutionError,
  recordUnreadable,
  rolloutDuplicateIdentity,
  ...TRAJECTORY_CHECKS,
];

/** Checks of tasks over their repeats. */
export const TASK_CHECKS: readonly TaskCheck[] = [taskConsistentlyUnhealthy, taskNoSuccessfulModelCalls];
