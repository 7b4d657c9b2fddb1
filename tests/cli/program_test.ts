import assert from "node:assert/strict";
import { EXIT_CODES } from "../../src/cli/exit_code.ts";
import type { AnyCommand, Context } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { readConfiguration } from "../../src/cli/configured.ts";
import { runProgram } from "../../src/cli/program.ts";
import { Signals } from "../../src/cli/signals.ts";
import type { AggregateConfig, Config } from "../../src/config/config.ts";
import { allFlags } from "../../src/config/flags.ts";
import { keysOf } from "../../src/config/keys.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { FakeWorld, type FakeWorldOptions } from "../fakes/fake_world.ts";

/** What `--version` says from the sources. */
const VERSIONS =
  /^rollcall \d+\.\d+\.\d+ \(commit unknown\)\n.* NeMo Gym 0\.7\.0\nDeno \d+\.\d+\.\d+, \S+\n$/;

/** A call of a command. */
interface Called {
  readonly name: string;
  /** Its options; the configuration of those that have one. */
  readonly given: unknown;
  readonly notes: readonly string[];
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly called: readonly Called[];
}

/** Commands with a configuration, each with whose keys it takes. */
const CONFIGURED = { collect: "collect", plan: "collect", aggregate: "aggregate" } as const;

/** Runs the program with commands that do nothing but remember what they were given. */
async function ran(
  args: readonly string[],
  options: FakeWorldOptions = {},
  gymFiles?: Context["gymFiles"],
): Promise<Ran> {
  using fake = new FakeWorld({ ...options, args });
  const called: Called[] = [];
  const remembering = COMMANDS.map((command): AnyCommand => ({
    ...command,
    async run(given, context) {
      const keys = CONFIGURED[command.name as keyof typeof CONFIGURED];
      if (keys) {
        const { config, notes } = await readConfiguration(given, keys, context);
        called.push({ name: command.name, given: config, notes });
      } else called.push({ name: command.name, given, notes: context.notes });
      return 7;
    },
  }));
  const { world } = fake, signals = new Signals(world);
  try {
    const context = {
      world,
      signals,
      notes: ["before"],
      touched: () => {},
      ...(gymFiles ? { gymFiles } : {}),
    };
    const code = await runProgram(remembering, context);
    return { code, stdout: fake.terminal.stdout, stderr: fake.terminal.stderr, called };
  } finally {
    signals.close();
  }
}

/** The configuration that `collect` gets, input and output given as well. */
async function config(args: readonly string[], options: FakeWorldOptions = {}): Promise<Config> {
  const { called } = await ran(["collect", "-i", "in.jsonl", "-o", "out.jsonl", ...args], options);
  return called[0]!.given as Config;
}

