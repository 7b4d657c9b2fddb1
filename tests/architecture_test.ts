/**
 * The table "The folders" in ARCHITECTURE.md, held against what the sources import, and its rule that nothing but
 * `edge/` knows a clock, a socket or a disk.
 */
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";

const project = join(import.meta.dirname!, "..");

/** What a folder of the table may import from: the folder's name, and whether its types only. */
interface Allowed {
  readonly folders: ReadonlyMap<string, "anything" | "types">;
}

/** The table: its rows read `kit, json`, `all above`, `nothing`, or `collect's data, kit` for types only. */
function readTable(text: string): Map<string, Allowed> {
  const table = new Map<string, Allowed>();
  for (const [, folder, knows] of text.matchAll(/^\| `(\w+)\/`\s*\|.*\| ([^|]+?)\s*\|$/gm)) {
    const words = knows === "nothing" ? [] : knows!.split(/,\s*/);
    const folders = words[0] === "all above"
      ? [...table.keys()].map((name) => [name, "anything"] as const)
      : words.map((word) =>
        [word.replace(/'s? data$/, ""), /'s? data$/.test(word) ? "types" : "anything"] as const
      );
    table.set(folder!, { folders: new Map(folders) });
  }
  return table;
}

/** A source without its comments. Strings stay: code can stand inside a template. */
function uncommented(source: string): string {
  return source.replaceAll(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?:^|(?<=\s))\/\/.*|\/\*[\s\S]*?\*\//gm,
    "$1",
  );
}

interface Import {
  readonly what: string;
  readonly typesOnly: boolean;
}

