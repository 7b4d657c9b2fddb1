/** `rollcall aggregate` with its real collector, on real files, in front of real servers. */
import assert from "node:assert/strict";
import { FakeWorld, type FakeWorldOptions, headAnswer } from "../fakes/fake_world.ts";
import { failure, input, lines, rollout, type Row } from "../metrics/_shards.ts";

const SHARDS = {
  "runs/s1.jsonl": lines([rollout(1), rollout(0, 0, { reward: 0 })]),
  "runs/s1_failures.jsonl": lines([failure(2, 0, "agent_run_error")]),
  "runs/s1_materialized_inputs.jsonl": lines([input(0), input(1), input(2)]),
  "runs/s2.jsonl": lines([rollout(3)]),
};
const OFFLINE = [
  "--offline",
  "--input-glob",
  "runs/s*.jsonl",
  "--output",
  "runs/all.jsonl",
  "--no-health-check",
];

async function ran(args: readonly string[], options: FakeWorldOptions = {}) {
  using fake = new FakeWorld({ files: SHARDS, collector: true, ...options, args: ["aggregate", ...args] });
  const before = fake.list();
  const code = await fake.run();
  const { stdout, stderr } = fake.terminal;
  const made = fake.list().filter((path) => !before.includes(path));
  const text = (path: string) => made.includes(path) ? fake.text(path) : "";
  return {
    code,
    stdout,
    stderr,
    made,
    asked: fake.asked,
    merged: text("runs/all.jsonl"),
    metrics: text("runs/all_aggregate_metrics.json"),
    listens: fake.listens,
  };
}

/** An environment server that answers requests for metrics. */
async function withServer<T>(
  answer: () => Response,
  run: (url: string, bodies: Row[]) => Promise<T>,
): Promise<T> {
  const bodies: Row[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (new URL(request.url).pathname !== "/aggregate_metrics") return new Response("", { status: 418 });
    bodies.push(await request.json());
    return answer();
  });
  try {
    return await run(`http://127.0.0.1:${server.addr.port}`, bodies);
  } finally {
    await server.shutdown();
  }
}

Deno.test("aggregate --offline merges and scores shards, and leaves nothing else", async () => {
  const { code, made, merged, metrics, stderr, asked, listens } = await ran(OFFLINE);
  assert.equal(code, 0, stderr);
  assert.deepEqual(made, ["runs/all.jsonl", "runs/all_aggregate_metrics.json", "runs/all_manifest.json"]);
  assert.equal(merged, lines([rollout(0, 0, { reward: 0 }), rollout(1), rollout(3)]));
  assert.equal(JSON.parse(metrics)[0].agent_metrics["mean/reward"], 2 / 3);
  assert.deepEqual(asked, [], "no head server is asked");
  assert.match(stderr, /Aggregated: 3 rows of 2 shards in /);
  assert.match(
    stderr.replace(/\s+/g, " "),
    /coverage 3 of 4 rollouts scored, 1 missing: 1 agent_run_error, see the shards' sidecars/,
  );
  assert.match(stderr, /only 1 of 2 shards has materialized inputs/);
  assert.equal(listens, false);
});

Deno.test("aggregate takes Gym's overrides, and asks the servers of the head's configuration", async () => {
  await withServer(() => Response.json({ key_metrics: { "mean/reward": 0.25 } }), async (url, bodies) => {
    const { hostname, port } = new URL(url);
    const head = {
      solver: { responses_api_agents: { simple_agent: { entrypoint: "app.py" } } },
      solver_env: {
        environment_servers: {
          legacy_agent: { host: hostname, port: Number(port), agent_server: { name: "solver" } },
        },
      },
    };
    const { code, stderr, stdout, metrics, made } = await ran([
      "+input_glob=runs/s*.jsonl",
      "+output_jsonl_fpath=runs/all.jsonl",
      "+merge_shards=false",
      "+disable_health_check=true",
      "+count_failure_classes_as_zero=[agent_run_error]",
      "+head_server.port=11011",
      "--json",
    ], { answers: { "http://127.0.0.1:11011/global_config_dict_yaml": headAnswer(head) } });
    assert.equal(code, 0, stderr);
    assert.deepEqual(made, ["runs/all_aggregate_metrics.json"]);
    assert.deepEqual((bodies[0]!.verify_responses as Row[]).map(({ reward }) => reward), [0, 1, 0, 1]);
    assert.deepEqual(JSON.parse(metrics)[0].agent_ref, { name: "solver" });
    const told = JSON.parse(stdout);
    assert.deepEqual([told.ending, told.rows, told.coverage.scored, told.coverage.counted], [
      "complete",
      3,
      4,
      1,
    ]);
    assert.deepEqual(told.metrics[0].key_metrics, { "mean/reward": 0.25 });
  });
});

