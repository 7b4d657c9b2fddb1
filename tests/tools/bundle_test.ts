import assert from "node:assert/strict";
import { plainNames } from "../../tools/bundle.ts";

/** A bundle as it comes out of a cache at `cache`, its files named after `hashes`. */
function bundled(cache: string, [one, two]: readonly [string, string]): Map<string, string> {
  return new Map([
    [`later-${two}.js`, `// ${cache}/npm/registry.test/@of/it/2.1.1/dist/index.js\nexport {};\n`],
    [`chunk-${one}.js`, `// src/kit/lines.ts\nawait import("./later-${two}.js");\n`],
    ["main.js", `import "./chunk-${one}.js";\n// main.ts\nconst path = "./other.js";\n`],
  ]);
}

Deno.test("a bundle has the same files wherever it was made, and names sources and packages in them", () => {
  const here = plainNames(bundled("../../../root/.cache/deno", ["AAAAAAAA", "BBBBBBBB"]), ["main.js"]);
  const there = plainNames(bundled("../../Users/me/Library/Caches/deno", ["ZZZZZZZZ", "YYYYYYYY"]), [
    "main.js",
  ]);
  assert.deepEqual(here, there);
  assert.deepEqual(
    here,
    new Map([
      ["main.js", `import "./chunk1.js";\n// main.ts\nconst path = "./other.js";\n`],
      ["chunk1.js", `// src/kit/lines.ts\nawait import("./later2.js");\n`],
      ["later2.js", "// npm:@of/it/2.1.1/dist/index.js\nexport {};\n"],
    ]),
  );
});
