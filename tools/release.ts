/**
 * `deno task release`: what is handed out, in dist/. An executable a target, its SHA-256, and the licences of what it
 * embeds.
 *
 * Deno downloads the runtime of each target. Where its server cannot be reached, DENORT_BIN names the one for this
 * machine, and DENORT_BIN_TARGET, as DENORT_BIN_AARCH64_APPLE_DARWIN, the one for another target.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
import { compile } from "./compile.ts";
import { isLicence, licencesText, type Licensed, packagesOf } from "./licences.ts";

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
];

const project = fileURLToPath(new URL("..", import.meta.url));
const dist = join(project, "dist");

await Deno.mkdir(dist, { recursive: true });
const lock = JSON.parse(await Deno.readTextFile(join(project, "deno.lock")));
const licensed = await Promise.all(packagesOf(lock).map(await licences()));
await Deno.writeTextFile(join(dist, "THIRD_PARTY_LICENSES.txt"), licencesText(licensed));
console.log(`dist/THIRD_PARTY_LICENSES.txt  Deno and ${licensed.length} npm packages`);

const missing: string[] = [];
// This machine's is the one that has to work.
const own = Deno.build.target;
for (const target of [own, ...TARGETS.filter((target) => target !== own)]) {
  const denort = Deno.env.get(target === own ? "DENORT_BIN" : variableOf(target)) || undefined;
  const name = target === own ? "rollcall" : `rollcall-${target}`;
  if (!await compile({ output: `dist/${name}`, target, denort, bundled: target !== own })) {
    missing.push(target);
    continue;
  }
  const sum = createHash("sha256").update(await Deno.readFile(join(dist, name))).digest("hex");
  await Deno.writeTextFile(join(dist, `${name}.sha256`), `${sum}  ${name}\n`);
  console.log(`dist/${name}  ${target}  ${sum}`);
}
for (const target of missing) {
  const variable = target === own ? "DENORT_BIN" : variableOf(target);
  console.error(
    `Not made: ${target}. Its runtime could not be used or downloaded; ${variable} can name a denort for it, of ` +
      `version ${Deno.version.deno}.`,
  );
}
if (missing.includes(own)) Deno.exitCode = 1;

function variableOf(target: string): string {
  return `DENORT_BIN_${target.toUpperCase().replaceAll("-", "_")}`;
}

/** Looks packages up in the npm cache that `deno compile` takes them from. */
async function licences(): Promise<(pack: { name: string; version: string }) => Promise<Licensed>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const registries = [...Deno.readDirSync(npmCache)].filter(({ isDirectory }) => isDirectory);
  return async ({ name, version }) => {
    for (const registry of registries) {
      const folder = join(npmCache, registry.name, name, version);
      try {
        const { license } = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
        const files = [...Deno.readDirSync(folder)].filter(({ isFile, name }) => isFile && isLicence(name));
        const texts = files.map((file) => Deno.readTextFileSync(join(folder, file.name)));
        return { name, version, licence: license ?? "no licence named", texts };
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    throw new Error(`${name}@${version} is not in the npm cache ${npmCache}: run deno install first.`);
  };
}
