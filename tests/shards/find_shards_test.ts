import assert from "node:assert/strict";
import { findShards, type Folders } from "../../src/shards/find_shards.ts";

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
    assert.deepEqual(await findShards(patterns, "runs/all.jsonl", folders, (path) => path), shards);
  });
}

Deno.test("findShards() takes a file once, by whatever names it is found", async () => {
  const canonical = (path: string) => path.replace("runs/y", "runs/x");
  assert.deepEqual(await findShards("runs/?/s1.jsonl", "all.jsonl", folders, canonical), ["runs/x/s1.jsonl"]);
});

Deno.test("findShards() passes over folders that cannot be read", async () => {
  const refusing: Folders = {
    ...folders,
    filesIn: (path) =>
      folder(path) === "runs/x" ? Promise.reject(new Error("denied")) : folders.filesIn(path),
  };
  assert.deepEqual(await findShards("runs/*/*", "all.jsonl", refusing, (path) => path), ["runs/y/s1.jsonl"]);
});
