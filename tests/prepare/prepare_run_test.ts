import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { outputPaths } from "../../src/prepare/output_paths.ts";
import { prepareRun } from "../../src/prepare/prepare_run.ts";
import type { Config } from "../../src/config/config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { FakeWorld, type FakeWorldOptions, headAnswer } from "../fakes/fake_world.ts";

const HEAD = "http://127.0.0.1:11000/global_config_dict_yaml";
const HOLDER = { host: "here", pid: 1, since: "2026-01-01T00:00:00.000Z" };
const SERVERS = {
  a: { responses_api_agents: { simple: { host: "127.0.0.1", port: 8001 } } },
  b: { responses_api_agents: { simple: { host: "127.0.0.1", port: 8002 } } },
};

const row = (agent = "a", more = "") =>
  `{"agent_ref":{"name":"${agent}"},"responses_create_params":{"input":"x"}${more}}`;
const ROWS = `${row()}\n${row("b")}\n`;

function world(options: FakeWorldOptions = {}): FakeWorld {
  return new FakeWorld({
    ...options,
    files: { "in.jsonl": ROWS, "out/": "", ...options.files },
    answers: { [HEAD]: headAnswer(SERVERS), ...options.answers },
  });
}

function config(set: Record<string, unknown> = {}): Config {
  return configSchema("collect").parse({
    input_jsonl_fpath: "in.jsonl",
    output_jsonl_fpath: "out/r.jsonl",
    ...set,
  });
}

function prepare(fake: FakeWorld, set: Record<string, unknown> = {}, stop = () => {}) {
  return prepareRun(config(set), fake.world, { holder: HOLDER, stop });
}

/** The message of the fault that preparing ends with. Everything on the disk must be as before. */
async function refused(fake: FakeWorld, set: Record<string, unknown> = {}): Promise<string> {
  const before = fake.list();
  try {
    await prepare(fake, set);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    assert.deepEqual(fake.list(), before);
    return error.message;
  }
  throw new Error("it was prepared");
}

Deno.test("prepareRun() writes the materialized inputs under a temporary name and plans the run", async () => {
  using fake = world();
  const { plan, index, warnings } = await prepare(fake, { num_repeats: 2 });
  assert.deepEqual([plan.rows, plan.tasks, plan.rollouts, index.size], [2, 2, 4, 4]);
  assert.deepEqual(plan.routes.map(({ server, url }) => [server, url]), [
    ["a", "http://127.0.0.1:8001"],
    ["b", "http://127.0.0.1:8002"],
  ]);
  assert.deepEqual(plan.perRoute, [2, 2]);
  assert.deepEqual([...plan.permissions.net].sort(), ["127.0.0.1:8001", "127.0.0.1:8002"]);
  assert.deepEqual(warnings, []);
  const made = fake.list().filter((path) => path.startsWith("out/") && path !== "out/");
  assert.deepEqual(made, ["out/r_manifest.json.new", "out/r_materialized_inputs.jsonl.new"]);
  const rows = fake.text("out/r_materialized_inputs.jsonl.new").trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(rows.map((row) => [row._ng_task_index, row._ng_rollout_index]), [[0, 0], [0, 1], [1, 0], [
    1,
    1,
  ]]);
  assert.deepEqual(fake.asked, [HEAD]);
});

Deno.test("prepareRun() without a holder writes nothing", async () => {
  using fake = world();
  const before = fake.list();
  const { plan } = await prepareRun(config(), fake.world, { stop: () => {} });
  assert.equal(plan.rollouts, 2);
  assert.deepEqual(fake.list(), before);
});

Deno.test("prepareRun() puts repeats in rounds and leaves no trace of how", async () => {
  using fake = world();
  const { index } = await prepare(fake, { num_repeats: 2, interleave_repeats: true });
  const text = fake.text("out/r_materialized_inputs.jsonl.new");
  const rows = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(rows.map((row) => [row._ng_task_index, row._ng_rollout_index]), [[0, 0], [1, 0], [0, 1], [
    1,
    1,
  ]]);
  for (let k = 0; k < index.size; k++) {
    const { offset, length, task, rollout } = index.columns;
    const row = JSON.parse(text.slice(offset[k], offset[k]! + length[k]!));
    assert.deepEqual([row._ng_task_index, row._ng_rollout_index], [task[k], rollout[k]]);
  }
  assert.ok(!fake.list().some((path) => path.endsWith("unordered")));
});

