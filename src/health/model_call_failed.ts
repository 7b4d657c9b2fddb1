import { callId, isFailed } from "./calls.ts";
import type { RolloutCheck } from "./check.ts";

/** Calls that failed, of those that turns or invocations refer to; and whether the failure was the last of these calls. */
export const modelCallFailed: RolloutCheck = {
  id: "model_call_failed",
  reads: "owned_calls",
  finds: "a model call that failed",
  advice: "Look at the status and error of the call. Scattered ones are retried by agents; many of one " +
    "status (429, 503) mean a model server that is too small, or --concurrency that is too large.",
  find: ({ bindings: { owned } }) =>
    owned.calls.flatMap((call, index) =>
      isFailed(call)
        ? [{
          locator: { call_id: callId(call, index) },
          detail: {
            status: call.response_metadata.status_code,
            error_category: call.response_metadata.error_category,
            terminal: owned.isComplete && index === owned.calls.length - 1,
          },
        }]
        : []
    ),
};
