/** docs/security.md says what is so: its tests exist, its lists are complete. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SECRET_WORDS } from "../../src/kit/secrets.ts";

const PROJECT = join(import.meta.dirname!, "..", "..");
const read = (path: string) => Deno.readTextFileSync(join(PROJECT, path));
const PAGE = read("docs/security.md");

/** The cells of the table below a heading, without its head. */
function table(heading: string): string[][] {
  const [, rest] = PAGE.split(`\n## ${heading}\n`);
  assert.ok(rest, `no heading ${heading}`);
  const lines = rest.split(/\n## /)[0]!.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** What stands in backticks. */
function ticked(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inner]) => inner!);
}

Deno.test("every promise names a test that there is", () => {
  const promises = table("Promises");
  assert.ok(promises.length > 15);
  for (const [promise, test] of promises) {
    const [, path, name] = /^`(tests\/[\w/]+_test\.ts)`: (.+)$/.exec(test!) ?? [];
    assert.ok(path && name, `${promise}: ${test}`);
    assert.ok(read(path).includes(`"${name}"`), `${path} has no test "${name}"`);
  }
});

Deno.test("each package is pinned, and the table says why it is there and when it is loaded", () => {
  const { imports } = JSON.parse(read("deno.json")) as { imports: Record<string, string> };
  const lock = JSON.parse(read("deno.lock")) as { npm: Record<string, { integrity: string }> };
  const rows = table("Packages").map(([name, why, loaded]) => ({
    name: ticked(name!)[0]!,
    why,
    loaded: loaded!,
  }));
  const pinned = Object.entries(imports).map(([as, specifier]) => {
    const [, name, version] = /^npm:(.+)@(\d+\.\d+\.\d+)$/.exec(specifier) ?? [];
    assert.ok(name && version, `${as} is not pinned: ${specifier}`);
    return { as, name, version };
  });
  assert.deepEqual(rows.map(({ name }) => name).sort(), pinned.map(({ name }) => name).sort());
  for (const { integrity } of Object.values(lock.npm)) assert.match(integrity, /^sha512-/);
  for (const { name, version } of pinned) {
    assert.ok(Object.keys(lock.npm).some((key) => `${key}_`.startsWith(`${name}@${version}_`)), name);
  }
  // Those that come with others are in the text.
  for (const key of Object.keys(lock.npm)) {
    const name = /^(@?[^@]+)@/.exec(key)![1]!;
    assert.ok(ticked(PAGE).includes(name), `${name} is not on the page`);
  }
  const sources = [...walk("src"), "main.ts"].map(read);
  for (const { as, name } of pinned) {
    const { loaded } = rows.find((row) => row.name === name)!;
    const isStatic = sources.some((text) =>
      new RegExp(`^import (?!type\\b)[^;]*from "${as}";`, "m").test(text)
    );
    const isDynamic = sources.some((text) => text.includes(`import("${as}")`));
    if (/^only when/.test(loaded)) assert.deepEqual([isStatic, isDynamic], [false, true], name);
    if (/^never/.test(loaded)) assert.deepEqual([isStatic, isDynamic], [false, false], name);
    assert.ok(!/^always/.test(loaded) || !isDynamic, name);
  }
});

Deno.test("the environment variables are those that the executable may read", () => {
  const { permissions } = JSON.parse(read("deno.json"));
  const [paragraph] = PAGE.split("\n## Environment variables\n\n")[1]!.split("\n\n");
  assert.deepEqual(ticked(paragraph!), permissions.rollcall.env);
});

Deno.test("the words that make a key a secret are all on the page", () => {
  const [, paragraph] = PAGE.split("\n## What counts as a secret\n\n");
  assert.deepEqual(ticked(paragraph!.split(";")[0]!).sort(), [...SECRET_WORDS].sort());
});

function* walk(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(PROJECT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* walk(path);
    else if (name.endsWith(".ts")) yield path;
  }
}
