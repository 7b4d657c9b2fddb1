import assert from "node:assert/strict";
import fc from "fast-check";
import type { RowsConfig } from "../../src/config/config.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { Preparation } from "../../src/rows/prepare.ts";
import { asTemplates } from "../../src/rows/prompt.ts";
import { NumberText, readTree, type Tree } from "../../src/rows/tree.ts";
import { bytes, config, messageOf, prepare, SERVERS, topology } from "./_rows.ts";

const PARAMS = `"responses_create_params":{"input":"x"}`;
const SOLVER = `"agent_ref":{"name":"solver"}`;
const line = (n: number | string) => `{"n":${n},${PARAMS},${SOLVER}}`;

Deno.test("Preparation sets what a row lacks at its end and leaves the rest as it came", () => {
  const { rows } = prepare([
    `{ "b" : 1.0, ${PARAMS},"agent_ref": {"x":1e-07,"name":"solver"},"u":"\\/\\ud83d" }`,
  ], {
    num_repeats: 2,
  });
  const want = (n: number) =>
    `{ "b" : 1.0, ${PARAMS},"agent_ref": {"x":1e-07,"name":"solver"},"u":"\\/\\ud83d",` +
    `"_ng_task_index":0,"_ng_rollout_index":${n} }`;
  assert.deepEqual(rows, [want(0), want(1)]);
});

Deno.test("Preparation overwrites a row's own _ng_rollout_index in place, and keeps its _ng_task_index", () => {
  const { rows } = prepare(
    [5, "-0"].map((n) => `{"_ng_rollout_index":9,"_ng_task_index":${n},${PARAMS},${SOLVER}}`),
  );
  const want = [5, "-0"].map((n) => `{"_ng_rollout_index":0,"_ng_task_index":${n},${PARAMS},${SOLVER}}`);
  assert.deepEqual(rows, want);
});

Deno.test("Preparation warns of repeats that share the _ng_rollout_id of their row", () => {
  const named = `{"_ng_rollout_id":"x",${PARAMS},${SOLVER}}`;
  const { prepared } = prepare([named, line(1)], { num_repeats: 3 });
  assert.match(
    prepared.warnings.join(),
    /^3 rollouts share their _ng_rollout_id with another repeat of their row/,
  );
  for (const [lines, repeats] of [[[named], 1], [[line(1)], 3]] as const) {
    assert.deepEqual(prepare(lines, { num_repeats: repeats }).prepared.warnings, []);
  }
});

Deno.test("Preparation skips a byte-order mark, carriage returns and blank lines, and counts lines of the file", () => {
  const lines = [`\ufeff${line(1)}\r`, "", "  \r", `${line(2)}\r`, line(1)];
  const { prepared, rollouts } = prepare(lines, { limit: 3 });
  assert.deepEqual(rollouts.map((r) => [r.task, r.rollout]), [[0, 0], [1, 0], [0, 1]]);
  assert.deepEqual([prepared.rows, prepared.tasks, prepared.rollouts], [3, 2, 3]);
  const message = messageOf(() => prepare([...lines, `{"n":4,${PARAMS}}`]));
  assert.match(message, /in\.jsonl:6 \(task 2\)/);
});

Deno.test("Preparation.full is reached by rows, not by blank lines; nothing after it is read", () => {
  const preparation = new Preparation({
    config: config({ limit: 2 }),
    topology: topology(SERVERS),
    file: "f",
  });
  const push = (text: string, n: number) => [...preparation.push({ bytes: bytes(text), line: n })].length;
  assert.deepEqual([push(line(1), 1), preparation.full], [1, false]);
  assert.deepEqual([push("", 2), preparation.full], [0, false]);
  assert.deepEqual([push(line(2), 3), preparation.full], [1, true]);
  assert.equal(push("rubbish", 4), 0);
  assert.equal(preparation.finish().rows, 2);
});

Deno.test("Preparation of an empty input is an empty run", () => {
  assert.deepEqual(prepare([]).prepared, { routes: [], warnings: [], rows: 0, tasks: 0, rollouts: 0 });
});

Deno.test("Preparation names every line that is not an object, also where a limit was reached with it", () => {
  assert.equal(
    messageOf(() => prepare([line(1), `[1]`, line(2), `{"a": x}`])),
    "Lines that are not a JSON object:\n  in.jsonl:2: a value that is not an object (column 1)" +
      '\n  in.jsonl:4: unexpected "x}" (column 7)',
  );
  assert.match(messageOf(() => prepare([`[1]`, `[2]`], { limit: 1 })), /:\n {2}in\.jsonl:1: [^\n]*$/);
});

