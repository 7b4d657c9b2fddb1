import type { RolloutCheck } from "./check.ts";

/** Results whose own token count differs from that of their turns' calls. */
export const rolloutTokenCountMismatch: RolloutCheck = {
  id: "rollout_token_count_mismatch",
  reads: "turn_calls",
  finds: "the result's tokens are not those of its model calls",
  advice: "The agent counts otherwise than the model server does, or calls of others are taken for its " +
    "own. Do not use the result's own count for costs until it is found.",
  find({ usage: { prompt, completion }, bindings: { turns }, turnCallsKnown }) {
    if (!turnCallsKnown || !turns.isComplete || prompt === null || completion === null) return undefined;
    let capturedPrompt = 0, capturedCompletion = 0;
    for (const { token_stats: { prompt_tokens, completion_tokens } } of turns.calls) {
      if (prompt_tokens === null || completion_tokens === null) return undefined;
      capturedPrompt += prompt_tokens;
      capturedCompletion += completion_tokens;
    }
    if (prompt === capturedPrompt && completion === capturedCompletion) return [];
    return [{
      detail: {
        transcript_prompt: prompt,
        transcript_completion: completion,
        capture_prompt: capturedPrompt,
        capture_completion: capturedCompletion,
      },
    }];
  },
};
