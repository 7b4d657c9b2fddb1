import assert from "node:assert/strict";
import { join } from "node:path";
import { checkCase, findCases } from "./case.ts";

/** Makes a folder of files for the time of a test. */
async function withFiles(
  files: Record<string, string>,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "cases-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(join(folder, name, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const RECORD = { "result.json": '{"exit": "ok", "peak": 0}\n', "requests.jsonl": "" };
const record = (step: number, files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries({ ...RECORD, ...files }).map(([name, text]) => [`expected/${step}/${name}`, text]),
  );

Deno.test("checkCase() runs the steps in one folder, with planted and removed files", async () => {
  const files = {
    "case.json": `{"config": {}, "steps": [
      {"command": "collect", "args": ["+at={work}/x"]},
      {"command": "health", "args": ["out"], "plant": "before", "remove": ["out/a.txt", "out/none"]}
    ]}`,
    "files/in.txt": "in",
    "files/deep/er.txt": "deeper",
    "before/out/b.txt": "planted",
    ...record(1, { "out/a.txt": "collect\nin\ndeeper\n<work>/x\n" }),
    ...record(2, { "out/b.txt": "planted", "out/c.txt": "health out\n" }),
  };
  await withFiles(files, async (folder) => {
    const command = `run() { mkdir -p out; case $1 in
      collect) { echo $1; cat in.txt; echo; cat deep/er.txt; echo; echo "\${2#+at=}"; } > out/a.txt; touch out/empty out/.hidden;;
      health) echo "$@" > out/c.txt;;
    esac; echo did $1 $#; }; run`;
    const report = await checkCase(folder, { command });
    assert.deepEqual(report, { differences: [], outputs: ["did collect 4\n", "did health 2\n"] });
  });
});

Deno.test("checkCase() reports differences by step", async () => {
  const files = {
    "case.json":
      '{"config": {}, "steps": [{"command": "collect", "must_mention": ["word"]}, {"command": "health"}]}',
    ...record(1, { "out/r.jsonl": '{"_ng_task_index": 0}\n' }),
    ...record(2, {}),
  };
  await withFiles(files, async (folder) => {
    assert.deepEqual((await checkCase(folder, { command: "test health =" })).differences, [
      "step 1 exit: expected ok, got error",
      "step 1 out/r.jsonl: missing",
      "step 1 output does not mention 'word'",
    ]);
  });
});

Deno.test("checkCase() rejects when a step has no record", async () => {
  await withFiles({ "case.json": '{"config": {}, "steps": [{"command": "health"}]}' }, async (folder) => {
    await assert.rejects(checkCase(folder, { command: "true" }), Deno.errors.NotFound);
  });
});

Deno.test("findCases() lists folders by name, all or by their beginnings", async () => {
  await withFiles(
    { "b-1/case.json": "", "a/case.json": "", "b-2/case.json": "", "README.md": "" },
    async (folder) => {
      const names = async (...prefixes: string[]) =>
        (await findCases(folder, prefixes)).map((path) => path.slice(folder.length + 1));
      assert.deepEqual(await names(), ["a", "b-1", "b-2"]);
      assert.deepEqual(await names("b-", "c"), ["b-1", "b-2"]);
    },
  );
});
