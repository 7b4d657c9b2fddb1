import assert from "node:assert/strict";
import fc from "fast-check";
import { RunFault, UsageFault } from "../../src/kit/fault.ts";
import { ManualClock } from "../fakes/manual_clock.ts";
import {
  failure,
  ids,
  input,
  lines,
  paths,
  rollout,
  type Row,
  scorers,
  scoring,
  type Shard,
} from "./_shards.ts";

Deno.test("score() sends each server its rows in order of task and rollout", async () => {
  const { sent, scored, metrics } = await scoring([
    { rollouts: [rollout(2), rollout(0, 1), rollout(1, 0, { _ng_environment_server: "judge_env" })] },
    { rollouts: [rollout(0, 0), rollout(-1)] },
  ], { scorers: scorers("judge_env", "solver_env") });
  assert.deepEqual(ids(sent.solver_env), ["-1-0", "0-0", "0-1", "2-0"]);
  assert.deepEqual(ids(sent.judge_env), ["1-0"]);
  assert.deepEqual(
    scored.metrics.map((
      { label, rows, key_metrics, computed_by },
    ) => [label, rows, key_metrics, computed_by]),
    [["solver_env", 4, { n: 4 }, "server"], ["judge_env", 1, { n: 1 }, "server"]],
    "one agent behind two servers: the servers' names",
  );
  assert.equal(scored.rows, 5);
  assert.deepEqual(metrics![0], {
    agent_ref: { name: "solver_env" },
    _ng_environment_server: "solver_env",
    agent_metrics: {},
    key_metrics: { n: 4 },
    group_level_metrics: [],
    repeat_level_metrics: [],
  });
});

Deno.test("score() asks nothing and leaves no metrics where there is nothing to score", async () => {
  const { sent, scored, files } = await scoring([{ failures: [failure(0)] }], {
    merge: true,
    files: (files) => files.append(paths.metrics).write(new TextEncoder().encode("[]")),
  });
  assert.deepEqual(sent, {});
  assert.equal(files.text(paths.metrics), undefined, "those of other rollouts are gone");
  assert.equal(files.text(paths.rollouts), "");
  assert.deepEqual([scored.coverage.expected, scored.coverage.missing], [1, 1]);
});

Deno.test("score() copies what a server answered byte for byte, and drops what it does not know", async () => {
  const body =
    `{ "surplus": 1, "key_metrics": {"k": 1e-07, "big": 12345678901234567890}, "perf_summary": {"a":1.0} }`;
  const { files } = await scoring([{ rollouts: [rollout(0)] }], { answer: () => ({ body }) });
  const text = files.text(paths.metrics)!;
  assert.ok(text.includes(`"key_metrics":{"k": 1e-07, "big": 12345678901234567890}`));
  assert.ok(text.includes(`"perf_summary":{"a":1.0}`));
  assert.ok(!text.includes("surplus"));
});

// Three rewards and a failure: 2/3 of three, or 1/2 of four; the files are the same.
const ONE_FAILED: Shard = {
  rollouts: [rollout(0), rollout(1), rollout(2, 0, { reward: 0 })],
  failures: [failure(3, 0, "agent_run_error")],
  inputs: [0, 1, 2, 3].map((task) => input(task)),
};

Deno.test("score() counts failures as zeros only in what it sends", async () => {
  const without = await scoring([ONE_FAILED], { scorers: null });
  const counting = await scoring([ONE_FAILED], { scorers: null, classes: ["agent_run_error"] });
  const mean = ({ scored }: typeof without) => scored.metrics[0]!.key_metrics["mean/reward"];
  assert.equal(mean(without), 2 / 3);
  assert.equal(mean(counting), 0.5);
  assert.deepEqual(without.scored.coverage.failures, { agent_run_error: 1 });
  assert.deepEqual([without.scored.coverage.scored, without.scored.coverage.missing], [3, 1]);
  assert.deepEqual([counting.scored.coverage.counted, counting.scored.coverage.missing], [1, 0]);
  const untouched = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).filter(([path]) => path !== paths.metrics));
  assert.deepEqual(untouched(without.files.all()), untouched(counting.files.all()));
});

