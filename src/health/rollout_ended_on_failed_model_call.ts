import { callId, chainsOf, failedEnd, isFailed, isSuccessful } from "./calls.ts";
import type { RolloutCheck } from "./check.ts";

/**
 * Models whose last call failed. Reads all captured calls, since nothing refers to a call without a response,
 * and each model separately, since otherwise a judge's call after an agent's failed one would hide the failure.
 */
export const rolloutEndedOnFailedModelCall: RolloutCheck = {
  id: "rollout_ended_on_failed_model_call",
  reads: "calls",
  finds: "a model whose last call failed",
  advice: "The agent gave up on a failed call, so its reward says little of the model. Run it again, or " +
    "leave it out of the score.",
  find({ calls }) {
    if (!calls.some(isFailed)) return [];
    return chainsOf(calls).flatMap((chain) => {
      const end = failedEnd(chain);
      if (!end) return [];
      const { status_code, error_category } = end.call.response_metadata;
      return {
        locator: { call_id: callId(end.call, end.index) },
        detail: {
          model_ref: chain.model,
          status: status_code,
          error_category,
          observed_calls: chain.calls.length,
          successful_calls: chain.calls.filter(({ call }) => isSuccessful(call)).length,
        },
      };
    });
  },
};
