import assert from "node:assert/strict";
import { run } from "../../src/cli/rollcall.ts";
import type { World } from "../../src/ports/world.ts";
import { FakeWorld, type FakeWorldOptions, headAnswer } from "../fakes/fake_world.ts";

const HEAD = "http://127.0.0.1:11000/global_config_dict_yaml";
const ROW = '{"agent_ref":{"name":"a"},"responses_create_params":{"input":"x"}}\n';
const SERVERS = { a: { responses_api_agents: { simple: { host: "127.0.0.1", port: 8001 } } } };

function world(args: string, options: FakeWorldOptions = {}): FakeWorld {
  return new FakeWorld({
    args: args.split(" ").filter(Boolean),
    ...options,
    files: { "in.jsonl": ROW, ...options.files },
    answers: { [HEAD]: headAnswer(SERVERS), ...options.answers },
  });
}

for (
  const [args, options, message] of [
    ["collect", {}, /^Cannot use this configuration:\n {2}input_jsonl_fpath: is missing/],
    ["colect", {}, /^There is no command "colect"/],
    ["collect --nosuch", {}, /^There is no flag --nosuch/],
    ["collect -i x -o out/r.jsonl", {}, /^Cannot find x/],
    ["plan -i x -o out/r.jsonl", {}, /^Cannot find x/],
    [
      "collect -i folder -o new/r.jsonl",
      { files: { "folder/": "" } },
      /^Cannot use folder .* it is a folder/,
    ],
    ["collect -i in.jsonl -o new/r.jsonl --head h:1", {}, /^Cannot reach the head server at http:\/\/h:1\//],
    ["collect -i in.jsonl -o new/deep/r.jsonl --agent b", {}, /There is no agent "b" \(did you mean "a"\?\)/],
    [
      "collect -i in.jsonl -o file/r.jsonl",
      { files: { "file": "" } },
      /^Cannot make the output folder .*\/file: there is a file of that name\.$/,
    ],
    [
      "collect -i in.jsonl -o file/new/r.jsonl",
      { files: { "file": "" } },
      /^Cannot make the output folder .*\/file\/new: /,
    ],
    ["collect -i in.jsonl -o in.jsonl", {}, /^The input in\.jsonl is one of the files/],
    ["collect -i in.jsonl -o -", {}, /^output_jsonl_fpath must name a file: .* \.\/-$/],
    ["plan -i in.jsonl -o -", {}, /^output_jsonl_fpath must name a file/],
    ["aggregate --input-glob *.jsonl -o - --offline", {}, /^output_jsonl_fpath must name a file/],
    [
      "collect -i in.jsonl -o /dev/null",
      {},
      /^output_jsonl_fpath must name a file, and \/dev\/null is a device/,
    ],
    ["", { name: "ng_status" }, /^This is rollcall, called as ng_status/],
    ["eval run -i in.jsonl", {}, /^Starting the servers is not available yet/],
  ] as [string, FakeWorldOptions, RegExp][]
) {
  Deno.test(`run() ${options.name ?? "rollcall"} ${args}: the error on standard error, code 2, nothing left`, async () => {
    using fake = world(args, options);
    const before = fake.list();
    assert.equal(await fake.run(), 2);
    assert.equal(fake.terminal.stdout, "");
    const said = /(?:^|\n)rollcall: ([\s\S]*)\n$/.exec(fake.terminal.stderr);
    assert.ok(said, fake.terminal.stderr);
    assert.match(said[1]!, message);
    assert.doesNotMatch(fake.terminal.stderr, /\n\s+at /);
    assert.deepEqual(fake.list(), before);
    assert.equal(fake.listens, false);
  });
}

Deno.test("run() makes nothing, not for a moment, when the input is of no use", async () => {
  for (const input of ["nosuch", "folder"]) {
    using fake = world(`collect -i ${input} -o new/r.jsonl`, { files: { "folder/": "" } });
    assert.equal(await fake.run(), 2);
    assert.deepEqual(fake.done.filter((step) => /^(makeFolder|lock|create|remove)/.test(step)), []);
    assert.deepEqual(fake.asked, []);
  }
});

Deno.test("run() plan says what would be done on standard output, and does nothing", async () => {
  for (const args of ["plan -i in.jsonl -o new/r.jsonl", "collect --dry-run -i in.jsonl -o new/r.jsonl"]) {
    using fake = world(args);
    const before = fake.list();
    assert.equal(await fake.run(), 0);
    assert.match(fake.terminal.stdout, /^1 row, 1 task, 1 rollout/);
    assert.match(fake.terminal.stdout, /http:\/\/127\.0\.0\.1:8001\/run/);
    assert.deepEqual(fake.list(), before);
  }
});

Deno.test("run() plan --json prints one JSON object without anything secret", async () => {
  using fake = world("plan -i in.jsonl -o new/r.jsonl --json policy_api_key=hush");
  assert.equal(await fake.run(), 0);
  assert.equal(JSON.parse(fake.terminal.stdout).rollouts, 1);
  assert.doesNotMatch(fake.terminal.stdout + fake.terminal.stderr, /hush/);
});

Deno.test("run() tells notes, Gym's flags among them, without their values", async () => {
  using fake = world(
    "eval run --no-serve --config c.yaml --model-api-key hush -i in.jsonl -o r.jsonl --dry-run +verbose=true",
    { files: { "c.yaml": "policy_api_key: hush\n" } },
  );
  assert.equal(await fake.run(), 0);
  assert.match(fake.terminal.stderr, /Ignored.*:\n {2}--model-api-key\n/);
  assert.match(
    fake.terminal.stderr,
    /belong to the servers:\n {2}policy_api_key \(c\.yaml\)\n {2}\+verbose=…\n/,
  );
  assert.doesNotMatch(fake.terminal.stderr, /hush/);
});

Deno.test("run() called through a link named ng_collect_rollouts takes words, and folders to search in", async () => {
  using fake = world(
    "+input_jsonl_fpath=d/x.jsonl +output_jsonl_fpath=r.jsonl +dry_run=true --search-dir first",
    {
      name: "/usr/bin/ng_collect_rollouts",
      env: { NEMO_GYM_EXTRA_ROOTS: "second" },
      files: { "first/d/x.jsonl": ROW, "second/d/x.jsonl": "[]" },
    },
  );
  assert.equal(await fake.run(), 0, fake.terminal.stderr);
  assert.match(fake.terminal.stdout, /^1 row/);
});

Deno.test("run() stopped before anything is sent leaves everything as it was", async () => {
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 75], ["SIGUSR1", 75]] as const) {
    using fake = world("collect -i in.jsonl -o new/r.jsonl");
    const before = fake.list();
    const asked = Promise.withResolvers<void>();
    const hanging: World = {
      ...fake.world,
      get: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    };
    const ended = run(hanging);
    await asked.promise;
    assert.ok(fake.list().includes("new/r.lock"));
    fake.signal(signal);
    assert.equal(await ended, code);
    assert.match(fake.terminal.stderr, new RegExp(`Stopped by ${signal} before anything was sent`));
    assert.deepEqual(fake.list(), before);
    assert.equal(fake.listens, false);
  }
});

