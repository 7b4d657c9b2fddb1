/** What must hold of the files: at any moment, and when everything is run. */
import { bodyOf, endOf, type Fate, type Step, stepOf } from "./fates.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A row as far as this program looks into it. */
interface Row {
  readonly _ng_task_index: number;
  readonly _ng_rollout_index: number;
  readonly _ng_attempt_index?: number;
  readonly _ng_failure_class?: string;
  readonly _ng_failure_delivery?: string;
  readonly _ng_failure_http_status?: number | null;
  readonly _ng_migrated_invalid_judge_response?: boolean;
}

/** A line of a file. */
interface Line {
  readonly text: string;
  readonly row: Row;
}

/** The files of an output. */
export interface Files {
  readonly rollouts: string;
  readonly failures: string;
}

/** A rule that was broken. */
export class Broken extends Error {}

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Broken(what);
}

const identityOf = ({ _ng_task_index: task, _ng_rollout_index: rollout }: Row) => `${task}-${rollout}`;

/** The whole lines of a file, and whether a last one was cut off. A file that is not there has none. */
async function read(path: string): Promise<{ lines: Line[]; torn: boolean }> {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { lines: [], torn: false };
    throw error;
  }
  const end = bytes.lastIndexOf(0x0a) + 1;
  const texts = decoder.decode(bytes.subarray(0, end)).split("\n").slice(0, -1);
  const lines = texts.map((text, k) => {
    try {
      return { text, row: JSON.parse(text) as Row };
    } catch (error) {
      throw new Broken(`${path}:${k + 1} is not JSON: ${(error as Error).message}: ${text.slice(0, 200)}`);
    }
  });
  return { lines, torn: end < bytes.length };
}

/** After a kill: whole lines, save one that is cut off; no identity twice among the rollouts. */
export async function checkAnytime(files: Files): Promise<{ readonly torn: boolean; readonly done: number }> {
  const rollouts = await read(files.rollouts), failures = await read(files.failures);
  const seen = new Set<string>();
  for (const { row } of rollouts.lines) {
    const identity = identityOf(row);
    must(!seen.has(identity), `${files.rollouts} has ${identity} twice`);
    seen.add(identity);
  }
  return { torn: rollouts.torn || failures.torn, done: seen.size };
}

/** When everything is run: each rollout left what its fate says, and every line is what the server sent. */
export async function checkEnd(files: Files, fates: readonly Fate[], cap: number): Promise<void> {
  const rollouts = await read(files.rollouts), failures = await read(files.failures);
  must(!rollouts.torn && !failures.torn, "a file ends in the middle of a line");
  const results = new Map<string, Line>(), failed = new Map<string, Line[]>();
  for (const line of rollouts.lines) {
    const identity = identityOf(line.row);
    must(!results.has(identity), `${files.rollouts} has ${identity} twice`);
    results.set(identity, line);
  }
  for (const line of failures.lines) {
    const identity = identityOf(line.row);
    failed.set(identity, [...failed.get(identity) ?? [], line]);
  }
  for (const fate of fates) {
    const identity = `${fate.task}-${fate.rollout}`;
    const end = endOf(fate, cap);
    const lines = failed.get(identity) ?? [];
    const story = () =>
      `${identity}, whose attempts are ${fate.steps.map(({ kind }) => kind).join(", ")}: sidecar has ` +
      `${
        lines.map(({ row }) => `${row._ng_failure_class} (attempt ${row._ng_attempt_index ?? 0})`).join(", ")
      }` +
      `${results.has(identity) ? ", and there is a result" : ""}`;
    must(lines.length === end.failures.length, `wrong number of failed attempts of ${story()}`);
    // Attempts are counted from 0, without a gap and none twice; those that a judge is to see again are moved later.
    for (const [attempt, step] of end.failures.entries()) {
      const line = lines.find(({ row }) => (row._ng_attempt_index ?? 0) === attempt);
      must(line !== undefined, `attempt ${attempt} is not recorded of ${story()}`);
      checkFailure(line, fate, attempt, step, story);
    }
    const result = results.get(identity);
    must((result !== undefined) === end.result, `wrong result of ${story()}`);
    if (!result) continue;
    const attempt = end.failures.length;
    const want = stamped(bodyOf(fate, attempt, stepOf(fate, attempt)), fate, attempt);
    must(
      result.text === want,
      `the result of ${story()} is not what the server sent:\n${difference(result.text, want)}`,
    );
    results.delete(identity);
    failed.delete(identity);
  }
  must(results.size === 0, `rows of no rollout: ${[...results.keys()].join(", ")}`);
}

function checkFailure(
  { text, row }: Line,
  fate: Fate,
  attempt: number,
  step: Step,
  story: () => string,
): void {
  switch (step.kind) {
    case "error":
      return must(
        row._ng_failure_class === "agent_run_error" && row._ng_failure_http_status === 500,
        `attempt ${attempt} is not told as a status 500 of ${story()}`,
      );
    case "break":
      return must(
        row._ng_failure_class === "agent_request_failed" && row._ng_failure_delivery === "possibly_delivered",
        `attempt ${attempt} is not told as possibly delivered of ${story()}`,
      );
    case "declared": {
      const want = stamped(bodyOf(fate, attempt, step), fate, attempt);
      return must(text === want, `attempt ${attempt} of ${story()}:\n${difference(text, want)}`);
    }
    case "result": {
      const whole = stamped(bodyOf(fate, attempt, step), fate, attempt);
      const want = `${
        whole.slice(0, -1)
      },"_ng_failure_class":"judge_invalid","_ng_migrated_invalid_judge_response":true}`;
      return must(text === want, `attempt ${attempt} of ${story()}:\n${difference(text, want)}`);
    }
  }
}

/** What is written of an answer: its bytes, and the row's keys behind them. */
function stamped(body: string, { task, rollout }: Fate, attempt: number): string {
  return `${body.slice(0, -1)},"_ng_task_index":${task},"_ng_rollout_index":${rollout},` +
    `"agent_ref":{"name":"solver"}${attempt > 0 ? `,"_ng_attempt_index":${attempt}` : ""}}`;
}

function difference(got: string, want: string): string {
  let at = 0;
  while (at < got.length && got[at] === want[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  return `  at character ${at}: ${around(got)}\n  expected:        ${around(want)}`;
}