/** {@link ROWS} as zstd, which the runtime cannot make: one frame, and two. */
const ZSTD = {
  one: bytesOf(
    "KLUv/SSGFQIAQsQNEqC7AVD+r88uu24LVRDNQQ0iDwO893b8YmrPHb5RciqhK5WJaO1NqpUf3vN4Rbl3+KIs1qrJuwIAgSmDoQQzptMExQ==",
  ),
  two: bytesOf(
    "KLUv/QRozQEAMkQNEbDrP90olti3aKJhhkllYC4B4D03oxdLauzQ6uRmEl/5HUJdKUrq6/CcRv+k2qHJVyx9" +
      "SbsAIDe4Iyi1L/0EaN0BADLEDRKguwFQ/q/PLrtuC1UQzUENIg/gvbfjF1N77vCNklMJXalMRGtvUq388D6OV5R7hy/KYq2avAsAQLHOpw==",
  ),
};

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

for (
  const [name, content] of [
    ["in.jsonl", ROWS],
    ["in.jsonl.gz", gzipSync(ROWS)],
    ["in.GZ", gzipSync(ROWS)],
    ["members.gz", new Uint8Array([...gzipSync(`${row()}\n`), ...gzipSync(`${row("b")}\n`)])],
    ["in.jsonl.zst", ZSTD.one],
    ["frames.ZST", ZSTD.two],
    ["no_newline.jsonl", ROWS.trimEnd()],
    ["blank_lines.jsonl", `\uFEFF${row()}\r\n\r\n  \n${row("b")}\n\n`],
  ] as const
) {
  Deno.test(`prepareRun() reads ${name}`, async () => {
    using fake = world({ files: { [name]: content } });
    const { plan } = await prepare(fake, { input_jsonl_fpath: name });
    assert.deepEqual([plan.rows, plan.rollouts], [2, 2]);
  });
}

Deno.test("prepareRun() reads standard input to its end, or as far as the limit", async () => {
  using fake = world({ stdin: ROWS });
  assert.equal((await prepare(fake, { input_jsonl_fpath: "-" })).plan.rows, 2);
  assert.equal((await prepare(fake, { input_jsonl_fpath: "-", limit: 1 })).plan.rows, 1);
  assert.equal((await prepare(fake, { input_jsonl_fpath: "-", limit: 0 })).plan.rows, 2);
});

Deno.test("prepareRun() names standard input and the line when that is wrong", async () => {
  using fake = world({ stdin: `${row()}\n{bad\n` });
  assert.match(
    await refused(fake, { input_jsonl_fpath: "-" }),
    /^Lines that are not a JSON object:\n {2}-:2: .* \(column 2\)$/,
  );
});

Deno.test("prepareRun() looks the input up in extra roots, and its errors show it as it was given", async () => {
  using fake = world({
    env: { NEMO_GYM_EXTRA_ROOTS: "elsewhere" },
    files: { "elsewhere/d/x.jsonl": "1\n" },
  });
  assert.match(
    await refused(fake, { input_jsonl_fpath: "d/x.jsonl" }),
    /^Lines that are not a JSON object:\n {2}d\/x\.jsonl:1: /,
  );
});