Deno.test("score() makes a counted failure's row as Gym does", async () => {
  const { sent } = await scoring([{
    rollouts: [rollout(9, 0, { level: "hard", weight: 4, response: { id: "r", usage: { tokens: 3 } } })],
    failures: [
      failure(0, 0, "judge_invalid", {
        reward: 0.25,
        mask_sample: true,
        _ng_failure_message: "m",
        failure_kind: "k",
        failure_reason: "r",
        answer: "42",
      }),
      failure(1, 0, "agent_run_error"),
      failure(1, 0, "lost", { response: { usage: { tokens: 7 }, output: [] } }),
      failure(2, 0, "lost"),
      failure(2, 0, "agent_run_error"),
    ],
    inputs: [0, 1, 9].map((task) =>
      input(task, 0, {
        level: `level ${task}`,
        secret: 1,
        _hidden: 2,
        responses_create_params: { input: "x" },
      })
    ),
  }], { classes: ["judge_invalid", "lost"] });
  const who = { agent_ref: { name: "solver" }, _ng_environment_server: "solver_env" };
  assert.deepEqual(sent.solver_env, [
    {
      ...who,
      _ng_task_index: 0,
      _ng_rollout_index: 0,
      reward: 0.25,
      mask_sample: false,
      answer: "42",
      level: "level 0",
    },
    {
      ...who,
      _ng_task_index: 1,
      _ng_rollout_index: 0,
      response: { usage: { tokens: 7 } },
      mask_sample: false,
      reward: 0,
      level: "level 1",
    },
    rollout(9, 0, { level: "hard", weight: 4, response: { usage: { tokens: 3 } } }),
  ]);
});

Deno.test("score() counts rollouts that left nothing, by what their row names", async () => {
  const { sent, scored } = await scoring([{
    rollouts: [rollout(0, 0, { level: "easy" })],
    failures: [failure(1)],
    inputs: [
      input(0, 0, { level: "easy" }),
      input(1),
      input(2, 0, { level: "hard" }),
      { ...input(3), agent_ref: null, _ng_environment_server: "solver_env" },
      { ...input(4), agent_ref: undefined },
    ],
  }], { missing: true });
  assert.deepEqual(sent.solver_env!.slice(1), [
    { _ng_task_index: 2, _ng_rollout_index: 0, agent_ref: { name: "solver" }, reward: 0, level: "hard" },
    {
      _ng_task_index: 3,
      _ng_rollout_index: 0,
      agent_ref: null,
      reward: 0,
      _ng_environment_server: "solver_env",
    },
  ]);
  const { expected, imputed, missing, withoutTrace, failures } = scored.coverage;
  assert.deepEqual({ expected, imputed, missing, withoutTrace, failures }, {
    expected: 5,
    imputed: 2,
    missing: 2,
    withoutTrace: 1,
    failures: { lost: 1 },
  });
  assert.match(
    scored.notes.join("\n"),
    /1 rollout in the materialized inputs without an agent or environment server/,
  );
});

Deno.test("score() says which shards cannot count what is missing", async () => {
  const shards = [{ rollouts: [rollout(0)], inputs: [input(0)] }, { rollouts: [rollout(1)] }];
  const { scored } = await scoring(shards, { missing: true });
  assert.match(scored.notes.join("\n"), /\/runs\/s1_materialized_inputs\.jsonl/);
  assert.doesNotMatch(scored.notes.join("\n"), /s0_materialized/);
  assert.deepEqual(scored.coverage.shards, { all: 2, withInputs: 1 });
});

Deno.test("score() distinguishes runs that number their tasks alike", async () => {
  const other = { agent_ref: { name: "judge" }, _ng_environment_server: "judge_env" };
  const { sent, scored } = await scoring([
    { rollouts: [rollout(0)], inputs: [input(0), input(1)] },
    { rollouts: [rollout(1, 0, other)], inputs: [input(0, 0, other), input(1, 0, other)] },
  ], { missing: true, scorers: scorers("solver_env", "judge_env") });
  assert.deepEqual(ids(sent.solver_env), ["0-0", "1-0"]);
  assert.deepEqual(ids(sent.judge_env), ["0-0", "1-0"]);
  assert.equal(scored.coverage.imputed, 2);
});

