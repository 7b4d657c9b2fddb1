import assert from "node:assert/strict";
import { repairTail } from "../../src/resume/tail.ts";
import { MemoryFiles, PowerCut } from "../fakes/memory_files.ts";

const PATH = "/runs/a.jsonl", encoder = new TextEncoder();

for (
  const [what, content, want, kind] of [
    ["no file", undefined, undefined, "none"],
    ["an empty file", "", "", "none"],
    ["whole lines", '{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n', "none"],
    ["a whole line without its line break", '{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}\n', "ended"],
    ["one whole line without its line break", '{"a":1}', '{"a":1}\n', "ended"],
    ["a line that was cut off", '{"a":1}\n{"a":', '{"a":1}\n', "dropped"],
    ["nothing but a line that was cut off", '{"a":', "", "dropped"],
    ["a number, which a cut can leave of nothing", '{"a":1}\n12', '{"a":1}\n', "dropped"],
    ["half a character", new Uint8Array([...encoder.encode('{"a":"'), 0xe2, 0x98]), "", "dropped"],
    ["zeros, which a power cut can leave", '{"a":1}\n\0\0\0', '{"a":1}\n', "dropped"],
    ["space", '{"a":1}\n  ', '{"a":1}\n', "none"],
    ["a blank line", '{"a":1}\n\n', '{"a":1}\n\n', "none"],
  ] as const
) {
  Deno.test(`repairTail() after ${what}`, async () => {
    const files = new MemoryFiles(content === undefined ? {} : { [PATH]: content });
    assert.equal((await repairTail(files, PATH)).kind, kind);
    assert.equal(files.text(PATH), want);
    assert.equal(files.open, 0);
    if (want !== undefined) assert.equal(files.durable(PATH), want);
  });
}

Deno.test("repairTail() finds the last line however long it and the file are", async () => {
  const long = `{"a":"${"x".repeat(300_000)}"}`;
  for (const before of ["", `${long}\n`, '{"b":1}\n'.repeat(20_000)]) {
    const files = new MemoryFiles({ [PATH]: before + long });
    assert.deepEqual(await repairTail(files, PATH), { kind: "ended" });
    assert.equal(files.text(PATH), `${before}${long}\n`);
    const torn = new MemoryFiles({ [PATH]: before + long.slice(0, -1) });
    assert.deepEqual(await repairTail(torn, PATH), { kind: "dropped", bytes: long.length - 1 });
    assert.equal(torn.text(PATH), before);
  }
});

Deno.test("repairTail() leaves whole lines only, wherever a file of lines was cut", async () => {
  const lines = ['{"a":"é☃"}', '{"b":{"c":[1,2]}}', "{}"].map((line) => `${line}\n`);
  const bytes = encoder.encode(lines.join(""));
  for (let cut = 0; cut <= bytes.length; cut++) {
    const files = new MemoryFiles({ [PATH]: bytes.subarray(0, cut) });
    await repairTail(files, PATH);
    const text = files.text(PATH)!;
    const whole = lines.filter((_, k) => cut >= encoder.encode(lines.slice(0, k + 1).join("")).length - 1);
    assert.equal(text, whole.join(""), `cut at ${cut}`);
  }
});

Deno.test("repairTail() that loses power is made good by the next one", async () => {
  for (const content of ['{"a":1}\n{"a":2}', '{"a":1}\n{"a":2']) {
    const calm = new MemoryFiles({ [PATH]: content });
    await repairTail(calm, PATH);
    for (let step = 0;; step++) {
      const files = new MemoryFiles({ [PATH]: content });
      let left = step;
      files.before = () => {
        if (left-- === 0) throw new PowerCut();
      };
      const done = await repairTail(files, PATH).then(() => true, () => false);
      files.before = () => {};
      await repairTail(files, PATH);
      assert.equal(files.text(PATH), calm.text(PATH));
      if (done) break;
    }
  }
});
