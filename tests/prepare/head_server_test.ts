import assert from "node:assert/strict";
import { headConfig } from "../../src/prepare/head_server.ts";
import type { Got } from "../../src/ports/world.ts";
import type { Config } from "../../src/config/config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { FakeWorld, headAnswer } from "../fakes/fake_world.ts";

const DEFAULT = "http://127.0.0.1:11000/global_config_dict_yaml";

function config(set: Record<string, unknown> = {}): Config {
  return configSchema("collect").parse({ input_jsonl_fpath: "i", output_jsonl_fpath: "o", ...set });
}

/** What a head server at the default address makes of its answer. */
async function heard(answer: Got | string | Error, set = {}): Promise<Record<string, unknown>> {
  using fake = new FakeWorld({ answers: { [DEFAULT]: answer } });
  return await headConfig(config(set), fake.world);
}

async function refused(answer: Got | string | Error): Promise<string> {
  try {
    await heard(answer);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
  throw new Error("it was taken");
}

for (
  const [what, set, asked] of [
    ["the default without a word", {}, [DEFAULT]],
    ["where it is said to be", { head_server: { host: "gpu7", port: 5 } }, [
      "http://gpu7:5/global_config_dict_yaml",
    ]],
    ["the default of what is not said", { head_server: { host: "gpu7" } }, [
      "http://gpu7:11000/global_config_dict_yaml",
    ]],
    ["an IPv6 address", { head_server: { host: "::1", port: 5 } }, [
      "http://[::1]:5/global_config_dict_yaml",
    ]],
    ["an IPv6 address in brackets", { head_server: { host: "[::1]", port: 5 } }, [
      "http://[::1]:5/global_config_dict_yaml",
    ]],
    ["nowhere when servers are named by hand", { servers: { a: "http://h:1" } }, []],
    ["where it is said to be, though servers are named by hand", {
      servers: { a: "http://h:1" },
      head_server: {},
    }, [DEFAULT]],
  ] as const
) {
  Deno.test(`headConfig() asks ${what}`, async () => {
    using fake = new FakeWorld({
      answers: Object.fromEntries(asked.map((url) => [url, headAnswer({ a: 1 })])),
    });
    const answer = await headConfig(config(set), fake.world);
    assert.deepEqual(fake.asked, asked);
    assert.deepEqual(answer, asked.length ? { a: 1 } : {});
  });
}

for (
  const [what, answer, value] of [
    ["a JSON string of YAML, as Gym sends it", headAnswer("a:\n  b: 1\nc: null\n"), { a: { b: 1 }, c: null }],
    ["a JSON string of JSON", headAnswer({ a: { b: [1] } }), { a: { b: [1] } }],
    ["a JSON object", '{"a": 1}', { a: 1 }],
    [
      "YAML 1.1, which Gym writes",
      headAnswer("a: yes\nb: off\nc: 'yes'\nd: ~\ne: 010\nf: 1_000\nh: '${x}'\ng: 'on'\n"),
      { a: true, b: false, c: "yes", d: null, e: 8, f: 1000, h: "${x}", g: "on" },
    ],
    [
      "YAML with anchors and a key twice",
      headAnswer("a: &x\n  p: 1\nb:\n  <<: *x\n  q: 2\na: 5\n"),
      { a: 5, b: { p: 1, q: 2 } },
    ],
    [
      "long texts folded, and text of all kinds",
      headAnswer('a: "one\\\n  \\ two"\nb: ünï — 日本\nc: "\\u00e9\\n"\n'),
      { a: "one two", b: "ünï — 日本", c: "é\n" },
    ],
    ["an empty configuration", headAnswer("{}\n"), {}],
  ] as const
) {
  Deno.test(`headConfig() reads ${what}`, async () => assert.deepEqual(await heard(answer), value));
}

const HINT = "Is this Gym's head server, and not another one (--head HOST:PORT, +head_server.port=…)?";
for (
  const [what, answer, message] of [
    [
      "a server that is not there",
      new Error("tcp connect error: Connection refused (os error 111)"),
      `Cannot reach the head server at ${DEFAULT}: tcp connect error: Connection refused.\n` +
      "Is Gym running (gym env start …)? Is the address right (--head HOST:PORT, +head_server.port=…)? " +
      "Without a head server, name each server: --server NAME=http://HOST:PORT.",
    ],
    [
      "a server that does not answer",
      new Error("no answer within 15 s"),
      `Cannot reach the head server at ${DEFAULT}: no answer within 15 s.\n` +
      "Is Gym running (gym env start …)? Is the address right (--head HOST:PORT, +head_server.port=…)? " +
      "Without a head server, name each server: --server NAME=http://HOST:PORT.",
    ],
    ["404", { status: 404, text: "Not Found" }, `The head server at ${DEFAULT} answered 404. ${HINT}`],
    ["a redirect", { status: 302, text: "" }, `The head server at ${DEFAULT} answered 302. ${HINT}`],
    [
      "503 while it starts",
      { status: 503, text: "" },
      `The head server at ${DEFAULT} answered 503. Is it still starting, or broken? See its log.`,
    ],
    [
      "a web page",
      "<!doctype html><title>Hush</title>",
      `Cannot read the configuration that ${DEFAULT} answered: it is a web page, not JSON. ${HINT}`,
    ],
    ["nothing", "", `Cannot read the configuration that ${DEFAULT} answered: it is not JSON. ${HINT}`],
    [
      "plain YAML",
      "api_key: hush\n",
      `Cannot read the configuration that ${DEFAULT} answered: it is not JSON. ${HINT}`,
    ],
    [
      "a list",
      "[1]",
      `Cannot read the configuration that ${DEFAULT} answered: it holds no map of keys. ${HINT}`,
    ],
    [
      "null",
      "null",
      `Cannot read the configuration that ${DEFAULT} answered: it holds no map of keys. ${HINT}`,
    ],
    [
      "a string that is text",
      headAnswer("hush"),
      `Cannot read the configuration that ${DEFAULT} answered: it holds no map of keys. ${HINT}`,
    ],
    [
      "an empty string",
      headAnswer(""),
      `Cannot read the configuration that ${DEFAULT} answered: it holds no map of keys. ${HINT}`,
    ],
    [
      "a string that is not YAML",
      headAnswer("a: 1\napi_key: hush: b\n"),
      `Cannot read the configuration that ${DEFAULT} answered: its text is not YAML ` +
      `(at 2:10: Nested mappings are not allowed in compact mappings). ${HINT}`,
    ],
  ] as const
) {
  Deno.test(`headConfig() refuses ${what}, naming the URL and what to check, and quoting nothing`, async () => {
    const said = await refused(answer);
    assert.equal(said, message);
    assert.doesNotMatch(said, /hush/i);
  });
}

for (const host of ["u:hush@h", "h/?token=hush", "h#hush", "h/hush", "a b"]) {
  Deno.test(`headConfig() asks nobody when the host is ${host}, and shows no secret of it`, async () => {
    using fake = new FakeWorld();
    await assert.rejects(
      headConfig(config({ head_server: { host, port: 5 } }), fake.world),
      (error: Error) => {
        assert.match(error.message, /^The host of head_server must be a name or an address, got "/);
        return host === "h/hush" || !error.message.includes("hush");
      },
    );
    assert.deepEqual(fake.asked, []);
  });
}