Deno.test("score() keeps reporting a task without scored rollouts", async () => {
  const { scored, metrics } = await scoring([{
    rollouts: [rollout(0, 0), rollout(0, 1), rollout(2, 0), rollout(2, 1)],
    failures: [failure(1, 0), failure(1, 1)],
    inputs: [0, 1, 2].flatMap((task) => [input(task, 0), input(task, 1)]),
  }], { scorers: null });
  assert.deepEqual(scored.coverage.unscoredTasks, {
    count: 1,
    listed: [{ task: 1, group: "solver_env", missing: 2 }],
  });
  const tasks = metrics![0]!.group_level_metrics as Row[];
  assert.deepEqual(
    tasks.map((task) => [task._ng_task_index, task.num_rollouts, task.missing_num_rollouts]),
    [[0, 2, 0], [1, 0, 2], [2, 2, 0]],
  );
});

Deno.test("score() scores an identity that a shard has twice once, the first, and says so", async () => {
  const { sent, scored, files } = await scoring([
    { rollouts: [rollout(0, 0, { reward: 0 }), rollout(0, 0, { reward: 1 }), rollout(1)] },
  ], { merge: true });
  assert.deepEqual(sent.solver_env!.map(({ reward }) => reward), [0, 1]);
  assert.match(
    scored.notes.join("\n"),
    /^1 row of rollouts that the same file.*\n {2}rollout 0-0, again in \/runs\/s0\.jsonl/,
  );
  assert.equal(files.text(paths.rollouts)!.match(/\n/g)!.length, 3, "the merged file has all rows");
});

Deno.test("score() scores an identity that two shards have twice, in their order, and says what that means", async () => {
  const { sent, scored } = await scoring([
    { rollouts: [rollout(0, 0, { reward: 0 })] },
    { rollouts: [rollout(0, 0, { reward: 0.5 }), rollout(1)] },
  ], { merge: true });
  assert.deepEqual(sent.solver_env!.map(({ reward }) => reward), [0, 0.5, 1]);
  assert.deepEqual([scored.coverage.expected, scored.coverage.scored], [3, 3]);
  assert.match(
    scored.notes.join("\n"),
    /^1 row with the task and rollout number of a row in another shard.*_ng_task_index/,
  );
});

Deno.test("score() computes the metrics itself for a server that has no such route", async () => {
  const judge = { agent_ref: { name: "judge" }, _ng_environment_server: "judge_env", reward: 0.5 };
  const { metrics, scored } = await scoring([{ rollouts: [rollout(0), rollout(1, 0, judge)] }], {
    scorers: scorers("solver_env", "judge_env"),
    answer: (server) => server === "judge_env" ? { status: 404 } : { body: `{"agent_metrics":{"mine":1}}` },
  });
  assert.deepEqual(
    metrics!.map((entry) =>
      (entry.agent_metrics as Row)["mine"] ?? (entry.agent_metrics as Row)["mean/reward"]
    ),
    [1, 0.5],
  );
  assert.deepEqual(scored.metrics.map(({ computed_by }) => computed_by), ["server", "rollcall"]);
  assert.match(scored.notes.join("\n"), /judge_env answered 404/);
});

Deno.test("score() offline gives the metrics that a 404 gives", async () => {
  const shards = [{
    rollouts: [rollout(0), rollout(1, 0, { reward: 0 })],
    inputs: [input(0), input(1), input(2)],
  }];
  const [offline, refused] = await Promise.all([
    scoring(shards, { scorers: null, missing: true }),
    scoring(shards, { answer: () => ({ status: 404 }), missing: true }),
  ]);
  assert.equal(offline.files.text(paths.metrics), refused.files.text(paths.metrics));
  assert.equal(
    offline.scored.coverage.imputed,
    1,
    "an unstamped input is of the server that its agent's results name",
  );
});

