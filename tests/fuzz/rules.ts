/** What holds after every run, whatever was done to it. */
import assert from "node:assert/strict";
import type { Ended, Folder } from "./program.ts";

/** Delivered requests: `TASK-ROLLOUT`, and how many failures they say came before. */
export interface Delivered {
  readonly id: string;
  readonly attempt: number;
}

/** The files of an output `out.jsonl`. */
export const FILES = {
  rollouts: "out.jsonl",
  rolloutsOld: "out.jsonl.old",
  failures: "out_failures.jsonl",
  failuresOld: "out_failures.jsonl.old",
  inputs: "out_materialized_inputs.jsonl",
  quarantine: "out_quarantine.jsonl",
  manifest: "out_manifest.json",
  metrics: "out_aggregate_metrics.json",
} as const;

/** A documented exit code, and words for people instead of a stack. */
export function checkEnding({ code, out, err }: Ended): void {
  assert.ok([0, 1, 2, 75, 130].includes(code), `exit code ${code}\n${err}`);
  const said = `${out}\n${err}`;
  const fault =
    /^\s+at (?:async )?[\w.<>#$ ]*\(?(?:file:|npm:|ext:|node:|https?:)|\b(?:TypeError|RangeError|SyntaxError|ReferenceError|InternalError|DataCloneError|AssertionError)\b|\[object \w+\]|Maximum call stack|\bundefined\b/m
      .exec(said);
  assert.ok(!fault, `a fault of rollcall's own is shown (${fault?.[0]}):\n${said.slice(0, 3000)}`);
  // deno-lint-ignore no-control-regex
  const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.exec(err);
  assert.ok(!control, `a control character is shown: ${JSON.stringify(err.slice(0, 2000))}`);
  if (code === 2) assert.notEqual(err.trim(), "", "refused without a word");
}

/** The summary of `--json`, which is one line, or undefined when nothing was run. */
export function summaryOf({ code, out, err }: Ended): Record<string, unknown> | undefined {
  if (out === "") {
    assert.ok(code !== 0, `no summary although all is well\n${err}`);
    return undefined;
  }
  assert.match(out, /^\{[^\n]*\}\n$/, `more than a summary on standard output: ${out.slice(0, 500)}`);
  return JSON.parse(out);
}

/** Every owed rollout is accounted for. */
export function checkAccounts(summary: Record<string, unknown>, { code, err }: Ended): void {
  const n = summary as Record<string, number>;
  assert.equal(n.done! + n.failed! + n.not_persisted! + n.drained! + n.left!, n.owed, "owed does not add up");
  assert.equal(
    n.done_before! + n.terminal! + n.at_cap! + n.owed!,
    n.materialized,
    "materialized does not add up",
  );
  assert.equal(
    n.left! + n.drained! + n.not_persisted! + n.failed! - n.exhausted!,
    n.to_run,
    "to_run does not add up",
  );
  assert.ok(
    summary.ending === "failed" ? code === 1 && summary.error : code !== 1,
    `ending ${summary.ending}\n${err}`,
  );
}

/** Each line of the run's files is whole, and JSON. */
export function checkLines(folder: Folder): void {
  for (const name of [FILES.rollouts, FILES.failures, FILES.inputs]) {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(folder.bytes(name));
    assert.ok(text === "" || text.endsWith("\n"), `the last line of ${name} is torn`);
    for (const line of text.split("\n").slice(0, -1)) {
      // A blank line of an earlier run's inputs means nothing, and stays.
      if (line === "" && name.endsWith("_materialized_inputs.jsonl")) continue;
      try {
        JSON.parse(line);
      } catch (error) {
        // A thing of JavaScript's, not of the line's.
        if (!(error instanceof RangeError)) {
          assert.fail(`a line of ${name} is no JSON: ${line.slice(0, 200)}`);
        }
      }
    }
  }
}

/** No file that exists only while others are being made is left. */
export function checkTidy(folder: Folder): void {
  const left = [...folder.snapshot().keys()].filter((name) => /\.(lock|new|unordered|index)$/.test(name));
  assert.deepEqual(left, [], "left behind");
}

/** The identities in a file, in order. Lines without one are passed over. */
export function identities(folder: Folder, name: string): string[] {
  return folder.text(name).split("\n").filter(Boolean).flatMap((line) => {
    try {
      const row = JSON.parse(line);
      return typeof row?._ng_task_index === "number"
        ? [`${row._ng_task_index}-${row._ng_rollout_index}`]
        : [];
    } catch {
      return [];
    }
  });
}

/**
 * No second silent delivery: an attempt that was delivered is on record before the next one says so.
 *
 * @param asked how often the server answered a delivery with "come again", by attempt
 */
export function checkDeliveries(
  delivered: readonly Delivered[],
  asked: (attempt: Delivered) => number,
  folder: Folder,
): void {
  const failures = identities(folder, FILES.failures);
  const count = new Map<string, number>(), attempts = new Map<string, Set<number>>();
  for (const { id, attempt } of delivered) {
    const key = `${id} ${attempt}`, seen = (count.get(key) ?? 0) + 1;
    count.set(key, seen);
    assert.ok(seen <= 1 + asked({ id, attempt }), `attempt ${attempt} of ${id} was delivered ${seen} times`);
    attempts.set(id, (attempts.get(id) ?? new Set()).add(attempt));
  }
  for (const [id, tried] of attempts) {
    const recorded = failures.filter((other) => other === id).length;
    assert.ok(
      tried.size <= recorded + 1,
      `${tried.size} attempts at ${id} were delivered, ${recorded} recorded`,
    );
  }
}
