/** What reading and stamping an answer costs, against parsing and writing it again. Run with `deno task bench`. */
import { edit, join, onOneLine, toJson } from "../src/json/edit.ts";
import { readObject } from "../src/json/object.ts";
import { MemberScan } from "../src/json/member_scan.ts";
import { stamped, stampsOf } from "../src/record/stamps.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** An answer of about so many bytes, shaped like those of agents: a few small members, and a long nested response. */
function answer(size: number): Uint8Array {
  const turn = {
    role: "assistant",
    content: [{
      type: "output_text",
      text: 'He said: "naïve" \\ 12 × 3 = 36.\n'.repeat(6),
      logprobs: [-0.125, -1e-7],
    }],
    usage: { input_tokens: 812, output_tokens: 64 },
  };
  const output = [];
  for (let length = 0; length < size; length += 330) output.push(turn);
  return encoder.encode(
    JSON.stringify({ reward: 1.5, response: { id: "r1", output }, _ng_task_index: 9, ok: true }),
  );
}

const PROSE =
  `The function \`parse(value)\` in "utils.py" reads:\n\n    def parse(value):\n        if value is None:\n` +
  `            raise ValueError("no value")\n        return int(value.strip())\n\nThe tests call it with a space at ` +
  `the end, which works, and with "1e3", which does not — so a float with an exponent is to be refused. I'll write a ` +
  `helper that tells both apart, and run the suite again afterwards.\n`;

/** A trajectory of about so many bytes: prose and code, calls, and the tokens of each turn. */
function trajectory(size: number): Uint8Array {
  const tokens = Array.from({ length: 200 }, (_, k) => (k * 7919) % 151_000);
  const output = [];
  for (let length = 0; length < size; length += 3400) {
    output.push(
      { type: "reasoning", summary: [{ type: "summary_text", text: PROSE.repeat(3) }] },
      {
        type: "function_call",
        name: "shell",
        arguments: JSON.stringify({ cmd: ["pytest", "-x", "tests/"] }),
      },
      { type: "function_call_output", output: PROSE },
      { type: "tokens", generation_token_ids: tokens },
    );
  }
  return encoder.encode(JSON.stringify({ reward: 1.5, response: { id: "r1", output }, ok: true }));
}

for (const [name, size] of [["100 KB", 100_000], ["5 MB", 5_000_000]] as const) {
  const body = trajectory(size), names = new MemberScan(["_ng_task_index", "reward"]);
  Deno.bench(
    { name: `readObject, trajectory of ${name}`, group: `trajectory ${name}`, baseline: true },
    () => {
      readObject(body);
    },
  );
  Deno.bench({ name: `MemberScan, trajectory of ${name}`, group: `trajectory ${name}` }, () => {
    names.scan(body);
  });
  Deno.bench(
    { name: `JSON.parse of the decoded text, trajectory of ${name}`, group: `trajectory ${name}` },
    () => {
      JSON.parse(decoder.decode(body));
    },
  );
}

const ROW = encoder.encode(
  `{"agent_ref":{"name":"solver"},"task_source":"sums","_ng_task_index":12,"_ng_rollout_index":3}`,
);
const stamps = stampsOf(
  readObject(ROW),
  { server: "solver_env", url: "http://solver:1", resultType: "legacy_agent" },
  1,
);

for (const [name, size] of [["1 KB", 1000], ["100 KB", 100_000], ["2 MB", 2_000_000]] as const) {
  const body = answer(size), object = readObject(body);

  Deno.bench({ name: `readObject, ${name}`, group: `read ${name}`, baseline: true }, () => {
    readObject(body);
  });
  Deno.bench({ name: `JSON.parse of the decoded text, ${name}`, group: `read ${name}` }, () => {
    JSON.parse(decoder.decode(body));
  });
  Deno.bench(
    { name: `readObject, onOneLine and stamped, ${name}`, group: `stamp ${name}`, baseline: true },
    () => {
      const object = readObject(body);
      onOneLine(body);
      stamped(object, stamps);
    },
  );
  Deno.bench({ name: `parse, assign, stringify and encode, ${name}`, group: `stamp ${name}` }, () => {
    encoder.encode(JSON.stringify({ ...JSON.parse(decoder.decode(body)), _ng_task_index: 12 }));
  });
  Deno.bench({ name: `edit alone, ${name}`, group: `edit ${name}`, baseline: true }, () => {
    edit(object, { set: stamps });
  });
  Deno.bench({ name: `edit and join, ${name}`, group: `edit ${name}` }, () => {
    join(edit(object, { set: stamps }));
  });
}

const members = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member_${i}`, i]));
const wide = readObject(toJson(members));

Deno.bench("edit of an object of 1,000 members", { group: "wide" }, () => {
  edit(wide, { set: stamps, drop: new Set(["member_500"]) });
});