const BAD: Record<string, [text: string, message: RegExp]> = {
  "is not JSON": [`${lines([rollout(0)])}{oops\n`, /\/runs\/s0\.jsonl:2: unexpected/],
  "is cut off": [`${lines([rollout(0)])}{"reward":1`, /\/runs\/s0\.jsonl:2: /],
  "is not an object": [`\n[1]\n`, /\/runs\/s0\.jsonl:2: a value that is not an object/],
  "has no task": [`{"_ng_rollout_index":0}\n`, /s0\.jsonl:1: it has no _ng_task_index/],
  "has a task that is not a whole number": [
    `{"_ng_task_index":1.5,"_ng_rollout_index":0}\n`,
    /s0\.jsonl:1: _ng_task_index is not a usable whole number/,
  ],
  "has a rollout that is not a number": [
    `{"_ng_task_index":1,"_ng_rollout_index":true}\n`,
    /s0\.jsonl:1: _ng_rollout_index is not a usable whole number/,
  ],
};

for (const [what, [text, message]] of Object.entries(BAD)) {
  Deno.test(`score() refuses a shard with a line that ${what}, and touches nothing`, async () => {
    const shards: Shard[] = [{}];
    let before: unknown;
    await assert.rejects(
      scoring(shards, {
        merge: true,
        files(files) {
          const file = files.append("/runs/s0.jsonl");
          file.write(new TextEncoder().encode(text));
          file.close();
          before = files.all();
          files.before = ({ what, path }) => {
            if (what !== "read" && what !== "close") assert.notEqual(path, paths.rollouts);
          };
        },
      }),
      (fault) => fault instanceof UsageFault && message.test(fault.message),
    );
    assert.ok(before);
  });
}

Deno.test("score() reports all bad lines at once, of sidecars and inputs too", async () => {
  const bad = "{\n".repeat(30);
  await assert.rejects(
    scoring([{ rollouts: [rollout(0)] }], {
      files(files) {
        for (const name of ["s0_failures", "s0_materialized_inputs"]) {
          const file = files.append(`/runs/${name}.jsonl`);
          file.write(new TextEncoder().encode(bad));
          file.close();
        }
      },
    }),
    ({ message }: Error) => /s0_failures\.jsonl:1: .*s0_failures\.jsonl:20: .*… and 40 more/s.test(message),
  );
});

Deno.test("score() refuses rows whose server cannot be asked, naming it and the servers there are", async () => {
  const gone = { _ng_environment_server: "gone_env" };
  await assert.rejects(
    scoring([{ rollouts: [rollout(0), rollout(1, 0, gone), rollout(2, 0, gone)] }], { merge: true }),
    (fault) =>
      fault instanceof UsageFault && /"gone_env".*solver_env.*\(2 rollouts\)/.test(fault.message) &&
      /--offline/.test(fault.message),
  );
});

for (
  const [what, answer, message] of [
    [
      "an error",
      { status: 500, body: "hook broke" },
      /No metrics from server solver_env: .* answered 500: hook broke/,
    ],
    ["too large", { status: 413 }, /answered 413: .*`rollcall aggregate --offline` needs no server/],
    ["something that is not JSON", { body: "<html>" }, /answered with something that is not a JSON object/],
    [
      "half an answer",
      { body: "{", broken: "connection reset" },
      /sent an incomplete response: connection reset/,
    ],
    ["nothing", "hang up", /could not be reached: connection closed/],
  ] as const
) {
  Deno.test(`score() fails when a server answers ${what}; the merged rollouts are there, and no metrics of others`, async () => {
    let files;
    await assert.rejects(
      scoring([{ rollouts: [rollout(0)] }], {
        merge: true,
        answer: () => answer,
        files(given) {
          files = given;
          const file = given.append(paths.metrics);
          file.write(new TextEncoder().encode("old"));
          file.close();
        },
      }),
      (fault) => fault instanceof RunFault && message.test(fault.message),
    );
    assert.equal(files!.text(paths.metrics), undefined);
    assert.equal(files!.text(paths.rollouts), lines([rollout(0)]));
    assert.equal(files!.text(paths.metricsNew), undefined);
    assert.equal(files!.open, 0);
  });
}

