import { callId } from "./calls.ts";
import type { RolloutCheck } from "./check.ts";

/** Calls that generated no tokens. */
export const modelCallZeroCompletionTokens: RolloutCheck = {
  id: "model_call_zero_completion_tokens",
  reads: "owned_calls",
  finds: "a model call of zero completion tokens",
  advice: "An answer without tokens is mostly a request that was refused or cut off. Look at the call's " +
    "finish reason and at the model server's log.",
  find: ({ bindings }) =>
    bindings.owned.calls.flatMap((call, index) =>
      call.token_stats.completion_tokens === 0
        ? [{ locator: { call_id: callId(call, index) }, detail: { completion_tokens: 0 } }]
        : []
    ),
};
