import assert from "node:assert/strict";
import { findShards, type Folders } from "../../src/shards/find_shards.ts";
import { mergeManifest } from "../../src/shards/merge_manifest.ts";

const TREE: Record<string, string[]> = {
  "": ["root.jsonl"],
  runs: [
    "s10.jsonl",
    "s1.jsonl",
    "s2.jsonl",
    "s1_failures.jsonl",
    "s1_materialized_inputs.jsonl",
    "s1_quarantine.jsonl",
    "rollout_verdicts.jsonl",
    "s1_rollout_verdicts.jsonl",
    "s1_quality_summary.json",
    "s1_aggregate_metrics.json",
    "s1_reward_profiling.jsonl",
    "s1_agent_metrics.json",
    "s1_repeat_level_metrics.json",
    "s1_manifest.json",
    "s1_health_findings.jsonl.new",
    "s1_materialized_inputs.jsonl.new.unordered",
    "s1.jsonl.old",
    "s1.lock",
    "all.jsonl",
    ".hidden.jsonl",
    "a-b.jsonl",
    "a]b.jsonl",
    "a(b.jsonl",
  ],
  "runs/x": ["s1.jsonl", "r.jsonl"],
  "runs/y": ["s1.jsonl"],
  "runs/.z": ["s1.jsonl"],
};

const folder = (path: string) => path.replace(/^\.(\/|$)/, "").replace(/\/$/, "");
const folders: Folders = {
  exists: (path) => TREE[folder(path.replace(/[^/]*$/, ""))]?.includes(path.replace(/^.*\//, "")) ?? false,
  readText: () => Promise.reject(new Error("there are no manifests here")),
  filesIn: (path) => Promise.resolve(TREE[folder(path)] ?? []),
  foldersIn(path) {
    const below = folder(path) === "" ? "" : `${folder(path)}/`;
    const names = Object.keys(TREE).filter((name) => name !== "" && name.startsWith(below))
      .map((name) => name.slice(below.length).split("/")[0]!);
    return Promise.resolve([...new Set(names)]);
  },
};

const cases: Record<string, string[]> = {
  "runs/s*.jsonl": ["runs/s1.jsonl", "runs/s10.jsonl", "runs/s2.jsonl"],
  "runs/s?.jsonl": ["runs/s1.jsonl", "runs/s2.jsonl"],
  "runs/s[!1].jsonl": ["runs/s2.jsonl"],
  "runs/s[0-9]*": ["runs/s1.jsonl", "runs/s10.jsonl", "runs/s2.jsonl"],
  "runs/a[]]b.jsonl": ["runs/a]b.jsonl"],
  "runs/a[x-]b.jsonl": ["runs/a-b.jsonl"],
  "runs/a[&~-]b.jsonl": ["runs/a-b.jsonl"],
  "runs/a-*.jsonl": ["runs/a-b.jsonl"],
  "runs/a(b.jsonl": ["runs/a(b.jsonl"],
  "runs/a(*": ["runs/a(b.jsonl"],
  "runs/a[(]*": ["runs/a(b.jsonl"],
  "runs/*/s1.jsonl": ["runs/x/s1.jsonl", "runs/y/s1.jsonl"],
  "*/[xy]/*": ["runs/x/r.jsonl", "runs/x/s1.jsonl", "runs/y/s1.jsonl"],
  "runs/**": [
    "runs/a(b.jsonl",
    "runs/a-b.jsonl",
    "runs/a]b.jsonl",
    "runs/s1.jsonl",
    "runs/s10.jsonl",
    "runs/s2.jsonl",
  ],
  "*.jsonl": ["root.jsonl"],
  "runs/s2.jsonl": ["runs/s2.jsonl"],
  "runs/s2.jsonl , runs/s?.jsonl,runs/s1.jsonl": ["runs/s2.jsonl", "runs/s1.jsonl"],
  "runs/s1_failures.jsonl": [],
  "runs/all.jsonl": [],
  "runs/none.jsonl": [],
  "runs/s[9-1].jsonl": [],
  "nowhere/*.jsonl": [],
  "runs/[s.jsonl": [],
  ",": [],
};

for (const [patterns, shards] of Object.entries(cases)) {
  Deno.test(`findShards() of ${patterns}`, async () => {
    const found = await findShards(patterns, "runs/all.jsonl", folders, (path) => path);
    assert.deepEqual(found, { shards, merged: [] });
  });
}

Deno.test("findShards() takes every printable character of a name for itself, besides those of patterns", async () => {
  for (let code = 0x20; code < 0x7f; code++) {
    const c = String.fromCharCode(code);
    if ("*?[/,".includes(c)) continue;
    const name = `a${c}b.jsonl`, there = { ...folders, filesIn: () => Promise.resolve([name, "x.jsonl"]) };
    assert.deepEqual(
      (await findShards(`runs/a${c}*`, "", there, (path) => path)).shards,
      [`runs/${name}`],
      c,
    );
  }
});

Deno.test("findShards() lists a file once, whatever names lead to it", async () => {
  const canonical = (path: string) => path.replace("runs/y", "runs/x");
  const { shards } = await findShards("runs/?/s1.jsonl", "all.jsonl", folders, canonical);
  assert.deepEqual(shards, ["runs/x/s1.jsonl"]);
});

Deno.test("findShards() ignores folders that cannot be read", async () => {
  const refusing: Folders = {
    ...folders,
    filesIn: (path) =>
      folder(path) === "runs/x" ? Promise.reject(new Error("denied")) : folders.filesIn(path),
  };
  const { shards } = await findShards("runs/*/*", "all.jsonl", refusing, (path) => path);
  assert.deepEqual(shards, ["runs/y/s1.jsonl"]);
});

/** Files of one folder, `all.jsonl` merged from `a.jsonl` and `b.jsonl`. */
function afterMerge(manifest: string, ...names: string[]): Folders {
  return {
    exists: (path) => path === "/runs/all_manifest.json",
    readText: () => Promise.resolve(manifest),
    filesIn: () => Promise.resolve([...names, "all_manifest.json"]),
    foldersIn: () => Promise.resolve([]),
  };
}

const MANIFEST = mergeManifest("/runs/all.jsonl", ["/runs/a.jsonl", "/runs/b.jsonl"]);

for (
  const [what, manifest, names, shards, merged] of [
    ["leaves out what was merged from the others", MANIFEST, "all a b c", "a b c", "all"],
    ["takes what was merged when the others are not there", MANIFEST, "all c", "all c", ""],
    [
      "takes the merged file for what it was merged from when not all of that is there",
      MANIFEST,
      "all a c",
      "all c",
      "a",
    ],
    ["ignores a manifest that cannot be understood", "{", "all a b", "a all b", ""],
    ["ignores the manifest of a run", `{"manifest":1}`, "all a b", "a all b", ""],
  ] as const
) {
  Deno.test(`findShards() ${what}`, async () => {
    const paths = (names: string) => names.split(" ").filter(Boolean).map((name) => `/runs/${name}.jsonl`);
    const folders = afterMerge(manifest, ...names.split(" ").map((name) => `${name}.jsonl`));
    const found = await findShards("/runs/*.jsonl", "/out/x.jsonl", folders, (path) => path);
    assert.deepEqual([found.shards.sort(), found.merged], [paths(shards).sort(), paths(merged)]);
  });
}
