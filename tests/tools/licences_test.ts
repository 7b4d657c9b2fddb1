import assert from "node:assert/strict";
import { isLicence, licencesText, packagesOf } from "../../tools/licences.ts";

Deno.test("packagesOf() finds every package of a lock file once, whatever its peers", () => {
  const npm = { "zod@4.6.7": {}, "@a/b@1.2.3_zod@4.6.7": {}, "@a/b@1.2.3_zod@4.0.0": {}, "c@1.0.0-rc.1": {} };
  assert.deepEqual(packagesOf({ npm }), [
    { name: "@a/b", version: "1.2.3" },
    { name: "c", version: "1.0.0-rc.1" },
    { name: "zod", version: "4.6.7" },
  ]);
  assert.deepEqual(packagesOf({}), []);
  assert.throws(() => packagesOf({ npm: { broken: {} } }), /broken/);
});

Deno.test("isLicence() tells licence files by their names", () => {
  const files = [
    "LICENSE",
    "license.md",
    "LICENCE.txt",
    "COPYING",
    "NOTICE",
    "licenses.ts",
    "README.md",
    "index.js",
  ];
  assert.deepEqual(files.filter(isLicence), ["LICENSE", "license.md", "LICENCE.txt", "COPYING", "NOTICE"]);
});

Deno.test("licencesText() holds Deno's licence and each package's, and says where a package ships none", () => {
  const text = licencesText([
    { name: "a", version: "1.0.0", licence: "ISC", texts: ["Permission, by a.\n"] },
    { name: "b", version: "2.0.0", licence: "MIT", texts: [] },
  ]);
  assert.match(text, /the Deno authors/);
  assert.match(text, /a \(1\.0\.0\): ISC\n=+\n\nPermission, by a\./);
  assert.match(
    text,
    /b \(2\.0\.0\): MIT\n=+\n\nThe package ships no licence text; its package\.json says MIT\./,
  );
});
