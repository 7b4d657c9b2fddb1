/**
 * The items of hosted tools in a conversation, of which Gym takes the models of OpenAI's SDK: their own fields are
 * completed, what is inside of them and what else they have is kept as it is.
 */
import type { Tree } from "../rows/tree.ts";
import { list, object, oneOf, string, type Taker, truth, whole } from "./lax.ts";
import { anything, either, type Field, nullable, orElse, record } from "./record.ts";

const one = (word: string): Field => orElse(oneOf(word), word);
const STATUS = ["in_progress", "completed", "incomplete"] as const;

const hosted = (type: string, fields: Readonly<Record<string, Field>>) =>
  record({ ...fields, type: [oneOf(type)] }, "kept");
const anyList = list(anything);

/** By type. */
export const HOSTED: Readonly<Record<string, Taker<Map<string, Tree>>>> = {
  mcp_call: record({
    id: nullable(string),
    arguments: [string],
    name: [string],
    server_label: nullable(string),
    type: one("mcp_call"),
    approval_request_id: nullable(string),
    error: nullable(string),
    output: nullable(string),
    status: nullable(string),
  }, "kept"),
  mcp_list_tools: record({
    id: nullable(string),
    server_label: nullable(string),
    tools: [anyList, () => []],
    type: one("mcp_list_tools"),
    error: nullable(string),
  }, "kept"),
  mcp_approval_request: record({
    id: nullable(string),
    arguments: [string],
    name: [string],
    server_label: nullable(string),
    type: one("mcp_approval_request"),
  }, "kept"),
  file_search_call: record({
    id: [string],
    queries: [list(string)],
    status: [oneOf("in_progress", "searching", "completed", "incomplete", "failed")],
    type: [oneOf("file_search_call")],
    results: nullable(anyList),
  }, "kept"),
  web_search_call: hosted("web_search_call", {
    id: [string],
    action: [object],
    status: [oneOf("in_progress", "searching", "completed", "failed")],
  }),
  computer_call: record({
    id: [string],
    call_id: [string],
    pending_safety_checks: [anyList],
    status: [oneOf(...STATUS)],
    type: [oneOf("computer_call")],
    action: nullable(object),
    actions: nullable(anyList),
  }, "kept"),
  image_generation_call: hosted("image_generation_call", {
    id: [string],
    result: nullable(string),
    status: [oneOf("in_progress", "completed", "generating", "failed")],
  }),
  code_interpreter_call: hosted("code_interpreter_call", {
    id: [string],
    code: nullable(string),
    container_id: [string],
    outputs: nullable(anyList),
    status: [oneOf("in_progress", "completed", "incomplete", "interpreting", "failed")],
  }),
  local_shell_call: hosted("local_shell_call", {
    id: [string],
    action: [object],
    call_id: [string],
    status: [oneOf(...STATUS)],
  }),
  custom_tool_call: record({
    call_id: [string],
    input: [string],
    name: [string],
    type: [oneOf("custom_tool_call")],
    id: nullable(string),
    namespace: nullable(string),
  }, "kept"),
  computer_call_output: record({
    call_id: [string],
    output: [object],
    type: [oneOf("computer_call_output")],
    id: nullable(string),
    acknowledged_safety_checks: nullable(anyList),
    status: nullable(oneOf(...STATUS)),
  }, "kept"),
  custom_tool_call_output: record({
    call_id: [string],
    output: [either(string, anyList)],
    type: [oneOf("custom_tool_call_output")],
    id: nullable(string),
  }, "kept"),
  local_shell_call_output: record({
    id: [string],
    output: [string],
    type: [oneOf("local_shell_call_output")],
    status: nullable(oneOf(...STATUS)),
  }, "kept"),
  mcp_approval_response: record({
    approval_request_id: [string],
    approve: [truth],
    type: [oneOf("mcp_approval_response")],
    id: nullable(string),
    reason: nullable(string),
  }, "kept"),
  apply_patch_call: record({
    id: [string],
    call_id: [string],
    operation: [object],
    status: [oneOf("in_progress", "completed")],
    type: [oneOf("apply_patch_call")],
    created_by: nullable(string),
  }, "kept"),
  apply_patch_call_output: record({
    id: [string],
    call_id: [string],
    status: [oneOf("completed", "failed")],
    type: [oneOf("apply_patch_call_output")],
    created_by: nullable(string),
    output: nullable(string),
  }, "kept"),
  compaction: record({
    id: [string],
    encrypted_content: [string],
    type: [oneOf("compaction")],
    created_by: nullable(string),
  }, "kept"),
  shell_call: record({
    id: [string],
    action: [object],
    call_id: [string],
    environment: nullable(object),
    status: [oneOf(...STATUS)],
    type: [oneOf("shell_call")],
    created_by: nullable(string),
  }, "kept"),
  shell_call_output: record({
    id: [string],
    call_id: [string],
    max_output_length: nullable(whole),
    output: [anyList],
    status: [oneOf(...STATUS)],
    type: [oneOf("shell_call_output")],
    created_by: nullable(string),
  }, "kept"),
  tool_search_call: record({
    id: [string],
    arguments: [anything],
    call_id: nullable(string),
    execution: [oneOf("server", "client")],
    status: [oneOf(...STATUS)],
    type: [oneOf("tool_search_call")],
    created_by: nullable(string),
  }, "kept"),
  tool_search_output: record({
    id: [string],
    call_id: nullable(string),
    execution: [oneOf("server", "client")],
    status: [oneOf(...STATUS)],
    tools: [anyList],
    type: [oneOf("tool_search_output")],
    created_by: nullable(string),
  }, "kept"),
  compaction_trigger: hosted("compaction_trigger", {}),
  additional_tools: record({
    role: [oneOf("developer")],
    tools: [anyList],
    type: [oneOf("additional_tools")],
    id: nullable(string),
  }, "kept"),
};
