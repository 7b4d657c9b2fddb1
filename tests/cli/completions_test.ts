import assert from "node:assert/strict";
import { FakeWorld } from "../fakes/fake_world.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { allFlags, longName } from "../../src/config/flags.ts";

async function printed(...args: string[]): Promise<string> {
  using fake = new FakeWorld({ args });
  assert.equal(await fake.run(), 0);
  assert.equal(fake.terminal.stderr, "");
  return fake.terminal.stdout;
}

/** What bash offers for the last of these words, in a folder with a file and a folder. */
async function offered(...words: string[]): Promise<string[]> {
  using fake = new FakeWorld({ files: { "tasks.jsonl": "", "runs/a.jsonl": "" } });
  const script = `${await printed("completions", "bash")}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rollcall
    (( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const bash = await new Deno.Command("bash", {
    args: ["--norc", "-c", script, "bash", ...words],
    cwd: fake.folder,
  }).output();
  return new TextDecoder().decode(bash.stdout).split("\n").filter(Boolean);
}

const NAMES = [...COMMANDS.map(({ name }) => name), "help"];

for (
  const [words, wanted] of [
    [["c"], ["collect", "compare", "completions"]],
    [["collect", "--retry-t"], ["--retry-terminal-timeouts"]],
    [["collect", "--limit", "1", "--dry"], ["--dry-run"]],
    [["status", "--"], ["--json", "--help"]],
    [["health", ""], ["runs"]],
    [["collect", "--skills", ""], ["runs"]],
    [["collect", "--skills", "=", "r"], ["runs"]],
    [["completions", ""], ["bash", "zsh", "fish"]],
    [["help", "pl"], ["plan"]],
    [["collect", "--connection-reuse", ""], ["auto", "never", "always"]],
    [["plan", "--environment-routing-mode", "=", "l"], ["legacy"]],
    [["eval", ""], ["run", "aggregate", "health-check", "profile", "compare"]],
    // bash itself offers files.
    [["collect", "-i", ""], []],
    [["collect", "-c", ""], []],
  ] as const
) {
  Deno.test(`bash offers ${wanted.join(", ") || "nothing"} for rollcall ${words.join(" ")}`, async () => {
    assert.deepEqual(await offered("rollcall", ...words), wanted);
  });
}

Deno.test("bash offers all commands, and every flag that help shows", async () => {
  assert.deepEqual((await offered("rollcall", "")).filter((word) => !word.startsWith("-")), NAMES);
  for (const [command, keys] of [["collect", "collect"], ["aggregate", "aggregate"]] as const) {
    const flags = await offered("rollcall", command, "--");
    const shown = allFlags(keys).filter(({ hidden }) => !hidden).map(({ flag }) => longName(flag));
    assert.deepEqual(flags, ["--config", ...shown, "--help"]);
  }
});

for (const shell of ["bash", "zsh", "fish"]) {
  Deno.test(`completions ${shell} names every command, and is code that the shell takes where it is installed`, async () => {
    const script = await printed("completions", shell);
    for (const name of NAMES) assert.match(script, new RegExp(`\\b${name}\\b`));
    using fake = new FakeWorld({ files: { script } });
    const path = `${fake.folder}/script`;
    const checked = await new Deno.Command("sh", {
      args: ["-c", `command -v ${shell} >/dev/null || exit 0; ${shell} -n "$1"`, "sh", path],
    }).output();
    assert.deepEqual([checked.code, new TextDecoder().decode(checked.stderr)], [0, ""]);
  });
}

Deno.test("man names every command with its examples, and every flag that help shows", async () => {
  const page = (await printed("man")).replaceAll("\\-", "-");
  for (const { name, examples, exitCodes } of COMMANDS) {
    assert.ok(page.includes(`.SS "rollcall ${name} `), name);
    for (const [about] of examples) assert.ok(page.includes(`# ${about}\n`), about);
    for (const [, meaning] of exitCodes) assert.ok(page.includes(`${meaning}\n`), meaning);
  }
  for (const { flag, hidden } of allFlags()) {
    assert.equal(page.includes(`.B ${flag.spelling}\n`), !hidden, flag.spelling);
  }
});

Deno.test("man holds nothing that roff would take for its own, and ASCII only", async () => {
  const page = await printed("man");
  assert.doesNotMatch(page, /[^\n\x20-\x7e]/);
  for (const line of page.split("\n").filter((line) => /^[.']/.test(line))) {
    assert.match(line, /^\.(TH|SH|SS|TP|PP|B|I|nf|fi|RS|RE)\b/);
  }
});
