/** What users met whose input was something else than plain JSON lines. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { rollcall, Scratch, start } from "../_rollcall.ts";

const ROWS = '{"agent_ref":{"name":"a"},"responses_create_params":{"input":"x"}}\n'.repeat(3);
/** {@link ROWS} as `zstd --check` packs it; the runtime cannot. */
const ZSTD = Uint8Array.fromBase64(
  "KLUv/QRYHQIAMkQOFaA16ag+n9xFWm9uxO76v9su/GN9BEFKB64PwJwxqrMYmiE9VhxINu8wWVxI23WL3agmiuRcCxsFAQDDwKBCFHUKdVw=",
);

const plan = (
  input: string,
) => ["plan", "-i", input, "-o", "o/r.jsonl", "--server=a=http://127.0.0.1:1", "--json"];

Deno.test("an input is read as what its first bytes say it is, whatever its name", async () => {
  await using scratch = new Scratch();
  for (const bytes of [gzipSync(ROWS), ZSTD]) {
    Deno.writeFileSync(scratch.at("tasks.jsonl"), bytes);
    const { code, out, err } = await rollcall(plan("tasks.jsonl"), { cwd: scratch.path });
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).rollouts, 3);
  }
  await using process = start(plan("/dev/stdin"), { cwd: scratch.path, input: true });
  const writer = process.child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(ROWS));
  writer.releaseLock();
  await process.closeInput();
  const { code, out, err } = await process.ends();
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).rollouts, 3);
});

const damaged = ZSTD.with(ZSTD.length - 1, ZSTD.at(-1)! ^ 1);

for (
  const [what, bytes, message] of [
    ["a JSON array", `[${ROWS.trim().replaceAll("\n", ",")}]`, /it is a JSON array.*jq -c/],
    [
      "UTF-16",
      new Uint8Array([0xff, 0xfe, ...new Uint8Array(Uint16Array.from(ROWS, (c) => c.charCodeAt(0)).buffer)]),
      /it is UTF-16 text.*iconv/,
    ],
    ["Parquet", "PAR1\x15\x04\x15", /it is a Parquet file/],
    ["zstd with one flipped bit", damaged, /not what its checksum says: the file is damaged/],
  ] as [string, string | Uint8Array, RegExp][]
) {
  Deno.test(`an input that is ${what} is an error that says so`, async () => {
    await using scratch = new Scratch();
    Deno.writeFileSync(
      scratch.at("tasks.jsonl"),
      typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes,
    );
    const { code, err } = await rollcall(plan("tasks.jsonl"), { cwd: scratch.path });
    assert.equal(code, 2, err);
    assert.match(err, message);
    assert.match(err, /tasks\.jsonl/);
    assert.doesNotMatch(err, /\n\s+at /);
  });
}
