import assert from "node:assert/strict";
import { RowFault } from "../../src/rows/problems.ts";
import { readRow } from "../../src/rows/read.ts";
import { bytes, messageOf, text } from "./_rows.ts";

const read = (line: Uint8Array) => readRow({ bytes: line });

for (
  const [what, line] of [
    ["plain", `{"a":1}`],
    ["before CRLF", `{"a":1}\r`],
    ["after a byte-order mark", `\ufeff{"a":1}`],
    ["with both", `\ufeff{"a":1}\r`],
  ] as const
) {
  Deno.test(`readRow() reads a row ${what}, the same text each time`, () => {
    assert.equal(text(read(bytes(line))!.bytes), `{"a":1}`);
  });
}

for (const line of ["", " ", "\r", "\t \r", "\ufeff", "\ufeff\r"]) {
  Deno.test(`readRow() takes ${JSON.stringify(line)} for a blank line`, () => {
    assert.equal(read(bytes(line)), undefined);
  });
}

Deno.test("readRow() does not end a row at U+2028, U+2029 or U+0085", () => {
  const line = `{"a":"x\u2028y\u2029z\u0085"}`;
  assert.equal(text(read(bytes(line))!.text()), line);
});

for (
  const [line, word] of [
    [`{"a": NaN}`, "NaN"],
    [`{"a": 1`, "unexpected end"],
    [`[1]`, "not an object"],
    [`"x"`, "not an object"],
    [`null`, "not an object"],
    [`{"a":1} {"b":2}`, "more text"],
    [`<html>`, "<html>"],
    [`{"a":"\t"}`, "control character"],
  ] as const
) {
  Deno.test(`readRow() refuses ${JSON.stringify(line)}, and says why`, () => {
    assert.throws(() => read(bytes(line)), RowFault);
    const message = messageOf(() => read(bytes(line)));
    assert.ok(message.startsWith("Lines that are not a JSON object: ") && message.includes(word), message);
  });
}

Deno.test("readRow() names the column of invalid UTF-8, counted from 1 as an editor does", () => {
  const line = bytes(`\ufeff{"a":"??"}`);
  line[line.indexOf(0x3f)] = 0xff;
  assert.match(messageOf(() => read(line)), /: invalid UTF-8 \(column 7, byte \d+ of the line\)$/);
});
