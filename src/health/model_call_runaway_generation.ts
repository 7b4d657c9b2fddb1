import { callId } from "./calls.ts";
import type { RolloutCheck } from "./check.ts";
import { responseHasText } from "./content.ts";

/** The finish reasons of calls that reached the length limit. */
const LENGTH_LIMIT = new Set<string | null>(["length", "max_output_tokens", "max_tokens"]);

/** Calls that reached the length limit without any content. */
export const modelCallRunawayGeneration: RolloutCheck = {
  id: "model_call_runaway_generation",
  reads: "owned_calls",
  finds: "a model call that ran into its length limit without saying anything",
  advice: "The length limit is too small, or the model loops. Raise max_output_tokens, or leave such " +
    "rollouts out of training.",
  find({ bindings }) {
    const found = [];
    for (const [index, call] of bindings.owned.calls.entries()) {
      const { response, response_metadata: { finish_reason } } = call;
      if (!LENGTH_LIMIT.has(finish_reason)) continue;
      if (response === null) return undefined;
      if (responseHasText(response)) continue;
      found.push({ locator: { call_id: callId(call, index) }, detail: { finish_reason } });
    }
    return found;
  },
};
