/** What is tried: each target makes cases of one kind, and runs rollcall on them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { VALUES } from "../config/_overrides_table.ts";
import { KEYS as CONFIG_KEYS } from "../../src/config/keys.ts";
import { anyAnswer, asksAgain, oddBody, replyOf } from "./answers.ts";
import { brokenLine, oddJson, oddObject, taskRow, textFile, whole } from "./odd.ts";
import { type Ended, Folder, rollcall } from "./program.ts";
import {
  checkAccounts,
  checkDeliveries,
  checkEnding,
  checkLines,
  checkTidy,
  FILES,
  identities,
  summaryOf,
} from "./rules.ts";
import { Agent } from "./server.ts";

/** A kind of case. */
export interface Target {
  readonly name: string;
  /** So many at once, for those that mostly wait. */
  readonly lanes: number;
  readonly property: () => fc.IAsyncProperty<unknown>;
}

const COLLECT = ["collect", "--json", "-i", "in.jsonl", "-o", "out.jsonl"];

/** Options that change how a run goes, and not which rollouts there are. */
const options = fc.subarray([
  "--route-failures-to-sidecar",
  "--disable-aggregation",
  "--no-health-check",
  "--require-complete",
  "--count-missing-rollouts-as-zero",
  "--count-failure-classes-as-zero=agent_run_error,x",
  "--longest-first",
  "--quiet",
  "--connection-reuse=always",
  "--concurrency=1",
]);

function tasks(count: number): string {
  return Array.from({ length: count }, (_, n) => `${whole(n)}\n`).join("");
}

/** A run and everything that holds after it. */
async function collected(
  folder: Folder,
  args: readonly string[],
): Promise<Ended & { summary?: Record<string, unknown> }> {
  const ended = await rollcall(folder.path, args);
  checkEnding(ended);
  checkTidy(folder);
  const summary = summaryOf(ended);
  if (!summary) return ended;
  checkAccounts(summary, ended);
  checkLines(folder);
  checkDone(folder, summary);
  return { ...ended, summary };
}

/** What the summary calls done is in the file, once each. */
function checkDone(folder: Folder, summary: Record<string, unknown>): void {
  const inputs = new Set(identities(folder, FILES.inputs));
  const done = identities(folder, FILES.rollouts).filter((id) => inputs.has(id));
  const { done: now, done_before: before } = summary as Record<string, number>;
  assert.equal(new Set(done).size, now! + before!, "what is done is not what is in the file");
}

/** Commands that look at a run, one of which is tried in each case. */
const LOOKS: readonly (readonly string[])[] = [
  ["status", "out.jsonl", "--json"],
  ["status", "out.jsonl"],
  ["health", ".", "--rollouts-file", "out.jsonl"],
  ["plan", ...COLLECT.slice(2), "--resume"],
  ["aggregate", "--offline", "--input-glob", "out.jsonl", "-o", "all/all.jsonl"],
];

/** Looking at a run stumbles over nothing that lies there, and changes none of it. */
async function lookedAt(folder: Folder, look: readonly string[]): Promise<void> {
  const kept = () =>
    [FILES.rollouts, FILES.failures, FILES.inputs, FILES.manifest].map((name) => folder.text(name));
  const before = kept();
  const ended = await rollcall(folder.path, look);
  checkEnding(ended);
  assert.deepEqual(kept(), before, `${look[0]} has changed the run`);
  if (folder.has("all")) Deno.removeSync(folder.at("all"), { recursive: true });
}

const anyLook = fc.constantFrom(...LOOKS);

const key = fc.oneof(
  fc.constantFrom(
    ...Object.keys(CONFIG_KEYS).filter((name) => !/^(serve_command|rollout_collection_driver)$/.test(name)),
  ),
  fc.constantFrom(
    "a.b",
    "a..b",
    "a.0.b",
    ".",
    "",
    "__proto__",
    "constructor.x",
    "num_repeat",
    "servers.a",
    "responses_create_params.x",
  ),
  fc.string({ maxLength: 8 }),
); // deno-fmt-ignore
const value = fc.oneof(
  fc.constantFrom(...VALUES.map(([text]) => text)),
  oddJson,
  fc.array(fc.constantFrom("{", "}", "[", "]", ",", ":", "'", '"', "\\", "$", "(", ")", "a", "1", " ", "=", "null", "1e5", "0x1", "\u00a0", "\u0000", "é", "😀")).map((all) => all.join("")),
  fc.constantFrom("-1", "0", "1", "2", "3.5", "1e400", "nan", "inf", "true", "null", "99999999999999999999", "${oc.env:HOME}", "${a}", "${", "http://x", "a.jsonl"),
); // deno-fmt-ignore
const word = fc.oneof(
  fc.tuple(fc.constantFrom("", "+", "++", "~", "--"), key, fc.constantFrom("=", "=", "=", " =", "= ", ""), value)
    .map((parts) => parts.join("")),
  fc.constantFrom("--", "-", "-n", "-n4", "-c=0", "--input", "--resume=yes", "--no-resume", "--json=1", "---x", "-xyz", "--agent=", "@file", "--config"),
  fc.string({ maxLength: 12 }),
); // deno-fmt-ignore