async function refused(args: readonly string[], options: FakeWorldOptions = {}): Promise<string> {
  try {
    const { stderr } = await ran(args, options);
    throw new Error(`it was taken: ${stderr}`);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
}

for (const { name, examples, exitCodes } of COMMANDS) {
  Deno.test(`${name} --help fits into 80 columns, has two or three examples, and its exit codes`, async () => {
    const { code, stdout, stderr, called } = await ran([name, "--help"]);
    assert.deepEqual([code, stderr, called], [0, "", []]);
    // Names of keys are not cut in two.
    const tooWide = stdout.split("\n").filter((line) => line.length > 80 && !/\[[a-z_.]+\]$/.test(line));
    assert.deepEqual(tooWide, []);
    assert.ok(examples.length >= 2 && examples.length <= 3);
    for (const [about, command] of examples) {
      assert.ok(stdout.includes(`  # ${about}\n  ${command}\n`), about);
    }
    for (const [code, meaning] of exitCodes) assert.ok(stdout.includes(`${code}  ${meaning}`), meaning);
  });

  for (const [about, line] of examples) {
    if (!line.startsWith("rollcall ") || name === "eval") continue;
    Deno.test(`${name}'s example is taken: ${about}`, async () => {
      const args = line.replace(/ [|>] .*/, "").replaceAll("\\\n", "").split(/\s+/).slice(1).map((arg) =>
        arg.replaceAll("'", "")
      );
      assert.deepEqual((await ran(args)).called.map(({ name }) => name), [name]);
    });
  }
}

for (const [command, keys] of Object.entries(CONFIGURED)) {
  Deno.test(`${command} --help shows every flag that does something once, with its key, and no other`, async () => {
    const { stdout } = await ran([command, "--help"]);
    for (const { flag, key, hidden } of allFlags(keys)) {
      const shown = stdout.split("\n").filter((line) => line.trim().startsWith(`${flag.spelling} `)).length;
      const isIdle = command === "plan" && ["dry_run", "quiet"].includes(key);
      assert.equal(shown, hidden || isIdle ? 0 : 1, flag.spelling);
      if (!hidden && !isIdle) assert.ok(stdout.includes(`[${key}${flag.at ? `.${flag.at}` : ""}]`), key);
    }
    assert.match(stdout, /--config <file>/);
  });
}

for (
  const [args, message] of [
    [
      "collect -i u0.jsonl -i u1.jsonl",
      /^--input takes one value and was given two: u0\.jsonl and u1\.jsonl\./,
    ],
    [
      "collect --proxy http://u:hush@h:1 --proxy=http://h:2",
      /^--proxy .*: http:\/\/•••@h:1 and http:\/\/h:2\./,
    ],
    ["collect --rollout-collection-driver a --rollout-collection-driver b", /given two: ••• and •••\./],
    ["demo --count 1 --count 2", /^--count .*: 1 and 2\./],
    ["health runs --rollouts-file a --rollouts-file b", /^--rollouts-file .*: a and b\./],
    ["init -n 1 -n 2", /^--num-repeats .*: 1 and 2\./],
  ] as const
) {
  Deno.test(`a flag that keeps one value is not given two: rollcall ${args}`, async () => {
    assert.match(await refused(args.split(" ")), message);
  });
}

Deno.test("demo --resume refuses --count, which would change nothing", async () => {
  using fake = new FakeWorld({
    args: ["demo", "--count", "7", "--resume"],
    files: { "rollcall-demo/tasks.jsonl": "" },
  });
  assert.equal(await fake.run(), 2);
  assert.match(fake.terminal.stderr, /--count does not go with --resume/);
});

Deno.test("a flag may be given the same value twice, and flags that add to a map several", async () => {
  const twice = await config(["-c", "4", "-c", "4", "--server", "a=http://h:1", "--server", "b=http://h:2"]);
  assert.deepEqual([twice.num_samples_in_parallel, Object.keys(twice.servers)], [4, ["a", "b"]]);
});

Deno.test("a flag given two values in Gym's spelling has the last, as in Gym, and says so", async () => {
  const { called } = await ran(["collect", "-i", "a", "-i", "b", "-o", "c"], {}, []);
  assert.equal((called[0]!.given as Config).input_jsonl_fpath, "b");
  assert.match(called[0]!.notes.join("\n"), /--input .*: a and b: the last one counts, as in Gym/);
});

/** What rollcall itself says to these arguments. */
async function told(args: string): Promise<string> {
  using fake = new FakeWorld({ args: args.split(" ") });
  assert.equal(await fake.run(), 0);
  return fake.terminal.stdout;
}

for (
  const [args, wanted, absent] of [
    [
      "eval run --help",
      /^Usage: rollcall eval run --no-serve \[options\][^]*Gym's own flags:\n +--no-serve +needed/,
      /rollcall collect/,
    ],
    [
      "help eval run",
      /^Usage: rollcall eval run --no-serve [^]*-m, --model <name> +for starting servers/,
      /rollcall collect/,
    ],
    ["eval aggregate -h", /^Usage: rollcall eval aggregate \[/, /--benchmark|rollcall aggregate/],
    [
      "eval health-check --help",
      /^Usage: rollcall eval health-check \[options\] \[run_dir\]/,
      /--config|rollcall health /,
    ],
    ["eval --help", /run.*aggregate.*health-check/s, /nothing/],
    ["help eval", /run.*aggregate.*health-check/s, /nothing/],
    ["aggregate --help", /--output-jsonl-fpath/, /--resume|--limit|num-samples/],
    ["demo --help", /0 {2}done\n/, /--drain-exit-code/],
    ["plan --help", /--json +the plan/, /--dry-run|--quiet|the summary/],
    ["doctor --help", /--json +what was found/, /--dry-run|--quiet|the summary/],
  ] as const
) {
  Deno.test(`help is true of the command that was asked about: rollcall ${args}`, async () => {
    const text = await told(args);
    assert.match(text, wanted);
    assert.doesNotMatch(text, absent);
  });
}

Deno.test("help is as wide as the terminal", async () => {
  const widest = async (command: string, columns: number) => {
    using fake = new FakeWorld({ args: [command, "--help"] });
    fake.terminal.columns = () => columns;
    await fake.run();
    const wrapped = fake.terminal.stdout.replace(/^Examples:[^]*?\n\n/m, "");
    return Math.max(...wrapped.split("\n").map((line) => line.length));
  };
  assert.ok(await widest("demo", 50) <= 50);
  assert.ok(await widest("collect", 140) > 100);
});

Deno.test("--help shows keys under the headings of the table, in its order", async () => {
  const { stdout } = await ran(["collect", "-h"]);
  const at = keysOf("collect").map((key) => stdout.indexOf(`[${key}`)).filter((at) => at >= 0);
  assert.deepEqual(at, at.toSorted((a, b) => a - b));
});

for (
  const [args, code] of [
    [["--help"], 0],
    [["-h"], 0],
    [["help"], 0],
    [["help", "collect"], 0],
    [["collect", "-h"], 0],
    [["demo", "--help"], 0],
    [["status", "--help"], 0],
    [["eval", "--help"], 0],
    [["--version"], 0],
    [["-V"], 0],
    [[], 2],
  ] as const
) {
  Deno.test(`rollcall ${args.join(" ")} shows what was asked for, exit code ${code}`, async () => {
    const { code: got, stdout, stderr, called } = await ran(args);
    assert.equal(got, code);
    assert.deepEqual(called, []);
    // What was asked for goes to standard output, what explains an error to standard error.
    assert.match(
      code === 0 ? stdout : stderr,
      args.some((arg) => /V|version/.test(arg)) ? VERSIONS : /Usage: rollcall/,
    );
    assert.equal(code === 0 ? stderr : stdout, "");
  });
}

Deno.test("rollcall --help shows all commands and exit codes", async () => {
  const { stdout } = await ran(["--help"]);
  for (const command of COMMANDS.map(({ name }) => name)) {
    assert.match(stdout, new RegExp(`^  ${command} `, "m"));
  }
  for (const [code] of EXIT_CODES) assert.match(stdout, new RegExp(`^ +${code}  `, "m"));
});

Deno.test("a command gets its configuration and all notes, and its exit code is the program's", async () => {
  const { code, called, stdout, stderr } = await ran([
    "collect",
    "-i",
    "a",
    "--output=b",
    "+limit=3",
    "policy_model_name=x",
  ]);
  assert.equal(code, 7);
  const [{ name, given, notes }] = called as [Called];
  const { input_jsonl_fpath, output_jsonl_fpath, limit } = given as Config;
  assert.deepEqual([name, input_jsonl_fpath, output_jsonl_fpath, limit], ["collect", "a", "b", 3]);
  assert.equal(notes[0], "before");
  assert.match(notes[1]!, /Ignored.*\n {2}policy_model_name=…$/s);
  assert.deepEqual([stdout, stderr], ["", ""]);
});

Deno.test("collect takes flags, files and words in any order, words winning over flags", async () => {
  const given = await config(
    [
      "+limit=4",
      "--config",
      "a.yaml",
      "-n4",
      "--limit",
      "1",
      "--config=b.json",
      "-c",
      "8",
      "+grace_s=1",
    ],
    {
      files: {
        "a.yaml": "num_samples_in_parallel: 1\nproxy: http://p:1\n",
        "b.json": '{"drain_margin_s": 5,}',
      },
    },
  );
  assert.deepEqual(
    [
      given.limit,
      given.num_repeats,
      given.num_samples_in_parallel,
      given.proxy,
      given.drain_margin_s,
      given.grace_s,
    ],
    [4, 4, 8, "http://p:1", 5, 1],
  );
});

Deno.test("collect takes every switch, the negative ones too, and keys by their own names", async () => {
  const given = await config([
    "--no-health-check",
    "--no-upload-rollouts",
    "--resume",
    "--add-seed",
    "-q",
    "--num-samples-in-parallel",
    "3",
    "--retry-window-s=4",
  ]);
  assert.deepEqual(
    [
      given.disable_health_check,
      given.upload_rollouts,
      given.resume_from_cache,
      given.num_repeats_add_seed,
      given.quiet,
      given.num_samples_in_parallel,
      given.retry_window_s,
    ],
    [true, false, true, true, true, 3, 4],
  );
});

Deno.test("collect takes a value that starts with a dash, and one that is a word", async () => {
  const args = ["collect", "--agent", "-x", "--prompt-config", "a=b.yaml", "-i", "-", "-o", "out.jsonl"];
  const given = (await ran(args)).called[0]!.given as Config;
  assert.deepEqual([given.agent_name, given.prompt_config, given.input_jsonl_fpath], ["-x", "a=b.yaml", "-"]);
});

Deno.test("what stands behind -- are words, whatever they look like", async () => {
  assert.equal((await config(["--", "+limit=3"])).limit, 3);
  assert.match(
    await refused(["collect", "--", "--limit"]),
    /rollcall does not understand these arguments:\n {2}--limit\n/,
  );
});

Deno.test("references in the configuration see the environment", async () => {
  assert.equal((await config(["+agent_name=${oc.env:WHO}"], { env: { WHO: "me" } })).agent_name, "me");
});

Deno.test("plan gets a configuration like collect, aggregate one of its own", async () => {
  const [plan] = (await ran(["plan", "-i", "a", "-o", "b"])).called;
  assert.equal((plan!.given as Config).input_jsonl_fpath, "a");
  const [aggregate] = (await ran(["aggregate", "-i", "a*", "-o", "b"])).called;
  const score = aggregate!.given as AggregateConfig;
  assert.deepEqual([score.input_glob, score.output_jsonl_fpath, score.merge_shards], ["a*", "b", true]);
});

Deno.test("status and demo get their options", async () => {
  const given = async (...args: string[]) => (await ran(args)).called.map(({ given }) => given);
  assert.deepEqual(await given("status", "r.jsonl", "--json"), [{ outputs: ["r.jsonl"], json: true }]);
  assert.deepEqual(await given("demo", "--count", "5", "-q"), [{
    count: 5,
    resume: false,
    retry: [],
    retryExhausted: false,
    quiet: true,
    json: false,
  }]);
  assert.deepEqual(await given("demo"), [{
    resume: false,
    retry: [],
    retryExhausted: false,
    quiet: false,
    json: false,
  }]);
  assert.deepEqual(await given("health", "out"), [
    {
      folder: "out",
      explain: undefined,
      rollouts: "rollouts.jsonl",
      ignored: [""],
      workers: undefined,
      json: false,
    },
  ]);
  assert.deepEqual(
    await given(
      "health",
      "out",
      "--rollouts-file",
      "a.jsonl",
      "--ignore-checks",
      "a,b",
      "--workers",
      "2",
      "--json",
    ),
    [{ folder: "out", explain: undefined, rollouts: "a.jsonl", ignored: ["a", "b"], workers: 2, json: true }],
  );
});

for (
  const [args, message] of [
    [
      ["colect"],
      /^There is no command "colect" \(did you mean "collect"\?\)\. The commands are collect, plan, /,
    ],
    [["colect", "--help"], /^There is no command "colect" \(did you mean "collect"\?\)/],
    [["help", "nosuch"], /^There is no command "nosuch"\. The commands are /],
    [["tasks.jsonl"], /^There is no command "tasks\.jsonl"\. The commands are /],
    [["run", "dir"], /^The command run is not available yet in this version\.$/],
    [["+limit=3"], /^A command comes first: rollcall collect \+limit=… …$/],
    [["--input", "x"], /^--input is a flag of a command, which comes first: rollcall collect --input …$/],
    [["--nosuch"], /^There is no flag --nosuch\. rollcall --help lists all flags\.$/],
    [["--verson"], /^There is no flag --verson \(did you mean "--version"\?\)/],
    [
      ["collect", "--inptu", "x"],
      /^There is no flag --inptu \(did you mean "--input"\?\)\. rollcall collect --help lists all flags\.$/,
    ],
    [["collect", "--num_repeats", "3"], /did you mean "--num-repeats"\?/],
    [["collect", "-limit", "3"], /^There is no flag -limit \(did you mean "--limit"\?\)/],
    [["collect", "-x"], /^There is no flag -x\. /],
    [["collect", "--no-health-check=3"], /^--no-health-check takes no value\.$/],
    [["collect", "--input"], /^--input needs a value: --input <file>$/],
    [["collect", "-i"], /^--input needs a value: --input <file>$/],
    [["collect", "-i", "-o", "x"], /^--input needs a value, and what follows it is the flag -o\.$/],
    [
      ["collect", "--limit", "--resume"],
      /^--limit needs a value, and what follows it is the flag --resume\.$/,
    ],
    [["demo", "--count"], /^--count needs a value: --count <n>$/],
    [["demo", "--count", "0"], /^--count: needs a whole number, 1 or more, got 0$/],
    [["demo", "x"], /too many arguments for 'demo'/],
    [["status"], /^rollcall status needs <output>\. rollcall status --help /],
    [["completions", "tcsh"], /^'tcsh' is not a shell\. There are: bash, zsh, fish\.$/],
    [
      ["collect", "tasks.jsonl", "+limit=1", "out.jsonl"],
      /^rollcall does not understand these arguments:\n {2}tasks\.jsonl\n {2}out\.jsonl\nAn override is key=value; .*--input FILE/,
    ],
    [["collect", "./a=b.jsonl"], /^rollcall does not understand these arguments:\n {2}\.\/a=b\.jsonl\n/],
    [["aggregate", "a*.jsonl"], /--input-glob PATTERN/],
    [
      ["collect", "--limit", "abc"],
      /^Cannot use this configuration:\n {2}--limit: needs a number, got "abc"\n/,
    ],
    [
      ["collect", "--config", "nosuch.yaml"],
      /^Cannot read the configuration file nosuch\.yaml: No such file/,
    ],
    [["collect", "+num_repeat=4"], /\+num_repeat=…: there is no such key \(did you mean "num_repeats"\?\)/],
  ] as [string[], RegExp][]
) {
  Deno.test(`rollcall ${args.join(" ")} is refused`, async () => assert.match(await refused(args), message));
}

Deno.test("no error repeats what stands behind a flag or word that there is not", async () => {
  for (
    const args of [
      ["collect", "--wandb-api-kee=hush"],
      ["collect", "--nosuch=hush"],
      ["--nosuch=hush"],
      ["collect", "+nosuch=hush"],
      ["+wandb_api_key=hush"],
      ["aggregate", "--wandb-api-key=hush"],
    ]
  ) assert.doesNotMatch(await refused(args), /hush/);
});
