import { callId } from "./calls.ts";
import type { RolloutCheck } from "./check.ts";

/** Calls whose tokens were not counted. */
export const modelCallMissingTokenCounts: RolloutCheck = {
  id: "model_call_missing_token_counts",
  reads: "owned_calls",
  finds: "a model call without its counts of tokens",
  advice: "Have the model server report `usage`. Without it costs, lengths and the comparison with the " +
    "result's own count are unknown; the rollout itself may be right.",
  find: ({ bindings }) =>
    bindings.owned.calls.flatMap((call, index) => {
      const missing = (["prompt_tokens", "completion_tokens"] as const).filter((name) =>
        call.token_stats[name] === null
      );
      return missing.length === 0 ? [] : [{ locator: { call_id: callId(call, index) }, detail: { missing } }];
    }),
};