const words: Target = {
  name: "words",
  lanes: 1,
  property: () =>
    fc.asyncProperty(
      fc.constantFrom("plan", "collect", "aggregate", "status", "health", "eval", ""),
      fc.array(word, { maxLength: 4 }),
      async (command, words) => {
        // So many repeats are made before the first is sent, which takes hours.
        // No system takes longer words.
        fc.pre(!words.some((word) => word.length > 100_000));
        fc.pre(!words.some((word) => /(num_repeats|^-n|limit).*\d{5}/.test(word)));
        using folder = new Folder();
        folder.write("in.jsonl", tasks(1));
        const before = folder.snapshot();
        const given = command === "plan" || command === "collect"
          ? [command, "-i", "in.jsonl", "-o", "out.jsonl", "--server=a=http://127.0.0.1:9", ...words, "--dry-run"]
          : [...(command ? [command] : []), ...words];
        const ended = await rollcall(folder.path, given.map((word) => word.replaceAll("\0", "\\0")));
        checkEnding(ended);
        if (ended.code === 2) assert.deepEqual(folder.snapshot(), before, "something was touched");
      },
    ),
};

const inputs: Target = {
  name: "inputs",
  lanes: 1,
  property: () =>
    fc.asyncProperty(
      textFile(fc.oneof({ weight: 5, arbitrary: taskRow }, { weight: 1, arbitrary: brokenLine })),
      fc.constantFrom([], ["--num-repeats=2"], ["--limit=1"], ["--agent=a"], [
        "+responses_create_params={temperature: 0.5}",
      ], ["--num-repeats=2", "--add-seed"]),
      anyLook,
      async (text, how, look) => {
        using folder = new Folder();
        await using agent = new Agent();
        folder.write("in.jsonl", text);
        const before = folder.snapshot();
        const args = [...COLLECT, agent.flag, "--retry-window=1", ...how];
        const { code, summary, err } = await collected(folder, args);
        if (code === 2) {
          assert.equal(agent.seen.length, 0, "refused, and something was sent");
          assert.deepEqual(folder.snapshot(), before, "refused, and something was touched");
          return;
        }
        assert.ok(summary, err);
        checkDeliveries(agent.delivered, () => 0, folder);
        if (code === 0) assert.equal(summary.done, summary.materialized);
        await lookedAt(folder, look);
        const again = await collected(folder, [...args, "--resume"]);
        assert.ok(
          again.code === code,
          `a resume of what ended with ${code} ends with ${again.code}: ${again.err}`,
        );
        assert.equal(again.summary?.owed, summary.to_run, again.err);
      },
    ),
}; // deno-fmt-ignore

/** Collects where answers are odd, then resumes at a server that is well. */
async function oddRun(
  rows: number,
  how: readonly string[],
  look: readonly string[],
  bad: () => Agent,
  asked: (agent: Agent) => (attempt: { id: string; attempt: number }) => number,
): Promise<void> {
  using folder = new Folder();
  folder.write("in.jsonl", tasks(rows));
  const limits = ["--retry-window=0.4", "--rollout-timeout=0.5", "--grace=1", "--max-response-bytes=3000000", "--max-buffered-bytes=4000000"];
  const delivered = [];
  let first;
  {
    await using agent = bad();
    first = await collected(folder, [...COLLECT, agent.flag, ...limits, ...how]);
    assert.ok(first.summary, `nothing was run: ${first.err}`);
    delivered.push(...agent.delivered);
    checkDeliveries(delivered, asked(agent), folder);
  }
  await lookedAt(folder, look);
  const before = lines(folder, FILES.rollouts);
  await using agent = new Agent();
  const second = await collected(folder, [...COLLECT, agent.flag, "--resume", "--rollout-timeout=50", ...how]);
  assert.ok(second.summary, `the resume was refused: ${second.err}`);
  assert.equal(second.summary.owed, first.summary.to_run, "a resume does not run what was said");
  for (const line of before) assert.ok(lines(folder, FILES.rollouts).includes(line), "a rollout was lost");
  assert.equal(second.summary.to_run, 0, `a resume at a good server leaves something: ${second.err}`);
  checkDeliveries(agent.delivered, () => 0, folder);
} // deno-fmt-ignore