Deno.test("score() keeps the metrics of servers that answer when another one fails, and says which is missing", async () => {
  const other = { agent_ref: { name: "other" }, _ng_environment_server: "other_env" };
  const { scored, metrics } = await scoring([{ rollouts: [rollout(0), rollout(1, 0, other)] }], {
    scorers: scorers("solver_env", "other_env"),
    answer: (server) => server === "solver_env" ? { status: 500, body: "hook broke" } : { body: "{}" },
  });
  assert.match(scored.error!, /No metrics from server solver_env: .* answered 500: hook broke/);
  assert.doesNotMatch(scored.error!, /other_env/);
  assert.deepEqual(metrics!.map((group) => group.agent_ref), [{ name: "other" }]);
  assert.deepEqual(scored.metrics.map(({ label }) => label), ["other"]);
});

Deno.test("score() leaves out rows that the materialized inputs do not contain, says so, and scores them on request", async () => {
  const shard = { rollouts: [rollout(0), rollout(7)], inputs: [input(0)] };
  const { scored, sent } = await scoring([shard], { merge: true });
  assert.deepEqual(ids(sent.solver_env), ["0-0"]);
  assert.match(
    scored.notes.join("\n"),
    /^1 row not in the materialized inputs.*--score-unplanned.*\n.*rollout 7-0 in .*s0\.jsonl/,
  );
  assert.deepEqual([scored.coverage.expected, scored.coverage.scored], [1, 1]);

  const all = await scoring([shard], { unplanned: true });
  assert.deepEqual(ids(all.sent.solver_env), ["0-0", "7-0"]);
  assert.deepEqual(all.scored.notes, []);

  const { sent: unknown, scored: { notes } } = await scoring([{ rollouts: shard.rollouts }]);
  assert.deepEqual([ids(unknown.solver_env), notes], [["0-0", "7-0"], []], "nobody knows what was owed");
});

Deno.test("score() asks a server again that answers 503 with Retry-After, when that time is over", async () => {
  const clock = new ManualClock();
  let asked = 0;
  const outcome = scoring([{ rollouts: [rollout(0)] }], {
    clock,
    answer: () => ++asked === 1 ? { status: 503, headers: { "retry-after": "5" } } : { body: "{}" },
  });
  while (clock.timers === 0) await new Promise((resolve) => setTimeout(resolve));
  await clock.pass(4999);
  assert.equal(asked, 1);
  await clock.pass(1);
  assert.equal((await outcome).scored.error, null);
  assert.equal(asked, 2);
});

Deno.test("score() does not ask a server again that needs more time than the retry window has, or does not say how much", async () => {
  for (const headers of [{ "retry-after": "3600" }, {}] as Record<string, string>[]) {
    await assert.rejects(
      scoring([{ rollouts: [rollout(0)] }], { answer: () => ({ status: 503, headers }) }),
      /answered 503/,
    );
  }
});

Deno.test("score() leaves the old files and no half new one when the disk is full", async () => {
  for (const room of [0, 30, 200]) {
    let files;
    await assert.rejects(
      scoring([{ rollouts: [rollout(1), rollout(0)] }], {
        merge: true,
        files(given) {
          files = given;
          given.room = room;
        },
      }),
      /No space left/,
    );
    assert.deepEqual(
      Object.keys(files!.all()).filter((path) => path.includes("all")).filter((path) =>
        path !== paths.rollouts
      ),
      [],
    );
    assert.equal(files!.open, 0);
  }
});

Deno.test("score() stops at once on request, and leaves nothing half done", async () => {
  const stop = new AbortController();
  let files;
  const outcome = scoring([{ rollouts: [rollout(0)] }], {
    signal: stop.signal,
    files: (given) => files = given,
    answer() {
      stop.abort("SIGINT");
      return { body: "{}" };
    },
  });
  await assert.rejects(outcome, (fault) => fault instanceof RunFault && /Stopped/.test(fault.message));
  assert.equal(files!.text(paths.metrics), undefined);
  assert.equal(files!.open, 0);
});

