/** Texts that are valid JSON and odd, lines that are not JSON, and rows of which both are made. */
import fc from "fast-check";
import { KEYS } from "../../src/record/keys.ts";

/** JSON within JSON within JSON. */
const deep = (open: string, close: string, levels: number) =>
  open.repeat(levels) + "1" + close.repeat(levels);

const SCALARS = [
  "null",
  "true",
  "false",
  "0",
  "-0.0",
  "1",
  "1.0",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "0.1",
  "123456789012345678901234567890",
  '""',
  '"x"',
  '"1"',
  '"\\ud83d"',
  '"\\u0000"',
  '"a\\nb"',
  '"\\u001b[31mred"',
  '"\\u2028"',
  '"\u2028\u0085"',
  '"null"',
  '"__proto__"',
  '"constructor"',
  '"../../x"',
  '"\u202eabc"',
  '"agent_timeout"',
  `"${"x".repeat(5000)}"`,
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '[1,"a",{}]',
  '{"a":1,"a":2}',
  '{"":0}',
  '{"__proto__":{"x":1}}',
  '{"toString":1,"valueOf":"x","toJSON":3}',
  '{"name":null}',
  '{"name":{"name":"a"}}',
  '{"length":3}',
  '{"constructor":{"prototype":{}}}',
]; // deno-fmt-ignore

/** The text of one JSON value of any shape. */
export const oddJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SCALARS) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4, noUnicodeString: false }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(["[", "]"], ['{"a":', "}"]), fc.constantFrom(10, 1000, 7000, 30_000)).map(
      ([[open, close], levels]) => deep(open!, close!, levels),
    ),
  },
);

/** Keys that rollcall reads somewhere in rows, results, failures, episodes and metrics. */
export const READ_KEYS: readonly string[] = [
  ...Object.values(KEYS),
  "response",
  "reward",
  "failure_reason",
  "_ng_failure_type",
  "_ng_failure_kind",
  "_ng_failure_http_status",
  "_ng_failure_delivery",
  "_ng_failure_stage",
  "episode_id",
  "result",
  "failure",
  "terminal",
  "partial_response",
  "stage",
  "ng_trajectory",
  "ng_perf",
  "ng_model_call_capture",
  "usage",
  "output",
  "id",
  "verify_elapsed_seconds",
  "elapsed_seconds",
  "invalid_judge_response",
  "key_metrics",
  "agent_metrics",
  "group_level_metrics",
  "name",
  "messages",
  "input",
  "tools",
  "deliverable",
  "deliverables_dir",
  "tags",
  "__proto__",
  "toString",
  "",
]; // deno-fmt-ignore

/** A JSON object with odd values under keys that are read, and now and then the same key twice. */
export const oddObject: fc.Arbitrary<string> = fc.array(
  fc.tuple(fc.constantFrom(...READ_KEYS), oddJson),
  { maxLength: 5 },
).map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`);

/** An object with an object of odd members inside: of an episode's result, of a response. */
export const nestedObject: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom(
    "result",
    "failure",
    "response",
    "agent_ref",
    "episode_id",
    "task_id",
    "ng_trajectory",
    "ng_perf",
  ),
  oddObject,
  oddObject,
).map(([key, inner, outer]) =>
  outer === "{}" ? `{"${key}":${inner}}` : `${outer.slice(0, -1)},"${key}":${inner}}`
);

/** Lines that are no JSON object, without their line break. */
export const brokenLine: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "1-2",
    "nul",
    "{,}",
    "{]",
    "[}",
    '{"a":1',
    '{"a"}',
    "{a:1}",
    "{'a':1}",
    '{"a":1,}',
    "NaN",
    '{"a":NaN}',
    '{"a":01}',
    '"x',
    "}",
    '{"a":"\t"}',
    '{"a":"\\x"}',
    "\u0000",
    "\ufeff",
    "// x",
    "[1]",
    "null",
    "1",
    '"x"',
    '{"a":1}{"b":2}',
    "\u001b[2J",
    '{"a":"\u2028',
    "{}}",
  ), // deno-fmt-ignore
  fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, " ")),
  oddJson,
);

/** A task row, odd or not. */
export const taskRow: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(3).map((n) => whole(n)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...READ_KEYS), oddJson).map(([key, value]) =>
      `{"agent_ref":{"name":"a"},"responses_create_params":{"input":"q"},${JSON.stringify(key)}:${value}}`
    ),
  },
  { weight: 1, arbitrary: oddObject },
);

/** An ordinary task. */
export function whole(n: number): string {
  return `{"agent_ref":{"name":"a"},"responses_create_params":{"input":"question ${n}"}}`;
}

/** Bytes of a text file: lines, line breaks of both kinds, a byte-order mark or none, the last line whole or not. */
export const textFile = (line: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc.record({
    mark: fc.boolean(),
    lines: fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n", " \n")), {
      maxLength: 6,
    }),
    end: fc.constantFrom("\n", "\n", "", "\n\n"),
    flip: fc.option(fc.tuple(fc.nat(400), fc.nat(255)), { freq: 8 }),
  }).map(({ mark, lines, end, flip }) => {
    const text = lines.map(([line, end]) => line + end).join("").replace(/\n$/, end);
    const bytes = new TextEncoder().encode((mark ? "\ufeff" : "") + text);
    if (flip && flip[0] < bytes.length) bytes[flip[0]] = flip[1];
    return bytes;
  });