function lines(folder: Folder, name: string): string[] {
  return folder.text(name).split("\n").slice(0, -1);
}

const answers: Target = {
  name: "answers",
  lanes: 5,
  property: () =>
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      options,
      anyLook,
      fc.array(anyAnswer, { minLength: 1, maxLength: 4 }),
      (rows, how, look, answers) => {
        const asked = new Map<string, number>();
        return oddRun(rows, how, look, () =>
          new Agent(({ id, attempt }, count) => {
            const answer = answers[count];
            if (!answer) return undefined;
            const key = `${id} ${attempt}`;
            if (asksAgain(answer)) asked.set(key, (asked.get(key) ?? 0) + 1);
            return replyOf(answer);
          }), () => ({ id, attempt }) => asked.get(`${id} ${attempt}`) ?? 0);
      },
    ),
};

const bodies: Target = {
  name: "bodies",
  lanes: 2,
  property: () =>
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      options,
      anyLook,
      fc.array(oddBody, { minLength: 1, maxLength: 3 }),
      fc.option(oddBody, { nil: null }),
      (rows, how, look, bodies, metrics) =>
        oddRun(rows, how, look, () =>
          new Agent(
            (_, count) => bodies[count] === undefined ? undefined : { body: bodies[count] },
            ...(metrics === null ? [] : [{ body: metrics }] as const),
          ), () => () => 0),
    ),
};

/** What may be done to a file of an earlier run. */
type Damage =
  | { readonly kind: "none" | "gone" | "empty" | "twice" }
  | { readonly kind: "cut"; readonly at: number }
  | { readonly kind: "flip"; readonly at: number; readonly byte: number }
  | { readonly kind: "odd"; readonly text: string }
  /** A member of one of its objects has another value. */
  | { readonly kind: "member"; readonly object: number; readonly member: number; readonly text: string }
  | { readonly kind: "line"; readonly at: number; readonly text: string };

const oddLine = fc.oneof(
  brokenLine,
  oddObject,
  fc.tuple(fc.nat(4), oddObject).map(([task, odd]) =>
    `{"_ng_task_index":${task},"_ng_rollout_index":0${odd === "{}" ? "}" : `,${odd.slice(1)}`}`
  ),
);
const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("none", "none", "none", "gone", "empty", "twice") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut"), at: fc.nat(800) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("flip"), at: fc.nat(800), byte: fc.nat(255) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("odd"), text: fc.oneof(oddJson, oddObject, brokenLine) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("member"),
      object: fc.nat(3),
      member: fc.nat(20),
      text: oddJson,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("line"), at: fc.nat(6), text: oddLine }) },
) as fc.Arbitrary<Damage>; // deno-fmt-ignore

function damaged(bytes: Uint8Array, damage: Damage): Uint8Array | null {
  const text = new TextDecoder("latin1").decode(bytes), encoder = new TextEncoder();
  switch (damage.kind) {
    case "none":
      return bytes;
    case "gone":
      return null;
    case "empty":
      return new Uint8Array();
    case "twice":
      return new Uint8Array([...bytes, ...bytes]);
    case "cut":
      return bytes.slice(0, damage.at);
    case "flip":
      return bytes.map((byte, at) => at === damage.at ? damage.byte : byte);
    case "odd":
      return encoder.encode(damage.text);
    case "member":
      return encoder.encode(withMember(text, damage));
    case "line": {
      const lines = text.split("\n"), at = Math.min(damage.at, lines.length - 1);
      return encoder.encode(lines.toSpliced(at, 0, damage.text).join("\n"));
    }
  }
}