Deno.test("Preparation lists every contradiction in a configuration", () => {
  const run = () =>
    prepare([], { agent_name: "a", agent_map: { _default: "b" }, fan_out: { x: [] }, num_repeats: 0 });
  assert.throws(run, UsageFault);
  for (const word of ["agent_map._default", "fan_out.x", "num_repeats"]) {
    assert.ok(messageOf(run).includes(word));
  }
});

Deno.test("Preparation.finish() reports the problems of all rows and kinds at once", () => {
  const run = () =>
    prepare([
      `{"n":0,${PARAMS}}`,
      line(1),
      `{"n":2,${SOLVER}}`,
      `{"n":3,${PARAMS},"agent_ref":{"name":"solvr"}}`,
      `{"n":4,${PARAMS},"task_source":"riddels"}`,
      `{"n":5,${PARAMS},"task_source":"som"}`,
      `{"n":6,${PARAMS},${SOLVER},"_ng_task_index":1.5}`,
      `{"n":7,${PARAMS},${SOLVER},"_ng_rollout_id":"a/b"}`,
    ]);
  assert.throws(run, UsageFault);
  const message = messageOf(run);
  for (
    const word of [
      "in.jsonl:1 (task 0)\n",
      "without responses_create_params:\n  in.jsonl:3 (task 2)\n",
      `"solvr" (did you mean "solver"?)`,
      `in.jsonl:5 (task 4): "riddels" is not in the configuration (did you mean "riddles"?)`,
      `"som" is not`,
      "in.jsonl:7: it is 1.5",
      `in.jsonl:8 (task 6): it is "a/b"`,
    ]
  ) assert.ok(message.includes(word), `${word} in:\n${message}`);
});

Deno.test("Preparation lists every unknown agent of a fan_out", () => {
  const message = messageOf(() =>
    prepare([line(1), line(2)], { fan_out: { solver: ["x1", "solver", "x2"] } })
  );
  assert.match(message, /in\.jsonl:1 \(task 0\) and 1 more: [^\n]*"x1"/);
  assert.match(message, /"x2"/);
});

Deno.test("Preparation collects the warnings of the steps", () => {
  const { prepared } = prepare([line(1)], { agent_name: "scribe", num_repeats: { tyop: 2, _default: 1 } });
  assert.match(prepared.warnings.join("\n"), /solver → scribe[^]*"tyop"/);
});

Deno.test("Preparation names the settings that materialized task rows refuse", () => {
  const task = `{"task_id":{"taskset":"maze"},"task_input":1}`;
  const routes = { environment_server_routes: { maze: "solver_env" } };
  assert.equal(prepare([task], routes).rollouts.length, 1);
  const skills = { path: "s", hash: "0", skills: [] };
  const run = () =>
    prepare([task, task], { ...routes, num_repeats_add_seed: true, responses_create_params: { a: 1 } }, {
      skills,
    });
  assert.match(
    messageOf(run),
    /in\.jsonl:1 \(task 0\) and 1 more: responses_create_params, skills, num_repeats_add_seed/,
  );
});

Deno.test("Preparation combines prompt, overrides, skills and seed", () => {
  const { rows } = prepare([`{"q":"why","agent_ref":{"name":"solver"},"skills_ref":"old"}`], {
    responses_create_params: { temperature: 0.5, metadata: { team: "x" } },
    num_repeats: 2,
    num_repeats_add_seed: true,
  }, {
    prompt: asTemplates({ user: "{q}?" }, "p"),
    skills: { path: "s", hash: "0123", skills: [{ name: "a", description: null, version: null }] },
  });
  assert.deepEqual(
    rows.map((row) => JSON.parse(row)),
    [0, 1].map((n) => ({
      q: "why",
      agent_ref: { name: "solver" },
      skills_ref: { path: "s", hash: "0123", skills: [{ name: "a", description: null, version: null }] },
      responses_create_params: {
        input: [{ role: "user", content: "why?" }],
        temperature: 0.5,
        metadata: { team: "x", extra_body: `{"seed": ${n}}` },
      },
      _ng_task_index: 0,
      _ng_rollout_index: n,
    })),
  );
});

Deno.test("Preparation leaves a row for an environment server without an agent of its own as it is", () => {
  const servers = {
    ...SERVERS,
    duo: {
      environment_servers: {
        x: {
          one: { type: "responses_api_agents", name: "solver" },
          two: { type: "responses_api_agents", name: "scribe" },
        },
      },
    },
  };
  const { rows, prepared } = prepare([`{${PARAMS},"_ng_environment_server":"duo"}`], {}, {
    topology: topology(servers),
  });
  assert.equal(JSON.parse(rows[0]!).agent_ref, undefined);
  assert.equal(prepared.routes[0]!.server, "duo");
});

