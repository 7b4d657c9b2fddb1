import assert from "node:assert/strict";
import { readConfigFile, readConfigFiles, readYaml } from "../../src/prepare/config_files.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

async function read(path: string, content: string | Uint8Array): Promise<unknown> {
  using fake = new FakeWorld({ files: { [path]: content } });
  return (await readConfigFile(path, fake.world)).value;
}

async function refused(path: string, content: string | Uint8Array): Promise<string> {
  try {
    await read(path, content);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
  throw new Error("it was read");
}

for (
  const [what, path, content, value] of [
    ["JSON", "a.json", '{"limit": 3}', { limit: 3 }],
    ["comments and trailing commas", "a.jsonc", '// c\n{"a": [1, 2,], /* d */ "b": "//",}\n', {
      a: [1, 2],
      b: "//",
    }],
    ["a byte-order mark and CRLF", "a.json", '\uFEFF{\r\n"limit": 3\r\n}\r\n', { limit: 3 }],
    ["JSON whatever the name", "conf", '{"limit": 3}', { limit: 3 }],
    ["YAML", "a.yaml", "limit: 3 # c\nagent_map:\n  a: b\n", { limit: 3, agent_map: { a: "b" } }],
    ["YAML by its other names", "A.YML", "limit: 3\n", { limit: 3 }],
    ["YAML with a byte-order mark", "a.yml", "\uFEFFlimit: 3\n", { limit: 3 }],
    ["JSON in YAML", "a.yaml", '{"limit": 3}', { limit: 3 }],
    ["YAML 1.2: yes is a string", "a.yaml", "a: yes\nb: 0o17\nc: null\nd:\n", {
      a: "yes",
      b: 15,
      c: null,
      d: null,
    }],
    ["an empty file", "a.yaml", "", undefined],
    ["an empty JSON file", "a.json", " \n", undefined],
    ["a YAML file of comments", "a.yaml", "# c\n", null],
    ["a list, which is for others to refuse", "a.yaml", "- a\n- b\n", ["a", "b"]],
  ] as const
) {
  Deno.test(`readConfigFile() reads ${what}`, async () => assert.deepEqual(await read(path, content), value));
}

for (
  const [what, path, content, message] of [
    [
      "a missing comma",
      "a.json",
      '{\n "limit": 3\n "a": 1}',
      "Cannot read a.json:3:2 as JSON with comments: a comma is missing here.",
    ],
    [
      "a missing brace",
      "a.json",
      '{"limit": 3',
      'Cannot read a.json:1:12 as JSON with comments: a "}" is missing here.',
    ],
    [
      "an unquoted text",
      "a.jsonc",
      '{"agent_name": abc}',
      "Cannot read a.jsonc:1:16 as JSON with comments: a word that is not true, false or null: strings need double quotes.",
    ],
    [
      "text behind the end",
      "a.json",
      "{}\n}",
      "Cannot read a.json:2:1 as JSON with comments: the file should end here.",
    ],
    [
      "YAML under another name",
      "a.conf",
      "limit: 3\n",
      "Cannot read a.conf:1:1 as JSON with comments: a word that is not true, false or null: strings need double quotes. " +
      "(YAML files end in .yaml or .yml.)",
    ],
    [
      "bytes that are not text",
      "a.json",
      new Uint8Array([0xff, 0xfe, 0x00]),
      "Cannot read a.json:1:1 as JSON with comments: a word that is not true, false or null: strings need double quotes.",
    ],
    [
      "a colon too many",
      "a.yaml",
      "limit: 3\na: b: c\n",
      "Cannot read a.yaml:2:4 as YAML: Nested mappings are not allowed in compact mappings.",
    ],
    ["a key twice", "a.yaml", "a: 1\na: 2\n", "Cannot read a.yaml:2:1 as YAML: Map keys must be unique."],
    ["a tab", "a.yaml", "\ta: 1\n", "Cannot read a.yaml:1:1 as YAML: Tabs are not allowed as indentation."],
    [
      "two documents",
      "a.yaml",
      "a: 1\n---\nb: 2\n",
      "Cannot read a.yaml:2:1 as YAML: it holds more than one document.",
    ],
    [
      "an alias of nothing",
      "a.yaml",
      "a: *b\n",
      "Cannot read a.yaml as YAML: Unresolved alias (the anchor must be set before the alias); " +
      "a text that begins with * needs quotes.",
    ],
  ] as const
) {
  Deno.test(`readConfigFile() refuses ${what}, naming the place`, async () => {
    assert.equal(await refused(path, content), message);
  });
}

Deno.test("readConfigFile() never repeats what stands in a file", async () => {
  const hush = "hush-9f2";
  const files: [string, string][] = [
    ["a.yaml", `wandb_api_key: ${hush}: x\n`],
    ["a.yaml", `wandb_api_key: "${hush}\nb: 1\n`],
    ["a.yaml", `\twandb_api_key: ${hush}\n`],
    ["a.yaml", `wandb_api_key: ${hush}\nwandb_api_key: ${hush}\n`],
    ["a.yaml", `[${hush}, \n`],
    ["a.yaml", `wandb_api_key: *${hush}\n`],
    ["a.yaml", `wandb_api_key: !${hush}! x\n`],
    ["a.yaml", `wandb_api_key: |${hush}\n`],
    ["a.json", `{"wandb_api_key": ${hush}}`],
    ["a.json", `{"wandb_api_key": "${hush}}`],
  ];
  for (const [path, content] of files) assert.doesNotMatch(await refused(path, content), new RegExp(hush));
});

Deno.test("readConfigFiles() keeps their order, and says everything that is wrong with any of them", async () => {
  using fake = new FakeWorld({
    files: { "b.yaml": "limit: 1", "a.json": "{}", "bad.yaml": "a: b: c", "folder/": "" },
  });
  const files = await readConfigFiles(["b.yaml", "a.json", "b.yaml"], fake.world);
  assert.deepEqual(files.map(({ path }) => path), ["b.yaml", "a.json", "b.yaml"]);
  await assert.rejects(readConfigFiles(["nosuch.yaml"], fake.world), {
    name: "UsageFault",
    message: "Cannot read the configuration file nosuch.yaml: No such file or directory.",
  });
  await assert.rejects(readConfigFiles(["nosuch.yaml", "b.yaml", "bad.yaml", "folder"], fake.world), {
    message: "Cannot read the configuration files:\n" +
      "  Cannot read the configuration file nosuch.yaml: No such file or directory.\n" +
      "  Cannot read bad.yaml:1:4 as YAML: Nested mappings are not allowed in compact mappings.\n" +
      "  Cannot read the configuration file folder: Is a directory.",
  });
});

Deno.test("readYaml() reads what a prompt file has", async () => {
  assert.deepEqual(await readYaml("user: |\n  Hi {x}\nsystem: s\n", "p.yaml"), {
    user: "Hi {x}\n",
    system: "s",
  });
});

for (
  const [path, text] of [
    [
      "run.json",
      '{"responses_create_params": {"t": 1.0, "big": 12345678901234567890, "l": [1, -0.0, {"e": 1e3}]}, "limit": 2}',
    ],
    [
      "run.yaml",
      "responses_create_params: {t: 1.0, big: 12345678901234567890, l: [1, -0.0, {e: 1.0e+3}]}\nlimit: 2\n",
    ],
  ] as const
) {
  Deno.test(`readConfigFile() keeps the numbers of responses_create_params as they are written in ${path}`, async () => {
    const { value } = await readConfigFile(path, {
      disk: { readText: () => Promise.resolve(text) } as never,
    });
    assert.equal(
      JSON.stringify(value),
      '{"responses_create_params":{"t":1.0,"big":12345678901234567890,"l":[1,-0.0,{"e":1000.0}]},"limit":2}',
    );
  });
}
