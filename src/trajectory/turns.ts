/** Turns out of captured calls, for an agent that sent no trajectory of its own. Rules are Gym's. */
import { float } from "../rows/python.ts";
import { NumberText, type Tree } from "../rows/tree.ts";
import { isTruthy, Misfit } from "./lax.ts";
import { callRef, listAt } from "./shapes.ts";

type Record = ReadonlyMap<string, Tree>;

/** Whose turns they are. */
export interface Identity {
  readonly task_id: string;
  readonly rollout_id: string;
}

/**
 * A turn for each call with a response that an invocation refers to; a call that none does (a judge's, say) makes none.
 *
 * @param resolved what the result says of the task; the last turn gets it, if it is true or false
 */
export function turnsOf(
  { task_id, rollout_id }: Identity,
  invocations: readonly Record[],
  calls: readonly Record[],
  resolved: Tree | undefined,
): Map<string, Tree>[] {
  const owner = owners(invocations), turns: Map<string, Tree>[] = [];
  const counts = new Map<string, number>(), steps = new Map<string, number>();
  for (const call of calls) {
    const response = call.get("response") ?? null, invocation_id = owner(call);
    if (response === null || invocation_id === undefined) continue;
    const { question, answer, reasoning, toolCalls } = contentOf(call.get("request") ?? null, response);
    const turn_no = (counts.get(invocation_id) ?? 0) + 1, step_count = steps.get(invocation_id) ?? 0;
    counts.set(invocation_id, turn_no);
    steps.set(invocation_id, step_count + toolCalls);
    const metadata = call.get("response_metadata") as Record;
    turns.push(
      new Map<string, Tree>([
        ["invocation_id", invocation_id],
        ["task_id", task_id],
        ["rollout_id", rollout_id],
        ["turn_no", new NumberText(String(turn_no))],
        ["timestamp", timeOf(call)],
        ["question", question],
        ["answer", answer],
        ["reasoning_content", reasoning],
        ["resolved", null],
        ["step_count", new NumberText(String(step_count))],
        ["model_calls", [
          callRef(
            new Map<string, Tree>([
              ["model_call_id", call.get("model_call_id")!],
              ["model_ref", metadata.get("model_ref")!],
              ["response_id", metadata.get("response_id")!],
            ]),
          ),
        ]],
      ]),
    );
  }
  if (typeof resolved === "boolean") turns.at(-1)?.set("resolved", resolved);
  return turns;
}

/** Finds the invocation whose references name a call: by its id, else by its response. */
function owners(invocations: readonly Record[]): (call: Record) => string | undefined {
  const byCall = new Map<Tree, string>(), byResponse = new Map<Tree, string>();
  for (const invocation of invocations) {
    const id = invocation.get("invocation_id") as string;
    for (const ref of listAt(invocation, "model_calls")) {
      const call = ref.get("model_call_id"), response = ref.get("response_id");
      if (call) byCall.set(call, id);
      if (response) byResponse.set(response, id);
    }
  }
  return (call) => {
    const id = call.get("model_call_id"),
      response = (call.get("response_metadata") as Record).get("response_id");
    // An invocation whose id is empty owns nothing that something else could not own.
    return (id ? byCall.get(id) : undefined) || (response ? byResponse.get(response) : undefined);
  };
}

function timeOf(call: Record): Tree {
  const started = call.get("started_at"), completed = call.get("completed_at");
  if (isTruthy(started)) return started!;
  return isTruthy(completed) ? completed! : new NumberText(float(0));
}

/** What a call asked and what it got. */
interface Content {
  readonly question: Tree;
  readonly answer: Tree;
  readonly reasoning: Tree;
  readonly toolCalls: number;
}

/** Of the two dialects that model servers capture whole: Responses and chat completions. */
function contentOf(request: Tree, response: Tree): Content {
  const question = questionOf(request);
  if (!(response instanceof Map)) return { question, answer: null, reasoning: null, toolCalls: 0 };
  const output = response.get("output");
  if (Array.isArray(output)) {
    const items = output.filter((item) => item instanceof Map);
    const reasoning = items.filter((item) => item.get("type") === "reasoning");
    const answer = items.filter((item) => item.get("type") !== "reasoning");
    const toolCalls = answer.filter((item) => item.get("type") === "function_call").length;
    return { question, answer, reasoning: reasoning.length > 0 ? reasoning : null, toolCalls };
  }
  const choices = response.get("choices"), choice = Array.isArray(choices) ? choices[0] : undefined;
  return choice instanceof Map
    ? { question, ...messageOf(choice.get("message")) }
    : { question, answer: null, reasoning: null, toolCalls: 0 };
}

function questionOf(request: Tree): Tree {
  if (!(request instanceof Map)) return request;
  const input = request.has("input") ? request.get("input")! : request.get("messages") ?? null;
  if (!Array.isArray(request.get("input"))) return input;
  // An input message may leave its type out.
  return (input as Tree[]).map((item) =>
    item instanceof Map && item.has("role") && !item.has("type")
      ? new Map([["type", "message"], ...item])
      : item
  );
}

/** What a message says, and what it only thought. */
function messageOf(given: Tree | undefined): Omit<Content, "question"> {
  const message = isTruthy(given) ? given! : new Map<string, Tree>();
  if (!(message instanceof Map)) throw new Misfit("a message that is not an object", "AttributeError");
  const reasoned = message.get("reasoning_content"), calls = message.get("tool_calls");
  const answer = new Map(
    [...message].filter(([name]) => name !== "reasoning_content" && name !== "reasoning"),
  );
  return {
    answer,
    reasoning: isTruthy(reasoned) ? reasoned! : message.get("reasoning") ?? null,
    toolCalls: isTruthy(calls) ? lengthOf(calls!) : 0,
  };
}

function lengthOf(value: Tree): number {
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  if (typeof value === "string") return [...value].length;
  throw new Misfit("tool calls that cannot be counted", "TypeError");
}
