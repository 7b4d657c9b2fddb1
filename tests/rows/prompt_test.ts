import assert from "node:assert/strict";
import { UsageFault } from "../../src/kit/fault.ts";
import { RowFault } from "../../src/rows/problems.ts";
import { applyPrompt, asTemplates } from "../../src/rows/prompt.ts";
import { messageOf, row, written } from "./_rows.ts";

const templates = asTemplates({ user: "{q}?", system: "Be {mood}." }, "prompt.yaml");
const input = (q: string) =>
  `[{"role":"system","content":"Be brief."},{"role":"user","content":${JSON.stringify(q + "?")}}]`;

for (
  const [given, want] of [
    [
      `{"q": "a", "mood": "brief"}`,
      `{"q": "a", "mood": "brief","responses_create_params":{"input":${input("a")}}}`,
    ],
    [
      `{"responses_create_params": {"temperature": 1.0, "n": 1e-07}, "q": "a", "mood": "brief"}`,
      `{"responses_create_params": {"temperature": 1.0, "n": 1e-07,"input":${
        input("a")
      }}, "q": "a", "mood": "brief"}`,
    ],
    [
      `{"responses_create_params": null, "q": "a\\n", "mood": "brief"}`,
      `{"responses_create_params": {"input":${input("a\n")}}, "q": "a\\n", "mood": "brief"}`,
    ],
  ] as const
) {
  Deno.test(`applyPrompt() fills ${given}`, () => {
    const r = row(given);
    applyPrompt(r, templates);
    assert.equal(written(r), want);
  });
}

for (const empty of ["null", "[]", "[ ]", `""`, "{}", "0", "0.0", "-0", "false"]) {
  Deno.test(`applyPrompt() takes input ${empty} for none`, () => {
    const r = row(`{"q": "a", "mood": "brief", "responses_create_params": {"input": ${empty}}}`);
    applyPrompt(r, templates);
    assert.ok(written(r).includes(input("a")));
  });
}

for (const full of [`"x"`, `[0]`, `{"a": 1}`, "1", "true"]) {
  Deno.test(`applyPrompt() refuses a row whose input is ${full}`, () => {
    const r = row(`{"q": "a", "mood": "brief", "responses_create_params": {"input": ${full}}}`);
    assert.throws(() => applyPrompt(r, templates), RowFault);
    assert.match(messageOf(() => applyPrompt(r, templates)), /prompt_config.*bring one already/);
  });
}

Deno.test("applyPrompt() names a missing field and the fields there are", () => {
  const message = messageOf(() => applyPrompt(row(`{"q": "a", "h": 1}`), templates));
  assert.match(message, /"mood"; there are q, h/);
});

Deno.test("applyPrompt() refuses parameters that are not an object", () => {
  assert.throws(
    () => applyPrompt(row(`{"q": "", "mood": "", "responses_create_params": "x"}`), templates),
    RowFault,
  );
});

Deno.test("applyPrompt() finds fields by names beyond ASCII, escaped or not", () => {
  const german = asTemplates({ user: "{größe}{\u540d}" }, "p");
  const r = row(`{"gr\\u00f6\\u00dfe": 1, "\u540d": 2}`);
  applyPrompt(r, german);
  assert.ok(written(r).includes(`"content":"12"`));
});

for (
  const [value, word] of [
    [null, "user"],
    ["text", "user"],
    [{ system: "x" }, "user"],
    [{ user: 1 }, "user"],
    [{ user: "x", system: ["y"] }, "system"],
    [{ user: "{a" }, "never closed"],
  ] as const
) {
  Deno.test(`asTemplates() refuses ${JSON.stringify(value)}`, () => {
    assert.throws(() => asTemplates(value, "prompt.yaml"), UsageFault);
    assert.match(messageOf(() => asTemplates(value, "prompt.yaml")), new RegExp(`prompt.yaml.*${word}`));
  });
}

Deno.test("asTemplates() treats a null system as none and ignores other keys", () => {
  assert.equal(asTemplates({ user: "x", system: null, notes: 1 }, "p").system, undefined);
});
