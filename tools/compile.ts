/** `deno task compile`: dist/rollcall, for this machine. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE, bundle, WORKERS } from "./bundle.ts";

const project = fileURLToPath(new URL("..", import.meta.url));

/** What to make. */
export interface CompileOptions {
  /** Path of the executable, from the project's folder. */
  readonly output: string;
  /** A target as `deno compile --target` names it; undefined for this machine. */
  readonly target?: string | undefined;
  /** The runtime to embed: path of a `denort` of this Deno's version; undefined to have Deno download it. */
  readonly denort?: string | undefined;
  /** Whether the sources were checked and bundled before. */
  readonly bundled?: boolean;
}

/**
 * Checks the types, bundles, compiles. A binary that is there already stays until the new one is whole.
 *
 * @returns whether it worked; Deno has printed why not on standard error
 */
export async function compile({ output, target, denort, bundled = false }: CompileOptions): Promise<boolean> {
  if (!bundled && !(await check() && await bundle())) return false;
  const part = `${output}.part`, variables = `${output}.env`;
  await Deno.writeTextFile(`${project}/${variables}`, `ROLLCALL_COMMIT=${await commit()}\n`);
  const { DENORT_BIN: _, ...inherited } = Deno.env.toObject();
  const { success } = await new Deno.Command(Deno.execPath(), {
    // Its configuration names no packages: all that were named would be embedded whole.
    cwd: join(project, BUNDLE),
    clearEnv: true,
    // The default stack is too small for the graph of some packages.
    env: { ...inherited, RUST_MIN_STACK: "16777216", ...(denort ? { DENORT_BIN: denort } : {}) },
    args: [
      "compile",
      "--quiet",
      "--no-prompt",
      "--no-code-cache", // which would be a file of a predictable name in the shared temporary folder
      "-P=rollcall",
      `--env-file=${join(project, variables)}`, // for --version
      ...WORKERS.map((name) => `--include=${name}.js`),
      "--no-check",
      ...(target ? [`--target=${target}`] : []),
      `--output=${join(project, part)}`,
      "main.js",
    ],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  await Deno.remove(`${project}/${variables}`);
  // For Windows the compiler adds an ending of its own.
  const made = [part, `${part}.exe`].map((path) => `${project}/${path}`).find(exists);
  if (success && made) {
    await Deno.rename(made, `${project}/${output}`);
    return true;
  }
  if (made) await Deno.remove(made);
  return false;
}

async function check(): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    cwd: project,
    args: ["check", "--quiet", "main.ts", ...WORKERS.map((name) => `src/edge/${name}.ts`)],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return success;
}

/** The commit that is compiled, as `--version` shows it. */
async function commit(): Promise<string> {
  try {
    const git = new Deno.Command("git", { cwd: project, args: ["rev-parse", "--short=12", "HEAD"] });
    const { success, stdout } = await git.output();
    return success ? new TextDecoder().decode(stdout).trim() : "unknown";
  } catch {
    return "unknown"; // no git
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const output = "dist/rollcall", denort = Deno.env.get("DENORT_BIN") || undefined;
  if (await compile({ output, denort })) {
    console.log(`Made ${output}.`);
  } else {
    console.error(
      `Could not make ${output}; one that was there is still there. ` +
        (denort
          ? `DENORT_BIN=${denort} must be a denort of version ${Deno.version.deno}, or a patch release next to it.`
          : `If Deno could not download its runtime, set DENORT_BIN to a denort of version ${Deno.version.deno}.`),
    );
    Deno.exitCode = 1;
  }
}