Deno.test("aggregate scores with servers named by hand, and itself for one without the route", async () => {
  await withServer(() => new Response("no", { status: 404 }), async (url) => {
    const args = ["--input-glob", "runs/s?.jsonl", "--output", "runs/all.jsonl", "--no-health-check"];
    const { code, stderr, metrics } = await ran([...args, "--server", `solver_env=${url}`]);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(metrics)[0]._ng_environment_server, "solver_env");
    assert.equal(JSON.parse(metrics)[0].agent_metrics["mean/reward"], 2 / 3);
    assert.match(stderr.replace(/\s+/g, " "), /solver_env answered 404 to \/aggregate_metrics/);
  });
});

Deno.test("aggregate fails with the server that fails; what was merged stays", async () => {
  await withServer(() => new Response("hook broke", { status: 500 }), async (url) => {
    const args = ["--input-glob", "runs/s?.jsonl", "--output", "runs/all.jsonl", "--no-health-check"];
    const { code, stderr, made } = await ran([...args, "--server", `solver_env=${url}`]);
    assert.equal(code, 1);
    assert.match(stderr, /answered 500: hook broke/);
    assert.deepEqual(made, ["runs/all.jsonl", "runs/all_manifest.json"]);
  });
});

Deno.test("aggregate --require-complete fails once everything is written", async () => {
  const { code, stderr, made } = await ran([...OFFLINE, "--require-complete"]);
  assert.equal(code, 1);
  assert.match(stderr, /1 of 4 rollouts are missing \(require_complete\)/);
  assert.deepEqual(made, ["runs/all.jsonl", "runs/all_aggregate_metrics.json", "runs/all_manifest.json"]);
});

Deno.test("aggregate into a folder that is not there makes it", async () => {
  const { code, made } = await ran([...OFFLINE.map((arg) => arg.replace("runs/all", "new/folder/all"))]);
  assert.equal(code, 0);
  assert.deepEqual(made, [
    "new/",
    "new/folder/",
    "new/folder/all.jsonl",
    "new/folder/all_aggregate_metrics.json",
    "new/folder/all_manifest.json",
  ]);
});

for (
  const [what, args, options, message] of [
    [
      "shards that are not there",
      ["--input-glob", "runs/zzz*.jsonl", "--output", "x/all.jsonl"],
      {},
      /runs\/zzz\*\.jsonl/,
    ],
    ["no patterns", ["--output", "x/all.jsonl"], {}, /input_glob: is missing, give it with --input-glob/],
    ["keys of collect", [...OFFLINE, "+num_repeats=4"], {}, /\+num_repeats=….*not a key of aggregate/],
    ["flags of collect", [...OFFLINE, "--num-repeats", "4"], {}, /num-repeats/],
    ["misspelt keys", [...OFFLINE, "+merge_shard=false"], {}, /did you mean "merge_shards"\?/],
    [
      "lines that are not rollouts",
      OFFLINE.map((arg) => arg.replace("runs/all", "x/all")),
      { files: { ...SHARDS, "runs/s3.jsonl": "\n{oops\n" } },
      /runs\/s3\.jsonl:2: unexpected "\{oops|runs\/s3\.jsonl:2: unexpected "oops/,
    ],
    ["no head server", OFFLINE.slice(1), { collector: false }, /Cannot reach the head server/],
  ] as [string, string[], FakeWorldOptions, RegExp][]
) {
  Deno.test(`aggregate refuses ${what}, and touches nothing`, async () => {
    const { code, stderr, made } = await ran(args, options);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
    assert.deepEqual(made, []);
  });
}

Deno.test("aggregate ignores keys of collect in a file that is for both", async () => {
  const files = { ...SHARDS, "both.yaml": "num_repeats: 4\ninput_glob: runs/s1.jsonl\n" };
  const { code, stderr, merged } = await ran(["--config", "both.yaml", "--offline", "-o", "runs/all.jsonl"], {
    files,
  });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Ignored, since they are not keys of aggregate:\n {2}num_repeats \(both\.yaml\)/);
  assert.equal(merged.match(/\n/g)!.length, 2);
});

