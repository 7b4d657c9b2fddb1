/** Replays the recordings of the real Gym up to the materialized inputs. */
import assert from "node:assert/strict";
import { parse as parseYaml } from "yaml";
import type { RowsConfig, Value } from "../../src/config/config.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { Preparation, type Rollout } from "../../src/rows/prepare.ts";
import { asTemplates } from "../../src/rows/prompt.ts";
import { number } from "../../src/rows/python.ts";
import { type SkillFile, skillsRef } from "../../src/rows/skills.ts";
import { NumberText, readTree, type Tree } from "../../src/rows/tree.ts";
import { bytes, config, messageOf, text, topology } from "../rows/_rows.ts";

interface Step {
  command: string;
  args?: string[];
  env?: Record<string, string>;
  config?: Record<string, unknown>;
  expect_exit?: string;
  must_mention?: string[];
  no_head?: boolean;
}

type Words = RowsConfig & { output_jsonl_fpath: string; resume_from_cache?: boolean };

interface Case {
  title: string;
  config: Record<string, unknown>;
  steps: Step[];
}

const folder = new URL("../../testdata/cases/", import.meta.url);
/** Cases whose errors and warnings come from the rows; others are replayed for their materialized inputs only. */
const ABOUT_ROWS = /^(routing|repeats|params|input|environments)-(?!missing-file)/;

for (const entry of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  const at = new URL(`${entry.name}/`, folder);
  const recorded: Case = JSON.parse(Deno.readTextFileSync(new URL("case.json", at)));
  for (const [i, step] of recorded.steps.entries()) {
    if (step.command !== "collect") continue;
    const set = asConfig(step.args ?? []);
    // A resumed run goes on with the materialized inputs of the one before.
    if (set.resume_from_cache) continue;
    const aboutRows = ABOUT_ROWS.test(entry.name);
    const expected = new URL(`expected/${i + 1}/`, at);
    const stem = set.output_jsonl_fpath.replace(/\.jsonl$/, "");
    const materialized = new URL(`${stem}_materialized_inputs.jsonl`, expected);
    // Gym writes the materialized inputs before it has checked everything; a refusal is told by nothing sent.
    const refused = step.expect_exit === "error" && !step.no_head &&
      !exists(new URL("requests.jsonl", expected));
    if (refused ? !aboutRows : !exists(materialized)) continue;

    Deno.test(`Preparation as recorded in ${entry.name}, step ${i + 1}: ${recorded.title}`, () => {
      const run = () => collect(at, recorded, step, set);
      if (refused) {
        assert.throws(run, UsageFault);
        mentions(messageOf(run), step);
        return;
      }
      const { rows, warnings } = run();
      assert.deepEqual(rows.map(canonical), lines(materialized).map(canonical));
      if (aboutRows && step.expect_exit !== "error") mentions(warnings, step);
    });
  }
}

function mentions(message: string, step: Step): void {
  for (const word of step.must_mention ?? []) assert.ok(message.includes(word), `${word} in:\n${message}`);
}

function collect(at: URL, recorded: Case, step: Step, set: Words) {
  const file = (path: string) => new URL(`files/${path}`, at);
  const preparation = new Preparation({
    config: set,
    topology: topology(step.config ?? recorded.config),
    file: set.input_jsonl_fpath,
    pairingWaived: step.env?.NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING === "1",
    ...(set.prompt_config && {
      prompt: asTemplates(parseYaml(Deno.readTextFileSync(file(set.prompt_config))), set.prompt_config),
    }),
    ...(set.skills?.path && {
      skills: skillsRef(set.skills.path, [...filesBelow(file(`${set.skills.path}/`))], {
        parseYaml: (text) => parseYaml(text, { intAsBigInt: true }),
      }),
    }),
  });
  const rollouts: Rollout[] = [];
  for (const [i, line] of lines(file(set.input_jsonl_fpath)).entries()) {
    rollouts.push(...preparation.push({ bytes: bytes(line), line: i + 1 }));
  }
  const { warnings } = preparation.finish();
  if (set.interleave_repeats) rollouts.sort((a, b) => a.rollout - b.rollout);
  return { rows: rollouts.map((rollout) => text(rollout.pieces)), warnings: warnings.join("\n") };
}

/** The words of a case as a configuration: `+a.b=VALUE`, where maps and lists are nearly YAML. */
function asConfig(words: string[]): Words {
  const set: Record<string, Value> = {};
  for (const word of words) {
    const [, path, value] = /^\+([^=]+)=(.*)$/.exec(word.replaceAll("{work}", "work"))!;
    const keys = path!.split("."), last = keys.pop()!;
    let map = set;
    for (const key of keys) map = (map[key] ??= {}) as Record<string, Value>;
    map[last] = parseYaml(value!.startsWith("{") ? value!.replace(/:(?! )/g, ": ") : value!);
  }
  return { output_jsonl_fpath: "", ...config(set as Partial<RowsConfig>) };
}

function* filesBelow(folder: URL, prefix = ""): Generator<SkillFile> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(new URL(`${name}/`, folder), `${prefix}${name}/`);
    else yield { path: prefix + name, bytes: Deno.readFileSync(new URL(name, folder)) };
  }
}

/** A row in which the order of keys and the spelling of numbers do not count, but their kind does. */
function canonical(row: string): string {
  const write = (value: Tree): unknown => {
    if (value instanceof NumberText) return { number: number(value.text) };
    if (Array.isArray(value)) return value.map(write);
    if (!(value instanceof Map)) return value;
    const members = [...value].sort(([a], [b]) => a < b ? -1 : 1);
    return { object: members.map(([name, item]) => [name, write(item)]) };
  };
  return JSON.stringify(write(readTree(bytes(row))));
}

function lines(file: URL): string[] {
  return Deno.readTextFileSync(file).split("\n").filter((line) => line !== "");
}

function exists(file: URL): boolean {
  try {
    return Deno.statSync(file).size > 0;
  } catch {
    return false;
  }
}