for (
  const [what, files, set, message] of [
    [
      "lines that are not JSON",
      { "x": `${row()}\n\n{bad\n${row()}\n  {"ä": bad}\n` },
      { input_jsonl_fpath: "x" },
      /^Lines that are not a JSON object:\n {2}x:3: .* \(column 2\)\n {2}x:5: .* \(column 9\)$/,
    ],
    [
      "a line of bytes that are not text",
      { "x": new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
      {
        input_jsonl_fpath: "x",
      },
      /^Lines that are not a JSON object:\n {2}x:1: .* \(column 3, byte 3 of the line\)$/,
    ],
    ["a row without an agent", { "x": '{"responses_create_params":{"input":"x"}}' }, {
      input_jsonl_fpath: "x",
    }, /x:1/],
    ["an unknown agent", { "x": row("c") }, { input_jsonl_fpath: "x" }, /There is no agent "c"/],
    ["an input that is not there", {}, { input_jsonl_fpath: "x" }, /^Cannot find x \(input_jsonl_fpath\)/],
    [
      "a folder as input",
      { "x/": "" },
      { input_jsonl_fpath: "x" },
      /^Cannot use x \(input_jsonl_fpath\): it is a folder/,
    ],
    [
      "gzip that breaks off",
      { "x.gz": gzipSync(ROWS).subarray(0, 40) },
      { input_jsonl_fpath: "x.gz" },
      /^Cannot read x\.gz: .*\. Is it whole, and gzip\?$/,
    ],
    ["gzip that breaks off at its end", { "x.gz": gzipSync(ROWS).subarray(0, -4) }, {
      input_jsonl_fpath: "x.gz",
    }, /^Cannot read x\.gz: .*Is it whole/],
    ["gzip that is none", { "x.gz": ROWS }, { input_jsonl_fpath: "x.gz" }, /^Cannot read x\.gz: .*gzip\?$/],
    ["an empty gzip file", { "x.gz": "" }, { input_jsonl_fpath: "x.gz" }, /^Cannot read x\.gz: /],
    [
      "zstd that breaks off",
      { "x.zst": ZSTD.one.subarray(0, 60) },
      { input_jsonl_fpath: "x.zst" },
      /^Cannot read x\.zst: .*Is it whole, and zstd\?$/,
    ],
    [
      "zstd that is none",
      { "x.zst": ROWS },
      { input_jsonl_fpath: "x.zst" },
      /^Cannot read x\.zst: .*zstd\?$/,
    ],
    ["a prompt that is not there", {}, { prompt_config: "p.yaml" }, /^Cannot find p\.yaml \(prompt_config\)/],
    [
      "a folder as prompt",
      { "p/": "" },
      { prompt_config: "p" },
      /^Cannot use p \(prompt_config\): it is a folder/,
    ],
    [
      "a prompt that is not YAML",
      { "p.yaml": "user: a: b\n" },
      { prompt_config: "p.yaml" },
      /^Cannot read p\.yaml:1:7 as YAML/,
    ],
    ["a prompt without user", { "p.yaml": "system: a\n" }, { prompt_config: "p.yaml" }, /p\.yaml/],
    ["skills that are not there", {}, { skills: { path: "s" } }, /^Cannot find s \(skills\.path\)/],
    [
      "a file as skills",
      { "s": "" },
      { skills: { path: "s" } },
      /^Cannot use s \(skills\.path\): it is a file/,
    ],
    ["no skills", { "s/": "" }, { skills: { path: "s" } }, /^No skills in s/],
    ["an empty skill", { "s/one/": "" }, { skills: { path: "s" } }, /s\/one\/SKILL\.md/],
    [
      "certificates that are not there",
      {},
      { ca: "ca.pem" },
      /^Cannot read the certificates in ca\.pem \(ca\): No such file/,
    ],
    [
      "a contradiction",
      {},
      { agent_name: "a", agent_map: { _default: "b" } },
      /^Cannot use this configuration:/,
    ],
  ] as [string, Record<string, string | Uint8Array>, Record<string, unknown>, RegExp][]
) {
  for (const inRounds of [false, true]) {
    Deno.test(`prepareRun() refuses ${what}${inRounds ? ", in rounds" : ""}, and leaves nothing behind`, async () => {
      using fake = world({ files });
      assert.match(await refused(fake, { ...set, interleave_repeats: inRounds, num_repeats: 2 }), message);
    });
  }
}

Deno.test("prepareRun() checks everything on this machine before it asks the head server", async () => {
  using fake = world();
  for (
    const set of [
      { input_jsonl_fpath: "x" },
      { prompt_config: "x" },
      { skills: { path: "x" } },
      { ca: "x" },
      { output_jsonl_fpath: "in.jsonl" },
    ]
  ) await refused(fake, set);
  assert.deepEqual(fake.asked, []);
});

Deno.test("prepareRun() refuses an input that the run would replace, through links too", async () => {
  using fake = world({ files: { "out/r.jsonl": ROWS, "out/other.jsonl": ROWS, "p.jsonl": "user: hi" } });
  fake.link("link.jsonl", "out/r.jsonl");
  fake.link("folder", "out");
  fake.link("out/linked.jsonl", "other.jsonl");
  for (
    const [input, output] of [
      ["in.jsonl", "in.jsonl"],
      ["in.jsonl", "./out/../in.jsonl"],
      ["out/r.jsonl", "out/r.jsonl"],
      ["link.jsonl", "out/r.jsonl"],
      ["out/r.jsonl", "link.jsonl"],
      ["folder/r.jsonl", "out/r.jsonl"],
      ["out/r.jsonl", "folder/r.jsonl"],
      ["out/other.jsonl", "out/linked.jsonl"],
    ]
  ) {
    assert.match(
      await refused(fake, { input_jsonl_fpath: input, output_jsonl_fpath: output }),
      /^The input .* is one of the files that a run into .* replaces\. Name another output\.$/,
      `${input} ${output}`,
    );
  }
  assert.match(
    await refused(fake, { prompt_config: "p.jsonl", output_jsonl_fpath: "p.jsonl" }),
    /^The prompt p\.jsonl is one of the files/,
  );
});

Deno.test("prepareRun() refuses each of the run's own files as input", async () => {
  using empty = world();
  const paths = outputPaths(config(), empty.world);
  const names = Object.entries(paths).filter(([key]) => key !== "folder").map(([, path]) =>
    path.replace(/^.*\//, "")
  );
  assert.ok(names.length > 8);
  for (const name of names) {
    using fake = world({ files: { [`out/${name}`]: ROWS } });
    assert.match(
      await refused(fake, { input_jsonl_fpath: `out/${name}` }),
      /is one of the files that a run/,
      name,
    );
  }
});

Deno.test("outputPaths() refuses what can be no file", () => {
  using fake = world({ files: { "file": "" } });
  fake.link("round", "round");
  for (
    const [output, message] of [
      ["out/", 'output_jsonl_fpath must name a file, got "out/".'],
      ["new/folder/", 'output_jsonl_fpath must name a file, got "new/folder/".'],
      ["/", 'output_jsonl_fpath must name a file, got "/".'],
      ["out", "output_jsonl_fpath must name a file, and out is a folder."],
      [".", "output_jsonl_fpath must name a file, and . is a folder."],
      ["out/..", "output_jsonl_fpath must name a file, and out/.. is a folder."],
      ["round", /^Cannot use output_jsonl_fpath round: .*[a-z]\.$/],
    ] as const
  ) {
    assert.throws(() => outputPaths({ output_jsonl_fpath: output }, fake.world), {
      name: "UsageFault",
      message,
    });
  }
});

for (
  const [output, rollouts, inputs] of [
    ["a.jsonl", "a.jsonl", "a_materialized_inputs.jsonl"],
    ["a.txt", "a.txt", "a_materialized_inputs.jsonl"],
    ["a", "a", "a_materialized_inputs.jsonl"],
    ["a.b.jsonl", "a.b.jsonl", "a.b_materialized_inputs.jsonl"],
    [".hidden", ".hidden", ".hidden_materialized_inputs.jsonl"],
    ["new/deep/a.jsonl", "new/deep/a.jsonl", "new/deep/a_materialized_inputs.jsonl"],
    ["a b=c.jsonl", "a b=c.jsonl", "a b=c_materialized_inputs.jsonl"],
    ["a_failures.jsonl", "a_failures.jsonl", "a_failures_materialized_inputs.jsonl"],
    ["file/a.jsonl", "file/a.jsonl", "file/a_materialized_inputs.jsonl"],
  ]
) {
  Deno.test(`outputPaths() ${output}`, () => {
    using fake = world({ files: { "file": "" } });
    const paths = outputPaths({ output_jsonl_fpath: output! }, fake.world);
    assert.equal(paths.rollouts, `${fake.folder}/${rollouts}`);
    assert.equal(paths.inputs, `${fake.folder}/${inputs}`);
    const all = Object.values(paths);
    assert.deepEqual(all, [...new Set(all)], "two files of one name");
  });
}

Deno.test("outputPaths() resolves links, also where the end of the path is not there yet", () => {
  using fake = world();
  fake.link("link", "out");
  const { rollouts, folder } = outputPaths({ output_jsonl_fpath: "link/new/r.jsonl" }, fake.world);
  assert.deepEqual([rollouts, folder], [`${fake.folder}/out/new/r.jsonl`, `${fake.folder}/out/new`]);
});

Deno.test("prepareRun() stops when it is told to, and leaves nothing behind", async () => {
  for (const inRounds of [false, true]) {
    using fake = world({ stdin: ROWS });
    const before = fake.list();
    let asked = 0;
    const stop = () => {
      if (++asked > 2) throw new Error("stop");
    };
    await assert.rejects(
      prepare(fake, { input_jsonl_fpath: "-", interleave_repeats: inRounds }, stop),
      /stop/,
    );
    assert.deepEqual(fake.list(), before);
  }
});

Deno.test("prepareRun() says which file cannot be made", async () => {
  const failing = {
    "create out/r_materialized_inputs.jsonl.new": new Error("Read-only file system (os error 30)"),
  };
  using fake = world({ failing });
  assert.match(
    await refused(fake),
    /^Cannot write .*\/out\/r_materialized_inputs\.jsonl\.new: Read-only file system\.$/,
  );
});

Deno.test("prepareRun() trusts the certificates of --ca and of SSL_CERT_FILE", async () => {
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
  using fake = world({
    files: { "one.pem": pem("one"), "two.pem": pem("two"), "none.pem": "hush" },
    env: { SSL_CERT_FILE: "two.pem" },
  });
  assert.deepEqual((await prepare(fake, { ca: "one.pem" })).plan.authorities, [pem("one"), pem("two")]);
  const message = await refused(fake, { ca: "none.pem" });
  assert.match(message, /none\.pem \(ca\)/);
  assert.doesNotMatch(message, /hush/);
});

for (
  const [variable, waived] of [["1", true], ["true", true], ["yes", true], ["0", false], ["False", false], [
    "",
    false,
  ]] as const
) {
  Deno.test(`prepareRun() with NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING=${variable} ${waived ? "waives" : "keeps"} the check`, async () => {
    const servers = {
      a: { responses_api_agents: { simple: { host: "h", port: 1, resources_server: { name: "r" } } } },
      r: { resources_servers: { math: { allowed_agents: ["other"] } } },
    };
    using fake = world({
      env: { NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING: variable },
      files: { "x": row() },
      answers: { [HEAD]: headAnswer(servers) },
    });
    const set = { input_jsonl_fpath: "x" };
    if (waived) await prepare(fake, set);
    else assert.match(await refused(fake, set), /allow_unsupported_pairing/);
  });
}

Deno.test("prepareRun() plans health checks with the metrics, and none without them or when they are off", async () => {
  for (
    const [set, health] of [
      [{}, { ignored: [] }],
      [{ health_check_ignored_checks: ["model_call_failed"] }, { ignored: ["model_call_failed"] }],
      [{ disable_health_check: true }, null],
      [{ disable_aggregation: true }, null],
    ] as const
  ) {
    using fake = world();
    assert.deepEqual((await prepare(fake, set)).plan.health, health);
  }
});

Deno.test("prepareRun() refuses health checks that do not exist, also when there are to be none", async () => {
  for (const disable_health_check of [true, false]) {
    using fake = world();
    const message = await refused(fake, {
      disable_health_check,
      health_check_ignored_checks: ["modell_call_failed"],
    });
    assert.match(
      message,
      /\(health_check_ignored_checks\):\n {2}modell_call_failed \(did you mean "model_call_failed"/,
    );
  }
});

for (const name of ["quality_summary.json", "rollout_verdicts.jsonl"]) {
  Deno.test(`outputPaths() refuses ${name} as an output: the health checks write it`, () => {
    using fake = world();
    assert.throws(
      () => outputPaths({ output_jsonl_fpath: `out/${name}` }, fake.world),
      (error) =>
        error instanceof UsageFault && /the report of the health checks has that name/.test(error.message),
    );
  });
}

/** Ten tasks of one agent, the last line once more. */
const TEN = Array.from({ length: 10 }, (_, n) => `${row("a", `,"id":"t${n}","n":${n}`)}\n`).join("") +
  `${row("a", ',"id":"t9","n":9')}\n`;

/** The rows that a run of them is made of: `task-rollout`. */
async function planned(set: Record<string, unknown>, files: Record<string, string> = {}): Promise<string[]> {
  using fake = world({ files: { "in.jsonl": TEN, ...files } });
  const { index } = await prepare(fake, { num_repeats: 2, ...set });
  const { task, rollout } = index.columns;
  const named = Array.from({ length: index.size }, (_, row) => `${task[row]}-${rollout[row]}`);
  const written = fake.text("out/r_materialized_inputs.jsonl.new").trimEnd().split("\n").map((line) => {
    const row = JSON.parse(line);
    assert.equal(row.n, row._ng_task_index);
    return `${row._ng_task_index}-${row._ng_rollout_index}`;
  });
  assert.deepEqual(named, written);
  // What is only planned is the same.
  using again = world({ files: { "in.jsonl": TEN, ...files } });
  const { index: dry } = await prepareRun(config({ num_repeats: 2, ...set }), again.world, {
    stop: () => {},
  });
  assert.deepEqual([...dry.columns.task.subarray(0, dry.size)], [...task.subarray(0, index.size)]);
  return named;
}

for (
  const [what, set, files, want] of [
    ["tasks", { tasks: "9,2" }, {}, ["2-0", "2-1", "9-0", "9-1", "9-2", "9-3"]],
    ["task ids", { task_ids: "ids" }, { ids: "t2\r\n\n t1" }, ["1-0", "1-1", "2-0", "2-1"]],
    ["a limit, then tasks", { limit: 10, tasks: "8-9" }, {}, ["8-0", "8-1", "9-0", "9-1"]],
    ["tasks in rounds", { tasks: "1-2", interleave_repeats: true }, {}, ["1-0", "2-0", "1-1", "2-1"]],
    ["more than there is", { sample: 99, tasks: "3" }, {}, ["3-0", "3-1"]],
  ] as const
) {
  Deno.test(`prepareRun() selects ${what}, with the numbers of the whole input`, async () => {
    assert.deepEqual(await planned(set, files), want);
  });
}

Deno.test("prepareRun() draws tasks with all their rows, and the parts of an input are the whole", async () => {
  const whole = await planned({});
  const parts = [...await planned({ tasks: "0-4" }), ...await planned({ tasks: "5-9" })];
  assert.deepEqual(parts, whole);
  const drawn = await planned({ sample: 3, sample_seed: 4 });
  assert.deepEqual(await planned({ sample: 3, sample_seed: 4 }), drawn);
  const tasks = new Set(drawn.map((name) => name.split("-")[0]));
  assert.equal(tasks.size, 3);
  assert.deepEqual(drawn, whole.filter((name) => tasks.has(name.split("-")[0])));
});

Deno.test("prepareRun() shuffles tasks, the same way for the same seed, and keeps a task's rollouts in order", async () => {
  const whole = await planned({}), shuffled = await planned({ shuffle_seed: 1 });
  assert.notDeepEqual(shuffled, whole);
  assert.deepEqual([...shuffled].sort(), [...whole].sort());
  assert.deepEqual(await planned({ shuffle_seed: 1 }), shuffled);
  assert.notDeepEqual(await planned({ shuffle_seed: 2 }), shuffled);
  const of9 = shuffled.filter((name) => name.startsWith("9-"));
  assert.deepEqual(of9, ["9-0", "9-1", "9-2", "9-3"]);
});

Deno.test("prepareRun() reaches no server that only tasks outside of the sample go to", async () => {
  const files = {
    "in.jsonl": Array.from({ length: 20 }, (_, n) => `${row(n % 2 ? "a" : "b", `,"n":${n}`)}\n`).join(""),
  };
  using fake = world({ files });
  const { plan, index } = await prepare(fake, { sample: 1 });
  assert.deepEqual([plan.routes.length, plan.perRoute, plan.permissions.net.length], [1, [1], 1]);
  assert.deepEqual([index.columns.route[0], plan.tasks, plan.selected], [0, 20, 1]);
  const [line] = fake.text("out/r_materialized_inputs.jsonl.new").trim().split("\n");
  assert.equal(JSON.parse(line!).agent_ref.name, plan.routes[0]!.server);
});
