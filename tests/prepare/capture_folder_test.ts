import assert from "node:assert/strict";
import { join } from "node:path";
import type { Config } from "../../src/config/config.ts";
import { Topology } from "../../src/config/topology.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { captureFolder } from "../../src/prepare/capture_folder.ts";
import { removeCaptures } from "../../src/prepare/remove_captures.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

/** The folder, for keys of rollcall's configuration and of the head's. */
function folderFor(fake: FakeWorld, own: Partial<Config>, head: Record<string, unknown> = {}) {
  const config = { observability_enabled: false, model_call_capture_dir: null, ...own } as Config;
  return captureFolder(config, new Topology(head, {}, () => undefined), fake.world);
}

Deno.test("captureFolder() is none with observability off, whatever the folder", () => {
  using fake = new FakeWorld();
  assert.deepEqual(folderFor(fake, {}), { folder: null });
  const head = { observability_enabled: "no", model_call_capture_dir: "relative" };
  assert.deepEqual(folderFor(fake, { model_call_capture_dir: "x" }, head), { folder: null });
});

Deno.test("captureFolder() takes each key from rollcall's configuration or the head's", () => {
  using fake = new FakeWorld({ files: { "c/": "", "d/": "" } });
  const c = join(fake.folder, "c"), d = join(fake.folder, "d");
  const on = { observability_enabled: true };
  const cases: [own: Partial<Config>, head: Record<string, unknown>][] = [
    [{ ...on, model_call_capture_dir: c }, {}],
    [on, { model_call_capture_dir: c }],
    [{ model_call_capture_dir: c }, on],
    [{}, { observability_enabled: "True", model_call_capture_dir: c }],
    [{ ...on, model_call_capture_dir: c }, { ...on, model_call_capture_dir: join(d, "..", "c") }],
  ];
  for (const [own, head] of cases) {
    assert.deepEqual(folderFor(fake, own, head), { folder: c, warning: undefined });
  }
  const { folder, warning } = folderFor(fake, { ...on, model_call_capture_dir: c }, {
    model_call_capture_dir: d,
  });
  assert.equal(folder, c);
  assert.match(warning!, /captures are read from \S+\/c, but the head's configuration .* into \S+\/d\./);
});

Deno.test("captureFolder() is canonical, and warns of a folder that is not there yet", () => {
  using fake = new FakeWorld({ files: { "c/": "" } });
  fake.link("link", join(fake.folder, "c"));
  const given = (name: string) =>
    folderFor(fake, { observability_enabled: true, model_call_capture_dir: join(fake.folder, name) });
  assert.equal(given("link").folder, join(fake.folder, "c"));
  const { folder, warning } = given("missing");
  assert.equal(folder, join(fake.folder, "missing"));
  assert.match(warning!, /there is no folder \S+\/missing yet/);
});

Deno.test("captureFolder() refuses what cannot be a folder of captures", () => {
  using fake = new FakeWorld({ files: { "file": "" } });
  const on = { observability_enabled: true };
  for (
    const [own, head, message] of [
      [on, {}, /^observability_enabled needs model_call_capture_dir/],
      [{ ...on, model_call_capture_dir: "captures" }, {}, /must be an absolute path, got "captures"/],
      [on, { model_call_capture_dir: ["x"] }, /must be an absolute path/],
      [{ ...on, model_call_capture_dir: join(fake.folder, "file") }, {}, /which is not a folder/],
      [
        {},
        { observability_enabled: "perhaps" },
        /observability_enabled in the head's configuration must be true or false/,
      ],
    ] as const
  ) {
    assert.throws(
      () => folderFor(fake, own, head),
      (error) => error instanceof UsageFault && message.test(error.message),
    );
  }
});

Deno.test("removeCaptures() removes captures: of a link only the link, and nothing of another name", () => {
  using fake = new FakeWorld({
    files: {
      "c/0-0.capture.jsonl": "x",
      "c/0-0.capture.incomplete": "",
      "c/1-0.capture.jsonl": "x",
      "secret": "s",
    },
  });
  const folder = join(fake.folder, "c");
  fake.link("c/2-0.capture.jsonl", join(fake.folder, "secret"));
  removeCaptures(
    folder,
    ["0-0.capture.jsonl", "0-0.capture.incomplete", "2-0.capture.jsonl", "gone.capture.jsonl"],
    fake.world,
  );
  assert.deepEqual(fake.list(), ["c/", "c/1-0.capture.jsonl", "secret"]);
  for (const name of ["../secret", "secret", "x/../../secret.capture.jsonl", ""]) {
    assert.throws(() => removeCaptures(folder, [name], fake.world), TypeError);
  }
  assert.equal(fake.text("secret"), "s");
});

Deno.test("removeCaptures() removes nothing through a folder that has become a link, and says what it cannot remove", () => {
  using fake = new FakeWorld({ files: { "c/0-0.capture.jsonl": "x", "d/1-0.capture.jsonl/x": "" } });
  fake.link("link", join(fake.folder, "c"));
  const remove = (folder: string, name: string) => () =>
    removeCaptures(join(fake.folder, folder), [name], fake.world);
  assert.throws(remove("link", "0-0.capture.jsonl"), /Cannot remove .*\/link: it has become a link/);
  assert.throws(
    remove("d", "1-0.capture.jsonl"),
    /Cannot remove .*\/d\/1-0\.capture\.jsonl: .*Nothing was sent/,
  );
  assert.equal(fake.text("c/0-0.capture.jsonl"), "x");
});