/** Numbers in spellings that `JSON.parse` would lose. */
const spelled = fc.constantFrom(
  "1",
  "1.0",
  "-0.0",
  "1e-07",
  "1E5",
  "0.10",
  "12345678901234567890",
  "9007199254740993",
);
const key = fc.oneof(
  fc.constantFrom("a", "__proto__", "1", "task_source2", "ä", "\u2028"),
  fc.string({ maxLength: 5 }),
).filter((key) => !/^(_ng_.*|agent_ref|task_source|responses_create_params|task_id|skills_ref)$/.test(key));
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    spelled,
    fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text)),
    fc.constantFrom("null", "true", `"\\/"`, `"\\ud83d"`),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((members) =>
      `{${members.map(([name, item]) => `${JSON.stringify(name)}:${item}`).join(",")}}`
    ),
  ),
})).value;

/** Rows that go through: any members, parameters, and sometimes a task source, a task or a rollout number. */
const rowText = fc.record({
  members: fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name }),
  params: fc.uniqueArray(fc.tuple(key, value), { maxLength: 3, selector: ([name]) => name }),
  routing: fc.constantFrom(SOLVER, `"task_source":"riddles"`, `${SOLVER},"task_source":"sums"`),
  task: fc.option(fc.integer({ min: -2, max: 5 })),
  space: fc.constantFrom("", " "),
}).map(({ members, params, routing, task, space }) => {
  const write = (pairs: [string, string][]) =>
    pairs.map(([name, item]) => `${JSON.stringify(name)}:${space}${item}`);
  return `{${space}${
    [
      ...write(members),
      `"responses_create_params":{${write(params).join()}}`,
      routing,
      ...(task === null ? [] : [`"_ng_task_index":${task}`, `"_ng_rollout_index":99`]),
    ].join(`,${space}`)
  }}`;
});

const settings: fc.Arbitrary<Partial<RowsConfig>> = fc.record({
  num_repeats: fc.constantFrom(1, 3, { solver: 2, _default: 1 }),
  fan_out: fc.constantFrom(null, { riddles: ["scribe", "solver"] }),
  agent_map: fc.constantFrom(null, { sums: "scribe" }),
  num_repeats_add_seed: fc.boolean(),
  responses_create_params: fc.constantFrom({}, { a: 0.5, b: null }),
});
const input = fc.tuple(fc.array(rowText, { maxLength: 8 }), settings);

Deno.test("Preparation is deterministic", () => {
  fc.assert(fc.property(input, ([lines, set]) => {
    assert.deepEqual(prepare(lines, set).rows, prepare(lines, set).rows);
  }));
});

Deno.test("Preparation gives every rollout an identity of its own, the one in its row, counted without gaps", () => {
  fc.assert(fc.property(input, ([lines, set]) => {
    const { rollouts, rows, prepared } = prepare([...lines, ...lines], set);
    const next = new Map<number, number>();
    rollouts.forEach(({ task, rollout, route }, i) => {
      assert.equal(rollout, next.get(task) ?? 0);
      next.set(task, rollout + 1);
      const row = JSON.parse(rows[i]!);
      assert.deepEqual([row._ng_task_index, row._ng_rollout_index], [task, rollout]);
      assert.ok(prepared.routes[route]);
    });
    assert.equal(prepared.tasks, next.size);
    assert.equal(prepared.rollouts, rollouts.length);
    assert.equal(prepared.rows, 2 * lines.length);
  }));
});

Deno.test("Preparation keeps every member and every number's text, in every rollout", () => {
  const written = ["_ng_rollout_index", "_ng_task_index", "agent_ref"];
  fc.assert(fc.property(input, ([lines, set]) => {
    for (const text of lines) {
      const before = tree(text);
      for (const row of prepare([text], set).rows) {
        const after = tree(row);
        assert.deepEqual([...after.keys()].slice(0, before.size), [...before.keys()]);
        for (const [name, item] of before) {
          if (name === "responses_create_params") keepsParams(item, after.get(name)!, set);
          else if (!written.includes(name)) assert.deepEqual(after.get(name), item);
        }
        if (before.has("_ng_task_index")) {
          assert.deepEqual(after.get("_ng_task_index"), before.get("_ng_task_index"));
        }
        const added = [...after.keys()].slice(before.size);
        assert.ok(added.every((name) => written.includes(name)), added.join());
      }
    }
  }));
});

const tree = (json: string) => readTree(bytes(json)) as Map<string, Tree>;

function keepsParams(before: Tree, after: Tree, set: Partial<RowsConfig>): void {
  assert.ok(before instanceof Map && after instanceof Map);
  for (const [name, item] of before) {
    if (Object.hasOwn(set.responses_create_params!, name)) {
      const want = set.responses_create_params![name];
      assert.deepEqual(after.get(name), typeof want === "number" ? new NumberText(String(want)) : want);
    } else {
      assert.deepEqual(after.get(name), item);
    }
  }
}
