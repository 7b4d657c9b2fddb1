import type { RolloutCheck } from "./check.ts";
import { hasText, hasToolCall } from "./content.ts";

/** Turns without content: no text, no reasoning, no tool call. */
export const agentTurnHollow: RolloutCheck = {
  id: "agent_turn_hollow",
  reads: "turns",
  finds: "a turn without text, reasoning or tool calls",
  find: ({ trajectory }) =>
    trajectory!.turns
      .filter(({ answer, reasoning_content }) =>
        !hasText(answer) && !hasText(reasoning_content) && !hasToolCall(answer)
      )
      .map(({ turn_no }) => ({
        locator: { turn: turn_no },
        detail: { reason: "the turn has neither text nor reasoning nor tool calls" },
      })),
};
