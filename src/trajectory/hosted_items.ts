/**
 * The items of hosted tools in a conversation, of which Gym takes the models of OpenAI's SDK: their own fields are
 * completed, what is inside of them and what else they have is kept as it is.
 */
import type { Tree } from "../rows/tree.ts";
import { list, object, oneOf, type Taker, text, truth, whole } from "./lax.ts";
import { anything, either, type Field, nullable, orElse, record } from "./record.ts";

const one = (word: string): Field => orElse(oneOf(word), word);
const STATUS = ["in_progress", "completed", "incomplete"] as const;

const hosted = (type: string, fields: Readonly<Record<string, Field>>) =>
  record({ ...fields, type: [oneOf(type)] }, "kept");
const anyList = list(anything);

/** By type. */
export const HOSTED: Readonly<Record<string, Taker<Map<string, Tree>>>> = {
  mcp_call: record({
    id: nullable(text),
    arguments: [text],
    name: [text],
    server_label: nullable(text),
    type: one("mcp_call"),
    approval_request_id: nullable(text),
    error: nullable(text),
    output: nullable(text),
    status: nullable(text),
  }, "kept"),
  mcp_list_tools: record({
    id: nullable(text),
    server_label: nullable(text),
    tools: [anyList, () => []],
    type: one("mcp_list_tools"),
    error: nullable(text),
  }, "kept"),
  mcp_approval_request: record({
    id: nullable(text),
    arguments: [text],
    name: [text],
    server_label: nullable(text),
    type: one("mcp_approval_request"),
  }, "kept"),
  file_search_call: record({
    id: [text],
    queries: [list(text)],
    status: [oneOf("in_progress", "searching", "completed", "incomplete", "failed")],
    type: [oneOf("file_search_call")],
    results: nullable(anyList),
  }, "kept"),
  web_search_call: hosted("web_search_call", {
    id: [text],
    action: [object],
    status: [oneOf("in_progress", "searching", "completed", "failed")],
  }),
  computer_call: record({
    id: [text],
    call_id: [text],
    pending_safety_checks: [anyList],
    status: [oneOf(...STATUS)],
    type: [oneOf("computer_call")],
    action: nullable(object),
    actions: nullable(anyList),
  }, "kept"),
  image_generation_call: hosted("image_generation_call", {
    id: [text],
    result: nullable(text),
    status: [oneOf("in_progress", "completed", "generating", "failed")],
  }),
  code_interpreter_call: hosted("code_interpreter_call", {
    id: [text],
    code: nullable(text),
    container_id: [text],
    outputs: nullable(anyList),
    status: [oneOf("in_progress", "completed", "incomplete", "interpreting", "failed")],
  }),
  local_shell_call: hosted("local_shell_call", {
    id: [text],
    action: [object],
    call_id: [text],
    status: [oneOf(...STATUS)],
  }),
  custom_tool_call: record({
    call_id: [text],
    input: [text],
    name: [text],
    type: [oneOf("custom_tool_call")],
    id: nullable(text),
    namespace: nullable(text),
  }, "kept"),
  computer_call_output: record({
    call_id: [text],
    output: [object],
    type: [oneOf("computer_call_output")],
    id: nullable(text),
    acknowledged_safety_checks: nullable(anyList),
    status: nullable(oneOf(...STATUS)),
  }, "kept"),
  custom_tool_call_output: record({
    call_id: [text],
    output: [either(text, anyList)],
    type: [oneOf("custom_tool_call_output")],
    id: nullable(text),
  }, "kept"),
  local_shell_call_output: record({
    id: [text],
    output: [text],
    type: [oneOf("local_shell_call_output")],
    status: nullable(oneOf(...STATUS)),
  }, "kept"),
  mcp_approval_response: record({
    approval_request_id: [text],
    approve: [truth],
    type: [oneOf("mcp_approval_response")],
    id: nullable(text),
    reason: nullable(text),
  }, "kept"),
  apply_patch_call: record({
    id: [text],
    call_id: [text],
    operation: [object],
    status: [oneOf("in_progress", "completed")],
    type: [oneOf("apply_patch_call")],
    created_by: nullable(text),
  }, "kept"),
  apply_patch_call_output: record({
    id: [text],
    call_id: [text],
    status: [oneOf("completed", "failed")],
    type: [oneOf("apply_patch_call_output")],
    created_by: nullable(text),
    output: nullable(text),
  }, "kept"),
  compaction: record({
    id: [text],
    encrypted_content: [text],
    type: [oneOf("compaction")],
    created_by: nullable(text),
  }, "kept"),
  shell_call: record({
    id: [text],
    action: [object],
    call_id: [text],
    environment: nullable(object),
    status: [oneOf(...STATUS)],
    type: [oneOf("shell_call")],
    created_by: nullable(text),
  }, "kept"),
  shell_call_output: record({
    id: [text],
    call_id: [text],
    max_output_length: nullable(whole),
    output: [anyList],
    status: [oneOf(...STATUS)],
    type: [oneOf("shell_call_output")],
    created_by: nullable(text),
  }, "kept"),
  tool_search_call: record({
    id: [text],
    arguments: [anything],
    call_id: nullable(text),
    execution: [oneOf("server", "client")],
    status: [oneOf(...STATUS)],
    type: [oneOf("tool_search_call")],
    created_by: nullable(text),
  }, "kept"),
  tool_search_output: record({
    id: [text],
    call_id: nullable(text),
    execution: [oneOf("server", "client")],
    status: [oneOf(...STATUS)],
    tools: [anyList],
    type: [oneOf("tool_search_output")],
    created_by: nullable(text),
  }, "kept"),
  compaction_trigger: hosted("compaction_trigger", {}),
  additional_tools: record({
    role: [oneOf("developer")],
    tools: [anyList],
    type: [oneOf("additional_tools")],
    id: nullable(text),
  }, "kept"),
};
