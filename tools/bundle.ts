/**
 * The sources as the few files that the executable holds, in dist/bundle: one for the command line's side, those that it
 * loads only when it needs them, and one for each Worker, `worker.js` and `exporter_worker.js`. `deno bundle` makes them; names and comments in them
 * are the same wherever they are made, so that two builds can be compared. They are not minified: a stack trace names
 * the functions, and a comment above each part the source that it comes from.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));

/** Where {@link bundle} puts its files, from the project's folder. */
export const BUNDLE = "dist/bundle";

/** The modules that run in a Worker, each a file of its own. */
export const WORKERS: readonly string[] = ["worker", "exporter_worker", "health_worker"];

/** What one of the packages asks for where it is not called. */
const NEVER_LOADED = "protobufjs/minimal";

/**
 * Makes the bundle.
 *
 * @param folder where to, from the project's folder; what is there goes
 * @returns whether it worked; Deno has printed why not on standard error
 */
export async function bundle(folder: string = BUNDLE): Promise<boolean> {
  const raw = `${folder}.part`;
  for (const path of [raw, folder]) {
    await Deno.remove(join(project, path), { recursive: true }).catch(missing);
  }
  let made = await run(["--code-splitting", `--outdir=${raw}`, "main.ts"]);
  for (const worker of WORKERS) {
    made &&= await run([`--output=${raw}/${worker}.js`, `src/edge/${worker}.ts`]);
  }
  if (made) {
    const texts = Array.from(
      Deno.readDirSync(join(project, raw)),
      ({ name }) => [name, Deno.readTextFileSync(join(project, raw, name))] as const,
    );
    await Deno.mkdir(join(project, folder), { recursive: true });
    for (
      const [name, text] of plainNames(new Map(texts), [
        "main.js",
        ...WORKERS.map((name) => `${name}.js`),
      ])
    ) {
      await Deno.writeTextFile(join(project, folder, name), text);
    }
    await Deno.writeTextFile(join(project, folder, "deno.json"), configuration());
    // The executable holds their times.
    for (const { name } of Deno.readDirSync(join(project, folder))) {
      await Deno.utime(join(project, folder, name), 0, 0);
    }
  }
  await Deno.remove(join(project, raw), { recursive: true }).catch(missing);
  return made;
}

async function run(args: readonly string[]): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    cwd: project,
    args: ["bundle", "--quiet", "--frozen", `--external=${NEVER_LOADED}`, ...args],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).output();
  return success;
}

/** The project's configuration as far as the executable needs it: without packages, which would be embedded whole. */
function configuration(): string {
  const { unstable, permissions } = JSON.parse(Deno.readTextFileSync(join(project, "deno.json")));
  const { rollcall } = permissions;
  return `${JSON.stringify({ unstable, nodeModulesDir: "none", permissions: { rollcall } }, null, 2)}\n`;
}

/**
 * The files with names that do not depend on where they were made: of packages without the path of the cache they came
 * from, and of files, which the bundler names after a hash of such paths, in the order in which they are met.
 */
export function plainNames(
  files: ReadonlyMap<string, string>,
  entries: readonly string[],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>(entries.map((name) => [name, name]));
  const texts = new Map<string, string>();
  for (const name of names.keys()) {
    const text = files.get(name)!.replace(
      /(?:\.\.\/)*[^\s"]*\/npm\/[^/\s"]+\/(?=(?:@[^/\s"]+\/)?[^/\s"]+\/\d)/g,
      "npm:",
    );
    texts.set(
      names.get(name)!,
      text.replace(/"\.\/([^"/]+\.js)"/g, (whole, other: string) => {
        if (!files.has(other)) return whole;
        if (!names.has(other)) names.set(other, `${/^[a-z_]+/i.exec(other)?.[0] ?? "part"}${names.size}.js`);
        return `"./${names.get(other)}"`;
      }),
    );
  }
  return texts;
}

function missing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