Deno.test("aggregate a second time gives the same files, and does not take its own output for a shard", async () => {
  using fake = new FakeWorld({
    files: SHARDS,
    collector: true,
    args: [
      "aggregate",
      "--offline",
      "--input-glob",
      "runs/*.jsonl",
      "-o",
      "runs/all.jsonl",
      "--no-health-check",
    ],
  });
  assert.equal(await fake.run(), 0);
  const before = [fake.text("runs/all.jsonl"), fake.text("runs/all_aggregate_metrics.json")];
  assert.equal(await fake.run(), 0);
  assert.deepEqual([fake.text("runs/all.jsonl"), fake.text("runs/all_aggregate_metrics.json")], before);
});

Deno.test("aggregate is stopped by a signal: exit code 130, nothing half done", async () => {
  const asked = Promise.withResolvers<void>();
  await withServer(() => Response.json({}), async (url) => {
    using fake = new FakeWorld({
      files: SHARDS,
      collector: true,
      args: [
        "aggregate",
        "--input-glob",
        "runs/s?.jsonl",
        "-o",
        "runs/all.jsonl",
        "--server",
        `solver_env=${url}`,
      ],
    });
    const startCollector = fake.world.startCollector;
    Object.assign(fake.world, {
      startCollector(...given: Parameters<typeof startCollector>) {
        const collector = startCollector(...given);
        asked.resolve();
        return collector;
      },
    });
    const code = fake.run();
    await asked.promise;
    fake.signal("SIGINT");
    assert.equal(await code, 130);
    assert.match(fake.terminal.stderr, /Stopped by SIGINT/);
    assert.deepEqual(fake.list().filter((path) => /\.(new|index|lock)$|metrics/.test(path)), []);
  });
});

for (
  const counting of [[], [
    "+count_failure_classes_as_zero=[agent_run_error]",
    "+count_missing_rollouts_as_zero=true",
  ]]
) {
  Deno.test(`aggregate over a run's rollouts gives the metrics that the run gave: ${counting.length} counted`, async () => {
    // Four tasks: rewards 1, 1 and 0, and an error.
    const handler = async (request: Request) => {
      if (!request.url.endsWith("/run")) return new Response("", { status: 404 });
      const { _ng_task_index: task } = await request.json();
      return task === 3 ? new Response("x", { status: 500 }) : Response.json({ reward: task === 2 ? 0 : 1 });
    };
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
    const common = [
      "--no-health-check",
      "--server",
      `solver=http://127.0.0.1:${server.addr.port}`,
      ...counting,
    ];
    try {
      using fake = new FakeWorld({
        collector: true,
        files: {
          "in.jsonl": lines(
            [0, 1, 2, 3].map((n) => ({
              n,
              responses_create_params: { input: [] },
              agent_ref: { name: "solver" },
            })),
          ),
        },
        args: ["collect", "-i", "in.jsonl", "-o", "runs/r.jsonl", "--route-failures-to-sidecar", ...common],
      });
      assert.equal(await fake.run(), 0, fake.terminal.stderr);
      const files = Object.fromEntries(
        fake.list().filter((path) => path.startsWith("runs/r")).map((path) => [path, fake.text(path)]),
      );
      const mean = JSON.parse(files["runs/r_aggregate_metrics.json"]!)[0].agent_metrics["mean/reward"];
      assert.equal(mean, counting.length ? 0.5 : 2 / 3);
      const again = await ran(["--input-glob", "runs/r.jsonl", "-o", "runs/all.jsonl", ...common], { files });
      assert.equal(again.code, 0, again.stderr);
      assert.equal(again.metrics, files["runs/r_aggregate_metrics.json"]);
    } finally {
      await server.shutdown();
    }
  });
}

Deno.test("aggregate refuses to merge into a run's own rollouts, which nothing would keep", async () => {
  const files = {
    ...SHARDS,
    "runs/all.jsonl": lines([rollout(9)]),
    "runs/all_materialized_inputs.jsonl": lines([input(9)]),
  };
  using fake = new FakeWorld({ files, collector: true, args: ["aggregate", ...OFFLINE] });
  assert.equal(await fake.run(), 2);
  assert.match(fake.terminal.stderr, /all\.jsonl is the output of a run.*name another output/s);
  assert.equal(fake.text("runs/all.jsonl"), files["runs/all.jsonl"]);
});