for (
  const args of [
    "collect -i in.jsonl -o new/r.jsonl",
    "collect --dry-run -i in.jsonl -o new/r.jsonl",
    "plan -i in.jsonl -o new/r.jsonl",
    "aggregate --input-glob *.jsonl -o new/r.jsonl",
    "status new/r.jsonl",
    "health .",
    "demo",
  ]
) {
  Deno.test(`run() ${args}: a signal that came before it stops it at once, and nothing was touched`, async () => {
    for (const [signalled, code] of [["SIGINT", 130], ["SIGTERM", 75], ["SIGUSR1", 75]] as const) {
      using fake = world(args, { signalled });
      const before = fake.list();
      assert.equal(await fake.run(), code);
      assert.equal(
        fake.terminal.stderr,
        `Stopped by ${signalled} before anything was sent. Nothing was touched.\n`,
      );
      assert.deepEqual(fake.list(), before);
      assert.equal(fake.listens, false);
    }
  });
}

Deno.test("run() can be stopped while a configuration file does not come", async () => {
  using fake = world("collect --config c.json -i in.jsonl -o new/r.jsonl");
  const before = fake.list(), reading = Promise.withResolvers<void>();
  const hanging: World = {
    ...fake.world,
    disk: new Proxy(fake.world.disk, {
      get: (target, member: keyof World["disk"]) =>
        member === "readText"
          ? () => {
            reading.resolve();
            return new Promise(() => {});
          }
          : target[member],
    }),
  };
  const ended = run(hanging);
  await reading.promise;
  fake.signal("SIGTERM");
  assert.equal(await ended, 75);
  assert.deepEqual(fake.list(), before);
});

