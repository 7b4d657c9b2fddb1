import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import { nearestFile } from "../../src/prepare/nearest_file.ts";

/** A disk of these files; their folders are there too. */
function diskOf(...files: string[]) {
  const folders = new Set(files.flatMap((path) => {
    const above: string[] = [];
    for (let at = dirname(path); at !== dirname(at); at = dirname(at)) above.push(at);
    return [...above, "."];
  }));
  return {
    namesIn(folder: string, kind: "file" | "folder") {
      if (folder !== "/" && !folders.has(folder)) return undefined;
      const all = kind === "file" ? files : [...folders].filter((path) => path !== ".");
      return all.filter((path) => dirname(path) === folder).map((path) => basename(path));
    },
  };
}

for (
  const [path, files, found] of [
    ["tasks.json", ["tasks.jsonl", "other.jsonl"], "tasks.jsonl"],
    ["runs/a.jsnl", ["runs/a.jsonl"], "runs/a.jsonl"],
    ["/data/taks.jsonl", ["/data/tasks.jsonl"], "/data/tasks.jsonl"],
    ["run/a.jsonl", ["runs/a.jsonl"], "runs/a.jsonl"],
    ["run/aa.jsonl", ["runs/a.jsonl"], "runs/a.jsonl"],
    ["tasks.jsonl", ["a_quite_different_name.jsonl"], undefined],
    ["nowhere/tasks.jsonl", ["tasks.jsonl"], undefined],
    ["tasks.jsonl", [], undefined],
  ] as [string, string[], string | undefined][]
) {
  Deno.test(`nearestFile() suggests ${found ?? "nothing"} for ${path} among ${files.join(", ") || "nothing"}`, () => {
    assert.equal(nearestFile(path, diskOf(...files)), found === undefined ? "" : ` Did you mean ${found}?`);
  });
}
