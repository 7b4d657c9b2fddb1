/** The licences of what the executable embeds: npm packages, and Deno itself. */

/** A package that is embedded. */
export interface Package {
  readonly name: string;
  readonly version: string;
}

/** The packages of a deno.lock, sorted by name: the executable holds parts of most of them. */
export function packagesOf(lock: { readonly npm?: Readonly<Record<string, unknown>> }): Package[] {
  const packages = new Map<string, Package>();
  for (const key of Object.keys(lock.npm ?? {}).sort()) {
    // name@version, with peers behind an underscore.
    const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
    if (!name || !version) throw new Error(`deno.lock names an npm package that is not NAME@VERSION: ${key}`);
    packages.set(`${name}@${version}`, { name, version });
  }
  return [...packages.values()];
}

/** Whether a file of a package holds its licence. */
export function isLicence(file: string): boolean {
  return /^(licen[cs]e|copying|notice)(\W|$)/i.test(file);
}

/** A package with what it says of its licence. */
export interface Licensed extends Package {
  /** The `license` of its package.json. */
  readonly licence: string;
  /** The texts of its licence files; none where it ships none. */
  readonly texts: readonly string[];
}

/** The content of THIRD_PARTY_LICENSES.txt. */
export function licencesText(packages: readonly Licensed[]): string {
  const parts = [
    "rollcall's executable contains the software below, each under its own licence.\n",
    part("Deno", "the runtime", "MIT", [DENO]),
    ...packages.map(({ name, version, licence, texts }) => part(name, version, licence, texts)),
  ];
  return parts.join("\n");
}

const LINE = "=".repeat(80);

function part(name: string, version: string, licence: string, texts: readonly string[]): string {
  const all = texts.length > 0
    ? texts
    : [`The package ships no licence text; its package.json says ${licence}.`];
  return `${LINE}\n${name} (${version}): ${licence}\n${LINE}\n\n${
    all.map((text) => text.trim()).join("\n\n")
  }\n`;
}

const DENO = `MIT License

Copyright 2018-2026 the Deno authors

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
