/** The demo's agent and verifier: a question in, an answer and its reward out. */

/** A question the agent understands. */
export interface Sum {
  /** The question as in the prompt. */
  readonly text: string;
  /** The right answer. */
  readonly answer: number;
  /** The share of such sums that the agent gets right: products are harder. */
  readonly skill: number;
}

/** The sum asked for in a request's last user message, or `undefined` if there is none. */
export function sumIn(params: unknown): Sum | undefined {
  const match = /(-?\d+) *([-+*×]) *(-?\d+)/.exec(question(params));
  if (!match) return undefined;
  const [text, left, sign, right] = [match[0], Number(match[1]), match[2], Number(match[3])];
  if (sign === "+") return { text, answer: left + right, skill: 0.97 };
  if (sign === "-") return { text, answer: left - right, skill: 0.9 };
  return { text, answer: left * right, skill: 0.7 };
}

/** The last user message's text; `input` is a string, or messages whose content is a string or parts with a `text`. */
function question(params: unknown): string {
  const input = field(params, "input");
  if (typeof input === "string") return input;
  if (!Array.isArray(input)) return "";
  const content = field(input.findLast((message) => field(message, "role") === "user"), "content");
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => field(part, "text")).join(" ") : "";
}

/** A wrong answer near the right one; `spare` from 0 to 1 says which. */
export function nearMiss(answer: number, spare: number): number {
  const off = 1 + Math.floor(spare * 10);
  return spare < 0.5 ? answer - off : answer + off;
}

/** An answer as the Responses API shapes it, with token counts that grow with the texts. */
export function responseTo(id: string, params: unknown, text: string): Record<string, unknown> {
  const input_tokens = Math.ceil(question(params).length / 4) + 8,
    output_tokens = Math.ceil(text.length / 4) + 2;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 0,
    model: "demo",
    status: "completed",
    output: [{
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    }],
    parallel_tool_calls: false,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  };
}

/** An object's own field; `undefined` for anything that is not an object. */
export function field(value: unknown, key: string): unknown {
  const object = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return object ? (value as Record<string, unknown>)[key] : undefined;
}
