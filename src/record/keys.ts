/** The keys of rows, results and failures that rollcall reads or writes. The names are Gym's. */

/** By what each holds. */
export const KEYS = {
  /** The agent a row is for: `{"name": …}`. */
  agent: "agent_ref",
  /** Selects the agent of a row that names none. */
  source: "task_source",
  /** The request to the model. */
  params: "responses_create_params",
  /** The skills an agent has. */
  skills: "skills_ref",
  /** The environment server a row goes to. */
  server: "_ng_environment_server",
  /** The number of the task, from 0. */
  task: "_ng_task_index",
  /** The number of the rollout among its task's, from 0. */
  rollout: "_ng_rollout_index",
  /** The name of a rollout in captures and traces. */
  rolloutId: "_ng_rollout_id",
  /** Of a materialized task row: which task. */
  taskId: "task_id",
  /** Of a materialized task row: the task. */
  taskInput: "task_input",
  /** How many failures were recorded before; absent on the first attempt. */
  attempt: "_ng_attempt_index",
  /** What an environment server returned. */
  resultType: "_ng_result_type",
  /** The task of an episode. */
  episodeTaskId: "_ng_task_id",
  /** True in a response that asks not to be kept. */
  noPersist: "_ng_no_persist",
  /** The class of a failed attempt. */
  failureClass: "_ng_failure_class",
  /** Whether a failure is final. */
  failureTerminal: "_ng_failure_terminal",
  /** What happened, for people. */
  failureMessage: "_ng_failure_message",
  /** What happened, in the words of an episode's failure and of servers that declare one without the key above. */
  failureReason: "failure_reason",
  /** The body of the response that was the failure. */
  failureBody: "_ng_failure_response_body",
  /** Marks a failure row that was a result with an invalid judge response. */
  migrated: "_ng_migrated_invalid_judge_response",
  /** The reward of a result. */
  reward: "reward",
  /** True in a result that training excludes. */
  mask: "mask_sample",
} as const;