/** A file of one JSON object, or of one a line, in which a member of one of them has another value. */
function withMember(text: string, { object, member, text: value }: Damage & { kind: "member" }): string {
  const isOne = /^[[{]\n/.test(text), pieces = isOne ? [text] : text.split("\n").slice(0, -1);
  if (pieces.length === 0) return text;
  const at = object % pieces.length, whole = JSON.parse(pieces[at]!);
  const inner = Array.isArray(whole) ? whole[0] : whole, names = Object.keys(inner ?? {});
  if (names.length === 0) return text;
  inner[names[member % names.length]!] = MARK;
  pieces[at] = JSON.stringify(whole, null, isOne ? 2 : 0).replace(JSON.stringify(MARK), () => value);
  return `${pieces.join("\n")}\n`;
}

const MARK = "the value";

const LEFTOVERS = [
  "out.jsonl.new",
  "out_failures.jsonl.new",
  "out_materialized_inputs.jsonl.new",
  "out_materialized_inputs.jsonl.new.unordered",
  "out_manifest.json.new",
  "out_aggregate_metrics.json.new",
  "out_aggregate_metrics.json.index",
];

const folders: Target = {
  name: "folders",
  lanes: 2,
  property: () =>
    fc.asyncProperty(
      fc.record(Object.fromEntries(Object.keys(FILES).map((name) => [name, damage]))),
      fc.dictionary(fc.constantFrom(...LEFTOVERS), fc.oneof(oddJson, brokenLine, fc.constant("")), {
        maxKeys: 2,
      }),
      fc.constantFrom(["--resume"], ["--resume"], ["--resume", "--accept-drift"], [], ["--fresh"], [
        "--resume",
        "--retry-exhausted",
      ]),
      options,
      anyLook,
      async (damages, leftovers, mode, how, look) => {
        using folder = new Folder();
        folder.write("in.jsonl", tasks(4));
        {
          await using agent = new Agent(({ id }) =>
            id === "1-0"
              ? { status: 500, body: "no" }
              : id === "2-0"
              ? { body: '{"_ng_failure_class":"x"}' }
              : undefined
          );
          await collected(folder, [...COLLECT, agent.flag, "--route-failures-to-sidecar"]);
        }
        for (const [name, file] of Object.entries(FILES)) {
          const bytes = damaged(folder.bytes(file), damages[name]!);
          if (bytes === null || (bytes.length === 0 && folder.bytes(file).length === 0)) {
            if (folder.snapshot().has(file)) Deno.removeSync(folder.at(file));
          } else folder.write(file, bytes);
        }
        for (const [name, text] of Object.entries(leftovers)) folder.write(name, text);
        await lookedAt(folder, look);
        const before = folder.snapshot();
        await using agent = new Agent();
        const args = [...COLLECT, agent.flag, "--route-failures-to-sidecar", ...mode, ...how];
        const ended = await rollcall(folder.path, args);
        checkEnding(ended);
        const summary = summaryOf(ended);
        if (ended.code === 2) {
          assert.equal(agent.seen.length, 0, "refused, and something was sent");
          const after = folder.snapshot();
          for (const [name, text] of before) {
            if (!LEFTOVERS.includes(name)) {
              assert.equal(
                after.get(name),
                text,
                `refused, and ${name} is another`,
              );
            }
          }
          return;
        }
        assert.ok(summary, `nothing was run: ${ended.err}`);
        checkAccounts(summary, ended);
        checkDone(folder, summary);
        // Nothing of the earlier run is lost: every whole line is in one of the files that keep lines.
        const kept = [FILES.rollouts, FILES.failures, FILES.quarantine, FILES.rolloutsOld, FILES.failuresOld];
        const all = new Set(kept.flatMap((name) => folder.text(name).split("\n").map((line) => line.trim())));
        for (const name of [FILES.rollouts, FILES.failures]) {
          for (const line of (before.get(name) ?? "").split("\n").slice(0, -1)) {
            assert.ok(
              all.has(line.trim()),
              `a line of ${name} is in no file any more: ${line.slice(0, 200)}`,
            );
          }
        }
        // Nor does anything that lay there keep a second resume from its end.
        const again = await rollcall(folder.path, [
          ...COLLECT,
          agent.flag,
          "--resume",
          ...mode.filter((word) => word === "--accept-drift"),
          ...how,
        ]);
        checkEnding(again);
        const second = summaryOf(again);
        assert.ok(second, `the second resume was refused: ${again.err}`);
        checkAccounts(second, again);
        checkLines(folder);
        assert.equal(second.to_run, 0, again.err);
        const { error } = second;
        assert.ok(
          error === null || /missing|has a result/.test(String(error)),
          `a resume cannot get past: ${error}`,
        );
      },
    ),
}; // deno-fmt-ignore

/** All of them. */
export const TARGETS: readonly Target[] = [words, inputs, answers, bodies, folders];