Deno.test("score() keeps every byte of a row in the merged file, without blank lines and with a last line break", async () => {
  const odd = [
    `{"n":1.0,"e":1e-07,"big":12345678901234567890,"s":"\\ud83d \u2028","_ng_task_index":1,"_ng_rollout_index":0}`,
    `{"dup":1,"dup":2,"_ng_task_index":0,"_ng_rollout_index":0}`,
  ];
  const { files, scored } = await scoring([{}], {
    merge: true,
    files(files) {
      const file = files.append("/runs/s0.jsonl");
      file.write(new TextEncoder().encode(`\n  ${odd[0]}\r\n\n${odd[1]} `));
      file.close();
    },
  });
  assert.equal(files.text(paths.rollouts), `${odd[1]}\n${odd[0]}\n`);
  assert.match(scored.notes.join("\n"), /2 rows without an environment server or agent/);
});

/** Rollouts, failures and inputs of few tasks. */
const anyRun: fc.Arbitrary<{ readonly row: Row; readonly kind: keyof Shard }[]> = fc.uniqueArray(
  fc.record({ task: fc.nat(4), rollout: fc.nat(2) }),
  { selector: ({ task, rollout }) => `${task}-${rollout}`, maxLength: 12 },
).chain((identities) =>
  fc.tuple(...identities.map(({ task, rollout: index }) =>
    fc.record({
      fate: fc.constantFrom("scored", "failed", "lost"),
      reward: fc.constantFrom(0, 1, 0.5),
      level: fc.constantFrom("easy", "hard", undefined),
    }).map(({ fate, reward, level }) => {
      const told: { row: Row; kind: keyof Shard }[] = [
        { kind: "inputs", row: input(task, index, { level: level ?? "easy", weight: task }) },
      ];
      if (fate === "scored") told.push({ kind: "rollouts", row: rollout(task, index, { reward, level }) });
      if (fate === "failed") told.push({ kind: "failures", row: failure(task, index, "lost") });
      return told;
    })
  )).map((told) => told.flat())
);

Deno.test("score() gives the same metrics however a run is split into shards, in whatever order its lines are", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRun,
      fc.infiniteStream(fc.nat(1000)),
      fc.boolean(),
      fc.boolean(),
      async (run, dice, classes, missing) => {
        const options = { scorers: null, classes: classes ? ["lost"] : [], missing };
        const shardsOf = (count: number): Shard[] => {
          const shards = Array.from({ length: count }, () => ({
            rollouts: [] as Row[],
            failures: [] as Row[],
            inputs: [] as Row[],
          }));
          // A rollout's lines stay together, as it was one run that had it.
          const home = new Map<string, number>();
          const mixed = run.map((line) => ({ line, at: dice.next().value! })).sort((a, b) => a.at - b.at);
          for (const { line: { row, kind } } of mixed) {
            const [id] = ids([row]);
            if (!home.has(id!)) home.set(id!, dice.next().value! % count);
            shards[home.get(id!)!]![kind].push(row);
          }
          return shards;
        };
        const [whole, split] = [
          await scoring(shardsOf(1), options),
          await scoring(shardsOf(3), { ...options, merge: true }),
        ];
        assert.equal(split.files.text(paths.metrics), whole.files.text(paths.metrics));
        const { shards: _, ...coverage } = whole.scored.coverage;
        assert.deepEqual({ ...split.scored.coverage, shards: undefined }, { ...coverage, shards: undefined });

        const again = await scoring([{ rollouts: parsed(split.files.text(paths.rollouts)!) }], {
          scorers: null,
        });
        const first = await scoring([{
          rollouts: run.flatMap(({ kind, row }) => kind === "rollouts" ? [row] : []),
        }], { scorers: null });
        assert.equal(again.files.text(paths.metrics), first.files.text(paths.metrics), "of the merged file");
      },
    ),
    { numRuns: 60 },
  );
});

function parsed(text: string): Row[] {
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

Deno.test("score() treats a null part of the response as absent", async () => {
  const { metrics } = await scoring([{ rollouts: [rollout(0)] }], {
    scorers: scorers("solver_env"),
    answer: () => ({ body: `{"agent_metrics":{"a":1.0},"repeat_level_metrics":null,"perf_summary":null}` }),
  });
  assert.deepEqual(Object.keys(metrics![0]!).slice(2), [
    "agent_metrics",
    "key_metrics",
    "group_level_metrics",
    "repeat_level_metrics",
  ]);
  assert.deepEqual(metrics![0]!.repeat_level_metrics, []);
});