Deno.test("run() leaves signals to the system for commands that send nothing", async () => {
  for (const args of ["plan -i in.jsonl -o r.jsonl", "status r.jsonl", "health ."]) {
    using fake = world(args);
    let listened: boolean | undefined;
    const looking: World = {
      ...fake.world,
      disk: new Proxy(fake.world.disk, {
        get: (target, member: keyof World["disk"]) => {
          listened ??= fake.listens;
          return target[member];
        },
      }),
    };
    await run(looking);
    assert.equal(listened, false, args);
  }
});

Deno.test("run() says an error of the system's in one line, without a stack: 2, or 1 once a collector was started", async () => {
  const full = () =>
    Object.assign(new Error("No space left on device (os error 28): open '/x/y'"), { code: "ENOSPC" });
  using fake = world("collect -i in.jsonl -o new/r.jsonl");
  const failing: World = {
    ...fake.world,
    disk: new Proxy(fake.world.disk, {
      get: (target, member: keyof World["disk"]) =>
        member === "lock" ? () => Promise.reject(full()) : target[member],
    }),
  };
  const before = fake.list();
  assert.equal(await run(failing), 2);
  assert.equal(fake.terminal.stderr, "rollcall: No space left on device (/x/y).\n");
  assert.deepEqual(fake.list(), before);

  using late = world("collect -i in.jsonl -o new/r.jsonl");
  const breaking: World = {
    ...late.world,
    startCollector: () => {
      throw new Deno.errors.NotCapable(
        'Requires read access to "/x\ny", run again with the --allow-read flag',
      );
    },
  };
  assert.equal(await run(breaking), 1);
  assert.equal(late.terminal.stderr, "rollcall: no permission for it (read access) (/x y).\n");
});

Deno.test("run() takes controls and colours out of what it says of an error", async () => {
  using fake = world("collect -i in.jsonl -o new/r.jsonl");
  const breaking: World = {
    ...fake.world,
    startCollector: (_, hear) => {
      queueMicrotask(() => hear({ kind: "crashed", message: "boo\x1b[2J\x07\nand" }));
      return { send() {}, terminate() {} };
    },
  };
  assert.equal(await run(breaking), 1);
  assert.equal(fake.terminal.stderr, "rollcall: boo\nand\n");
});

Deno.test("run() ends with 1 when the collector breaks, and cleans up what was only prepared", async () => {
  using fake = world("collect -i in.jsonl -o new/r.jsonl");
  const before = fake.list();
  const breaking: World = {
    ...fake.world,
    startCollector: (_, hear) => {
      queueMicrotask(() => hear({ kind: "crashed", message: "the disk has gone" }));
      return { send() {}, terminate() {} };
    },
  };
  assert.equal(await run(breaking), 1);
  assert.match(fake.terminal.stderr, /rollcall: the disk has gone\n$/);
  assert.deepEqual(fake.list(), before);
});

Deno.test("run() lets faults of its own through, and still cleans up", async () => {
  using fake = world("collect -i in.jsonl -o new/r.jsonl");
  const before = fake.list();
  const broken: World = {
    ...fake.world,
    startCollector: () => {
      throw new TypeError("a fault of ours");
    },
  };
  await assert.rejects(run(broken), TypeError);
  assert.deepEqual(fake.list(), before);
  assert.equal(fake.listens, false);
});

Deno.test("run() demo collects over real HTTP: progress and summary on standard error, JSON on standard output", async () => {
  using fake = new FakeWorld({ args: ["demo", "--count", "12", "--json"], collector: true });
  assert.equal(await fake.run(), 0, fake.terminal.stderr);
  JSON.parse(fake.terminal.stdout);
  assert.match(fake.terminal.stderr, /^A Gym-like server on http:\/\/127\.0\.0\.1:\d+, 12 tasks/);
  const files = fake.list();
  for (const name of ["tasks.jsonl", "rollouts.jsonl", "rollouts_materialized_inputs.jsonl"]) {
    assert.ok(files.includes(`rollcall-demo/${name}`), name);
  }
  assert.ok(!files.some((path) => /\.(lock|new|unordered)$/.test(path)), files.join());
  assert.equal(fake.listens, false);
});