function* importsOf(source: string): Generator<Import> {
  const statement = /^(?:im|ex)port\s+(type\s)?([^;"=(]*?)\s*\bfrom\s+"([^"]+)"/gm;
  for (const [, type, names, what] of source.matchAll(statement)) {
    const listed = /^\{([^}]*)\}$/.exec(names!)?.[1]?.split(",").map((name) => name.trim()).filter(Boolean);
    yield {
      what: what!,
      typesOnly: type !== undefined || !!listed?.every((name) => name.startsWith("type ")),
    };
  }
  for (const [, what] of source.matchAll(/(?:\bimport\(|\bnew URL\(|^import\s)\s*"([^"]+)"/gm)) {
    yield { what: what!, typesOnly: false };
  }
}

async function* sourcesIn(folder: string): AsyncGenerator<{ path: string; source: string }> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* sourcesIn(path);
    else if (path.endsWith(".ts")) {
      yield { path: relative(project, path), source: uncommented(await Deno.readTextFile(path)) };
    }
  }
}

const table = readTable(await Deno.readTextFile(join(project, "ARCHITECTURE.md")));
const sources = (await Array.fromAsync(sourcesIn(join(project, "src")))).sort((a, b) =>
  a.path < b.path ? -1 : 1
);
const folderOf = (path: string) => /^src\/(\w+)\//.exec(path)?.[1];

Deno.test("ARCHITECTURE.md has a row for every folder of src, and no other", () => {
  const folders = new Set(sources.map(({ path }) => folderOf(path) ?? path));
  assert.deepEqual([...table.keys()].sort(), [...folders].sort());
  for (const { folders } of table.values()) {
    for (const name of folders.keys()) {
      assert.ok(table.has(name), `the table speaks of ${name}/, which it lacks`);
    }
  }
});

Deno.test("ARCHITECTURE.md's folders do not know each other in a circle", () => {
  const knows = new Map([...table].map(([name, { folders }]) => [name, new Set(folders.keys())]));
  for (let gone = true; gone;) {
    gone = false;
    for (const [name, others] of knows) {
      if (others.size > 0) continue;
      knows.delete(name);
      for (const left of knows.values()) left.delete(name);
      gone = true;
    }
  }
  assert.deepEqual([...knows.keys()], []);
});

Deno.test("every import keeps to the table in ARCHITECTURE.md", () => {
  const wrong: string[] = [];
  for (const { path, source } of sources) {
    const from = folderOf(path)!;
    for (const { what, typesOnly } of importsOf(source)) {
      if (!what.startsWith(".")) continue;
      const target = join(dirname(path), what), to = folderOf(target);
      if (to === from || target === "deno.json") continue;
      const allowed = to && table.get(from)?.folders.get(to);
      if (allowed === "anything" || (allowed === "types" && typesOnly)) continue;
      wrong.push(
        `${path} imports ${target}${allowed ? ", and not its types only" : typesOnly ? " (types only)" : ""}`,
      );
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a file over 300 lines says in its head why it is one thing", async () => {
  const silent: string[] = [];
  for (const { path } of sources) {
    const text = await Deno.readTextFile(join(project, path));
    const head = /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? "";
    if (text.split("\n").length > 301 && !head.includes("It is long because")) silent.push(path);
  }
  assert.deepEqual(silent, []);
});

Deno.test("every relative import of main.ts is of edge/ or cli/", async () => {
  const main = uncommented(await Deno.readTextFile(join(project, "main.ts")));
  const folders = [...importsOf(main)].filter(({ what }) => what.startsWith("."))
    .map(({ what }) => folderOf(join(".", what)));
  assert.deepEqual([...new Set(folders)].sort(), ["cli", "edge"]);
});

/** Node's modules that compute, and reach nothing. */
const PURE = new Set(["node:path", "node:crypto", "node:util"]);

Deno.test("packages are imported by the names that deno.json gives them, and node's outside edge/ only to compute", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(join(project, "deno.json"))) as { imports: object };
  const wrong: string[] = [];
  for (const { path, source } of sources) {
    for (const { what } of importsOf(source)) {
      if (what.startsWith(".") || what in imports) continue;
      if (what.startsWith("node:") && (PURE.has(what) || folderOf(path) === "edge")) continue;
      wrong.push(`${path} imports ${what}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** What asks the machine for something: time, chance, the network, files, a terminal. */
const WORLDLY: readonly RegExp[] = [
  /\bDeno\./,
  /\bfetch\(/,
  /\bsetTimeout\(/,
  /\bsetInterval\(/,
  /\bAbortSignal\.timeout\(/,
  /\bDate\.now\(/,
  /\bnew Date\(\s*\)/,
  /\bMath\.random\(/,
  /\bcrypto\.(?:randomUUID|getRandomValues)\(/,
  /\bperformance\./,
  /\bconsole\./,
  /\bprocess\./,
  /\bnew Worker\(/,
];

Deno.test("nothing but edge/ knows a clock, chance, a socket, a disk or a terminal", () => {
  const wrong: string[] = [];
  for (const { path, source } of sources) {
    if (folderOf(path) === "edge") continue;
    for (const word of WORLDLY) {
      const found = word.exec(source);
      if (found) wrong.push(`${path} says ${found[0]}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("the checks of this file see what they are made for", () => {
  const source = uncommented(`
    // import "./a.ts"; Deno.exit()
    /* fetch("x") */
    /** new Date() */
    const url = "http://x"; console.log(url); // Math.random()
    const text = \`\${Date.now()}\`;
  `);
  assert.deepEqual(WORLDLY.map((word) => word.exec(source)?.[0]).filter(Boolean), ["Date.now(", "console."]);
  const imports = [...importsOf([
    `import { a } from "./a.ts";`,
    `import type { B } from "./b.ts";`,
    `import {\n  type C,\n  type D,\n} from "./cd.ts";`,
    `import { type E, f } from "./ef.ts";`,
    `import "./g.ts";`,
    `export * from "./h.ts";`,
    `export type { I } from "./i.ts";`,
    `const j = await import("./j.ts");`,
    `const k = new URL("./k.ts", import.meta.url);`,
  ].join("\n"))].map(({ what, typesOnly }) => `${what}${typesOnly ? " types" : ""}`);
  assert.deepEqual(imports, [
    "./a.ts",
    "./b.ts types",
    "./cd.ts types",
    "./ef.ts",
    "./h.ts",
    "./i.ts types",
    "./g.ts",
    "./j.ts",
    "./k.ts",
  ]);
  const rows = readTable(
    "| `kit/` | general | nothing |\n| `json/` | bytes | kit |\n| `cli/` | x | json's data, kit |\n| `edge/` | y | all above |",
  );
  assert.deepEqual([...rows].map(([name, { folders }]) => [name, Object.fromEntries(folders)]), [
    ["kit", {}],
    ["json", { kit: "anything" }],
    ["cli", { json: "types", kit: "anything" }],
    ["edge", { kit: "anything", json: "anything", cli: "anything" }],
  ]);
});
