/** A configuration file to begin with: the keys that most runs set, each with what it means. Pure. */
import type { KeyName, Value } from "./config.ts";
import { keyOf } from "./keys.ts";

/** The keys in it, in order, each with an example for where it is not set. */
export const STARTER: ReadonlyMap<KeyName, Value> = new Map<KeyName, Value>([
  ["input_jsonl_fpath", "tasks.jsonl"],
  ["output_jsonl_fpath", "runs/rollouts.jsonl"],
  ["agent_name", "my_agent"],
  ["head_server", { host: "127.0.0.1", port: 11000 }],
  ["servers", { my_agent: "http://10.0.0.7:8000" }],
  ["num_repeats", 4],
  ["num_samples_in_parallel", 64],
  ["responses_create_params", { temperature: 1 }],
  ["route_failures_to_sidecar", true],
  ["retry_window_s", 600],
  ["rollout_timeout_s", 3600],
]);

/** What a file without an answer sets. */
export const STARTER_VALUES: Readonly<Record<string, Value>> = {
  input_jsonl_fpath: "tasks.jsonl",
  output_jsonl_fpath: "runs/rollouts.jsonl",
  route_failures_to_sidecar: true,
};

/** Where what a key means is not enough. */
const ABOUT: ReadonlyMap<KeyName, string> = new Map<KeyName, string>([
  [
    "route_failures_to_sidecar",
    "a failed request becomes a line in the failures sidecar; false, as by default, ends the run",
  ],
]);

/** The text of the file, JSON with comments: what is set as it is set, the rest as comments to be taken up. */
export function starterText(set: Readonly<Record<string, Value>>, path: string): string {
  const lines = [
    `// A run of rollcall. Look first:  rollcall plan --config ${path}`,
    `//                then collect:  rollcall collect --config ${path}`,
    "// Flags and overrides win over this file. docs/keys.md lists every key.",
    "{",
  ];
  for (const [name, example] of STARTER) {
    const isSet = Object.hasOwn(set, name), value = isSet ? set[name] : example;
    lines.push(`  // ${ABOUT.get(name) ?? keyOf(name).about}`);
    lines.push(`  ${isSet ? "" : "// "}${JSON.stringify(name)}: ${JSON.stringify(value)},`, "");
  }
  lines[lines.length - 1] = "}";
  return `${lines.join("\n")}\n`;
}
