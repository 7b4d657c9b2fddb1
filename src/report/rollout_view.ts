/**
 * One rollout as a person reads it, out of its line: the conversation, what it was worth, what its calls took. Values are
 * of any shape; what is not known is left out.
 */

/** One thing that was said, called or returned. */
export interface Said {
  /** `user`, `assistant`, `system`, `tool call`, `tool output`, `reasoning`, or whatever the item says. */
  readonly who: string;
  readonly text: string;
}

/** One call of a model. */
export interface CallView {
  readonly id: string | null;
  readonly model: string | null;
  readonly status: string | null;
  /** In milliseconds. */
  readonly duration_ms: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
}

/** The rollout. */
export interface RolloutView {
  readonly task: unknown;
  readonly rollout: unknown;
  readonly attempt: unknown;
  readonly agent: string | null;
  readonly reward: unknown;
  /** How it failed, for a line of the sidecar. */
  readonly failure: { readonly class: string; readonly message: string | null } | null;
  readonly conversation: readonly Said[];
  readonly calls: readonly CallView[];
  /** By the result's own count. */
  readonly tokens: { readonly prompt: number | null; readonly completion: number | null };
}

type Json = unknown;
type Map_ = Readonly<Record<string, Json>>;

/**
 * The rollout of a line.
 *
 * @param line the parsed line of the rollouts file or the sidecar
 * @param input the parsed row that was sent, if it is known: it holds the question where the result does not
 */
export function rolloutView(line: Json, input: Json): RolloutView {
  const row = mapOf(line), response = mapOf(row.response), usage = mapOf(response.usage);
  const trajectory = mapOf(row.ng_trajectory);
  const said = conversationOf(row, trajectory, input);
  const failureClass = row._ng_failure_class;
  return {
    task: row._ng_task_index ?? null,
    rollout: row._ng_rollout_index ?? null,
    attempt: row._ng_attempt_index ?? 0,
    agent: stringOr(mapOf(row.agent_ref).name),
    reward: row.reward ?? null,
    failure: failureClass === undefined || failureClass === null
      ? null
      : { class: shown(failureClass), message: textOr(row._ng_failure_message ?? row.failure_reason) },
    conversation: said,
    calls: callsOf(row, trajectory),
    tokens: {
      prompt: numberOr(usage.input_tokens ?? usage.prompt_tokens),
      completion: numberOr(usage.output_tokens ?? usage.completion_tokens),
    },
  };
}

/** What its agent recorded; else its turns; else what was asked and what was answered. */
function conversationOf(row: Map_, trajectory: Map_, input: Json): Said[] {
  const recorded = listOf(trajectory.invocations).flatMap((one) => itemsOf(mapOf(one).conversation));
  if (recorded.length > 0) return recorded;
  const turns = listOf(trajectory.turns).map(mapOf);
  if (turns.length > 0) {
    // A question repeats all that was said before: the last one has it all.
    const last = turns.at(-1)!;
    return [
      ...itemsOf(last.question),
      ...reasoned(last.reasoning_content),
      ...itemsOf(last.answer, "assistant"),
    ];
  }
  const params = mapOf(row.responses_create_params ?? mapOf(input).responses_create_params);
  const response = mapOf(row.response);
  return [
    ...(params.instructions ? [{ who: "system", text: shown(params.instructions) }] : []),
    ...itemsOf(params.input ?? params.messages ?? mapOf(input).task_input),
    ...itemsOf(response.output, "assistant"),
    ...listOf(response.choices).flatMap((choice) => itemsOf([mapOf(choice).message], "assistant")),
    ...itemsOf(response.content, "assistant"),
    ...itemsOf(row._ng_failure_partial_response, "assistant"),
  ];
}

function reasoned(value: Json): Said[] {
  return value === null || value === undefined ? [] : [{ who: "reasoning", text: contentText(value) }];
}

/** The items of a conversation: a list of them, one, or a text. */
function itemsOf(value: Json, who = "user"): Said[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return [{ who, text: value }];
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => itemOf(item, who));
}

function itemOf(item: Json, who: string): Said[] {
  if (typeof item === "string") return [{ who, text: item }];
  const map = mapOf(item), type = map.type;
  if (type === "reasoning") {
    return reasoned(map.summary && listOf(map.summary).length > 0 ? map.summary : map.content);
  }
  if (type === "function_call" || type === "tool_use" || type === "custom_tool_call") {
    return [{ who: "tool call", text: `${shown(map.name)}(${shown(map.arguments ?? map.input ?? "")})` }];
  }
  if (type === "function_call_output" || type === "tool_result" || type === "custom_tool_call_output") {
    return [{ who: "tool output", text: contentText(map.output ?? map.content) }];
  }
  if (type === "text" || type === "output_text" || type === "input_text") {
    return [{ who, text: shown(map.text) }];
  }
  if (map.role === undefined && map.content === undefined) {
    return [{ who: stringOr(type) ?? who, text: shown(item) }];
  }
  const role = stringOr(map.role) ?? who;
  return [
    ...reasoned(map.reasoning_content ?? map.reasoning ?? null),
    ...(hasText(map.content)
      ? [{ who: role === "tool" ? "tool output" : role, text: contentText(map.content) }]
      : []),
    ...listOf(map.tool_calls).map((call) => {
      const called = mapOf(mapOf(call).function);
      return { who: "tool call", text: `${shown(called.name)}(${shown(called.arguments ?? "")})` };
    }),
  ];
}

function hasText(content: Json): boolean {
  return content !== null && content !== undefined && content !== "" &&
    !(Array.isArray(content) && content.length === 0);
}

/** The text of a content: its parts' texts, and what else a part is. */
function contentText(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return shown(content);
  return content.map((part) => {
    const { text, refusal, type } = mapOf(part);
    if (typeof text === "string") return text;
    if (typeof refusal === "string") return refusal;
    return typeof type === "string" ? `[${type}]` : shown(part);
  }).join("\n");
}

function callsOf(row: Map_, trajectory: Map_): CallView[] {
  const built = listOf(trajectory.model_calls).map(mapOf);
  if (built.length > 0) {
    return built.map((call) => {
      const metadata = mapOf(call.response_metadata), tokens = mapOf(call.token_stats);
      return {
        id: stringOr(call.model_call_id),
        model: stringOr(metadata.model),
        status: textOr(metadata.error_category ?? metadata.status_code ?? metadata.response_status),
        duration_ms: numberOr(call.duration_ms),
        prompt_tokens: numberOr(tokens.prompt_tokens),
        completion_tokens: numberOr(tokens.completion_tokens),
      };
    });
  }
  return listOf(mapOf(row.ng_model_call_capture).calls).map(mapOf).map((call) => ({
    id: stringOr(call.model_call_id),
    model: stringOr(call.model),
    status: textOr(call.error_category ?? call.status_code ?? call.response_status),
    duration_ms: numberOr(call.latency_total_ms),
    prompt_tokens: numberOr(call.tokens_in),
    completion_tokens: numberOr(call.tokens_out),
  }));
}

function mapOf(value: Json): Map_ {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Map_ : {};
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function numberOr(value: Json): number | null {
  return typeof value === "number" ? value : null;
}

function stringOr(value: Json): string | null {
  return typeof value === "string" ? value : null;
}

function textOr(value: Json): string | null {
  return value === null || value === undefined ? null : shown(value);
}

/** A text as it is, anything else as JSON. */
function shown(value: Json): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "(nested too deep to be shown)";
  }
}
