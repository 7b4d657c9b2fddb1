/** Which variables are read: the permission in deno.json, docs/environment.md and the sources say the same. */
import assert from "node:assert/strict";
import { join } from "node:path";

const project = join(import.meta.dirname!, "..", "..");
const read = (path: string) => Deno.readTextFileSync(join(project, path));

const allowed: string[] = JSON.parse(read("deno.json")).permissions.rollcall.env;
const allows = (name: string) =>
  allowed.some((one) => one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name);

/** What libraries and the runtime read; no source of ours says their names. */
const FOREIGN = ["COLUMNS", "LOG_TOKENS", "LOG_STREAM"];

Deno.test("docs/environment.md tells of exactly those variables that rollcall may read", () => {
  const told = [...read("docs/environment.md").matchAll(/^\| (`[^|]*`) \|/gm)]
    .flatMap(([, names]) => [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  assert.deepEqual(told.sort(), [...allowed].sort());
});

Deno.test("the sources read no variable that is not allowed, and each allowed one is read by somebody", () => {
  const names = new Set<string>();
  const walk = (folder: string) => {
    for (const entry of Deno.readDirSync(join(project, folder))) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) walk(path);
      else {
        const source = read(path);
        for (const [, name] of source.matchAll(/\benv(?:\.get)?\(\s*"([A-Z][A-Z0-9_]+)"/g)) names.add(name!);
        for (
          const [, name] of source.matchAll(/"((?:NEMO_GYM|SLURM|ROLLCALL)_[A-Z0-9_]+|[A-Z]+_PROXY|PATH)"/g)
        ) {
          names.add(name!);
        }
      }
    }
  };
  walk("src");
  for (const name of names) assert.ok(allows(name), `${name} is read and not allowed`);
  const lower = [...names].filter((name) => name.endsWith("_PROXY")).map((name) => name.toLowerCase());
  const known = [...names, ...lower, ...FOREIGN, "ROLLCALL_ENV_"];
  for (const one of allowed) {
    const isRead = one.endsWith("*")
      ? known.some((name) => name.startsWith(one.slice(0, -1)))
      : known.includes(one);
    assert.ok(isRead, `${one} is allowed and nobody reads it`);
  }
});
