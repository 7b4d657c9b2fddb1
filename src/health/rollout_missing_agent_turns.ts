import type { RolloutCheck } from "./check.ts";

/** Rollouts in which no agent did anything. */
export const rolloutMissingAgentTurns: RolloutCheck = {
  id: "rollout_missing_agent_turns",
  reads: "turns",
  finds: "no turn with content or a reference to a model call",
  advice: "The agent reported no turn and no call: it did not run, or does not report. Look at its " +
    "server's log for this rollout.",
  find({ trajectory }) {
    const isActive = trajectory!.turns.some(({ answer, reasoning_content, model_calls }) =>
      model_calls.length > 0 || answer?.text || reasoning_content?.text || answer?.toolCall
    );
    if (isActive) return [];
    return [{ detail: { reason: "no turn has text, reasoning, a tool call or a model call" } }];
  },
};
