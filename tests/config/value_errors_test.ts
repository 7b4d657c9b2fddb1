import assert from "node:assert/strict";
import { shown, withoutCredentials } from "../../src/config/value_errors.ts";

for (
  const [value, path, text] of [
    ["x", ["limit"], '"x"'],
    ["", ["limit"], '""'],
    ["a\nb", ["limit"], '"a\\nb"'],
    [1.5, ["limit"], "1.5"],
    [Infinity, ["limit"], "Infinity"],
    [NaN, ["limit"], "NaN"],
    [null, ["limit"], "null"],
    [true, ["limit"], "true"],
    [undefined, ["limit"], "nothing"],
    [["secret"], ["limit"], "a list"],
    [{ a: "secret" }, ["limit"], "a map"],
    ["x".repeat(61), ["limit"], `"${"x".repeat(60)}…"`],
    ["s", ["wandb_api_key"], "•••"],
    [5, ["a", "Authorization", "b"], "•••"],
    ["s", ["a", "my_PASSWORD"], "•••"],
    ["http://u:p@h/x", ["proxy"], '"http://•••@h/x"'],
  ] as const
) {
  Deno.test(`shown() ${JSON.stringify(value)} of ${path.join(".")} is ${text}`, () => {
    assert.equal(shown(value, path), text);
  });
}

for (
  const [text, masked] of [
    ["http://h:1/x", "http://h:1/x"],
    ["http://u:p@h:1/x", "http://•••@h:1/x"],
    ["u:p@h", "•••@h"],
    ["http://u:p/q@h", "http://•••@h"],
    ["a http://u:p@h b https://v@i c", "a http://•••@h b https://•••@i c"],
    ["no address", "no address"],
  ]
) {
  Deno.test(`withoutCredentials() ${text}`, () => assert.equal(withoutCredentials(text!), masked));
}
