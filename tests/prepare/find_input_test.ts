import assert from "node:assert/strict";
import { findInput, type Wanted } from "../../src/prepare/find_input.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

/** A disk of names: those that end in a slash are folders. */
function look(path: string, there: string[], roots?: string, wanted?: Wanted): string {
  return findInput(path, "input_jsonl_fpath", {
    env: (name) => name === "NEMO_GYM_EXTRA_ROOTS" ? roots : undefined,
    disk: {
      exists: (path: string) => there.includes(path) || there.includes(`${path}/`),
      namesIn: () => undefined,
      isFolder: (path: string) => there.includes(`${path}/`),
    } as Partial<FakeWorld["world"]["disk"]> as FakeWorld["world"]["disk"],
  }, wanted);
}

function refused(...given: Parameters<typeof look>): string {
  try {
    look(...given);
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
  throw new Error("it was found");
}

for (
  const [what, path, there, roots, found] of [
    ["in the working folder", "in.jsonl", ["in.jsonl"], undefined, "in.jsonl"],
    ["in an extra root first", "d/in.jsonl", ["d/in.jsonl", "/a/d/in.jsonl"], "/a", "/a/d/in.jsonl"],
    ["in the first root that has it", "in.jsonl", ["/b/in.jsonl", "/c/in.jsonl"], "/a:/b:/c", "/b/in.jsonl"],
    ["in the working folder when no root has it", "in.jsonl", ["in.jsonl"], "/a:/b", "in.jsonl"],
    [
      "where it is when it is absolute, whatever the roots have",
      "/x/in",
      ["/x/in", "/a/x/in"],
      "/a",
      "/x/in",
    ],
    ["past empty roots", "in.jsonl", ["/b/in.jsonl"], "::/b:", "/b/in.jsonl"],
    ["in a root that is relative", "in.jsonl", ["lib/in.jsonl"], "./lib/", "lib/in.jsonl"],
    ["on standard input, without a look", "-", [], "/a", "-"],
  ] as [string, string, string[], string | undefined, string][]
) {
  Deno.test(`findInput() finds it ${what}`, () => assert.equal(look(path, there, roots), found));
}

Deno.test("findInput() names every place that was looked at", () => {
  assert.equal(
    refused("in.jsonl", []),
    "Cannot find in.jsonl (input_jsonl_fpath): there is no such file or folder.",
  );
  assert.equal(
    refused("in.jsonl", [], "/a:/b"),
    "Cannot find in.jsonl (input_jsonl_fpath): there is no such file or folder; " +
      "looked for /a/in.jsonl, /b/in.jsonl, in.jsonl.",
  );
  assert.equal(
    refused("/x/in.jsonl", [], "/a"),
    "Cannot find /x/in.jsonl (input_jsonl_fpath): there is no such file or folder.",
  );
});

Deno.test("findInput() needs a file or a folder, and says what it found instead", () => {
  assert.equal(
    refused("data", ["data/"]),
    "Cannot use data (input_jsonl_fpath): it is a folder, and a file is needed.",
  );
  assert.equal(
    refused("skills", ["skills"], undefined, "folder"),
    "Cannot use skills (input_jsonl_fpath): it is a file, and a folder is needed.",
  );
  assert.equal(look("skills", ["/a/skills/"], "/a", "folder"), "/a/skills");
  assert.match(refused("-", [], undefined, "folder"), /Cannot find -/);
});

Deno.test("findInput() says what the system says when it cannot look", () => {
  using fake = new FakeWorld({
    failing: { "exists in.jsonl": new Error("Permission denied (os error 13): stat 'x'") },
  });
  assert.throws(() => findInput("in.jsonl", "prompt_config", fake.world), {
    name: "UsageFault",
    message: "Cannot look up in.jsonl (prompt_config): Permission denied.",
  });
});

Deno.test("findInput() takes what a link leads to, on the real disk", () => {
  using fake = new FakeWorld({ files: { "in.jsonl": "", "data/": "" } });
  fake.link("link.jsonl", "in.jsonl");
  fake.link("folder", "data");
  fake.link("broken", "nowhere");
  fake.link("round", "round");
  const find = (path: string) => findInput(path, "input_jsonl_fpath", fake.world);
  assert.equal(find("link.jsonl"), "link.jsonl");
  assert.throws(() => find("folder"), /it is a folder/);
  assert.throws(() => find("broken"), /there is no such file/);
  assert.throws(() => find("in.jsonl/deeper"), /there is no such file/);
  assert.throws(() => find("round"), /Cannot look up round \(input_jsonl_fpath\)/);
});
