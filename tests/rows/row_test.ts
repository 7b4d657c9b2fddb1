import assert from "node:assert/strict";
import { agentRef, ascii, wholeNumber } from "../../src/rows/row.ts";
import { bytes, row, text, written } from "./_rows.ts";

Deno.test("Row reads what was set before, and writes the rest as it came", () => {
  const r = row(`{"a": 1.0, "b":[1e-07],"c":null}`);
  assert.equal(r.has("d"), false);
  assert.equal(r.raw("d"), undefined);
  assert.equal(r.value("a"), 1);
  r.set("b", bytes("2"));
  r.set("d", bytes("3"));
  assert.equal(r.value("b"), 2);
  assert.equal(r.has("d"), true);
  assert.equal(written(r), `{"a": 1.0, "b":2,"c":null,"d":3}`);
});

Deno.test("Row.pieces() sets more in that copy only", () => {
  const r = row(`{"a":1}`);
  assert.equal(text(r.pieces([["a", bytes("2")], ["b", bytes("3")]])), `{"a":2,"b":3}`);
  assert.equal(written(r), `{"a":1}`);
});

Deno.test("agentRef() is an agent_ref with a name and nothing else", () => {
  assert.equal(text(agentRef(`so"lver`)), `{"name":"so\\"lver"}`);
});

Deno.test("wholeNumber() and ascii() write as an encoder would", () => {
  for (const n of [0, 9, 255, 256, 1e6, -7, Number.MAX_SAFE_INTEGER]) {
    assert.equal(text(wholeNumber(n)), String(n));
  }
  assert.equal(text(ascii(`{"a": ~}`)), `{"a": ~}`);
});
