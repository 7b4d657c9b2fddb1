import type { RolloutCheck } from "./check.ts";

/** Turns without content: no text, no reasoning, no tool call. */
export const agentTurnHollow: RolloutCheck = {
  id: "agent_turn_hollow",
  reads: "turns",
  finds: "a turn without text, reasoning or tool calls",
  advice: "Look at the answer with `rollcall show`: a model server that drops its output, a parser that " +
    "takes it apart, or a model that ends at once. Such turns teach a trainer nothing.",
  find: ({ trajectory }) =>
    trajectory!.turns
      .filter(({ answer, reasoning_content }) =>
        !answer?.text && !reasoning_content?.text && !answer?.toolCall
      )
      .map(({ turn_no }) => ({
        locator: { turn: turn_no },
        detail: { reason: "the turn has neither text nor reasoning nor tool calls" },
      })),
};
