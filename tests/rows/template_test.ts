import assert from "node:assert/strict";
import { UsageFault } from "../../src/kit/fault.ts";
import { FieldFault, fillTemplate, parseTemplate } from "../../src/rows/template.ts";
import { readTree, type Tree } from "../../src/rows/tree.ts";
import { bytes, messageOf } from "./_rows.ts";

const row = readTree(bytes(`{
  "q": "How many?", "i": 42, "f": 1.0, "e": 1e-07, "t": true, "n": null, "brace": "{q}", "my field": "spaced",
  "list": [1, "a", {"k": 2.50}], "o": {"key": "value", "a.b": "dotted", "0": "zero", "in": {"side": "deep"}},
  "名": "name"
}`)) as Map<string, Tree>;
const fill = (template: string) => fillTemplate(parseTemplate(template, "t"), (name) => row.get(name));

for (
  const [template, want] of [
    ["", ""],
    ["plain", "plain"],
    ["{q}", "How many?"],
    ["<{q}|{i}>", "<How many?|42>"],
    ["{{q}} {{", "{q} {"],
    ["}}{q}{{", "}How many?{"],
    ["{{{q}}}", "{How many?}"],
    ["{brace}", "{q}"],
    ["{f} {e} {t} {n}", "1.0 1e-07 True None"],
    ["{list}", "[1, 'a', {'k': 2.5}]"],
    ["{o[key]}", "value"],
    ["{o[a.b]}", "dotted"],
    ["{list[0]} {list[1]} {list[2][k]}", "1 a 2.5"],
    ["{o[in][side]}", "deep"],
    ["{q[0]}{q[1]}", "Ho"],
    ["{my field}", "spaced"],
    ["{名}", "name"],
  ] as const
) {
  Deno.test(`fillTemplate() makes ${JSON.stringify(want)} of ${JSON.stringify(template)}`, () =>
    assert.equal(fill(template), want));
}

for (
  const [template, words] of [
    ["{q", ["never closed", "character 1"]],
    ["ab {", ["never closed", "character 4"]],
    ["{o[a}", ["never closed"]],
    ["a } b", ["closes nothing", "character 3"]],
    ["{q}}", ["closes nothing"]],
    ["{}", ["have names"]],
    ["{0}", ["have names"]],
    ["{[key]}", ["have names"]],
    ["{q!r}", ["{q!r}", "conversions", "not supported"]],
    ["{f:.2f}", ["{f:.2f}", "format specs", "not supported"]],
    ["{q:>10}", ["format specs"]],
    ["{o.key}", ["{o.key}", "attributes", "not supported"]],
    ["{o[key].x}", ["attributes"]],
    ["{o[]}", ["brackets are empty"]],
    ["{o[key]x}", ["{o[key]x}", "makes no sense"]],
    ["{q{i}}", ["makes no sense"]],
  ] as const
) {
  Deno.test(`parseTemplate() refuses ${template}`, () => {
    assert.throws(() => parseTemplate(template, "prompt.yaml: user"), UsageFault);
    const message = messageOf(() => parseTemplate(template, "prompt.yaml: user"));
    for (const word of ["prompt.yaml: user", ...words]) assert.ok(message.includes(word), message);
  });
}

for (
  const [template, word] of [
    ["{hint}", `"hint"`],
    ["{o[nope]}", "an object with key, a.b, 0, in"],
    ["{o[0]}", "[0]"], // a number, which no member's name is
    ["{list[3]}", "a list of 3"],
    ["{list[key]}", "[key]"],
    ["{list[-1]}", "[-1]"],
    ["{q[99]}", "a string"],
    ["{i[0]}", "a number"],
    ["{n[x]}", "null"],
  ] as const
) {
  Deno.test(`fillTemplate() says what is missing for ${template}`, () => {
    assert.throws(() => fill(template), FieldFault);
    assert.ok(messageOf(() => fill(template)).includes(word));
  });
}
