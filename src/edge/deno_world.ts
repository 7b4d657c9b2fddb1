/** Builds the real {@link World}. */
import { statfsSync } from "node:fs";
import { basename } from "node:path";
import type { GetLimits, Got, World } from "../ports/world.ts";
import type { Sandboxed } from "../ports/sandbox.ts";
import { RunFault, UsageFault } from "../kit/fault.ts";
import type { Permissions } from "../ports/sandbox.ts";
import { denoClock, denoDice } from "./deno_clock.ts";
import { denoDisk } from "./deno_disk.ts";
import { denoTerminal } from "./deno_terminal.ts";
import { fetchClient } from "./fetch_client.ts";
import { httpGet } from "../wire/http_get.ts";
import { sandbox } from "./sandbox.ts";
import { waitingShell } from "./waiting_shell.ts";

/** The runtime sends requests through these, which would lead a sandboxed collector elsewhere. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** The machine, for a process called `name` with `args`. Proxy variables are gone from then on. */
export function denoWorld(name: string, args: readonly string[], onSignal: World["onSignal"]): World {
  const variables = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()]);
  const ignoredProxies = variables.filter((name) => Deno.env.get(name));
  const proxies = Object.fromEntries(
    variables.map((name) => [name, Deno.env.get(name) ?? ""]).filter(([, value]) => value),
  );
  for (const variable of variables) Deno.env.delete(variable);
  return {
    name: basename(name),
    args,
    env: readEnv,
    runtime: `Deno ${Deno.version.deno}, ${Deno.build.target}`,
    terminal: denoTerminal(),
    clock: denoClock,
    dice: denoDice,
    disk: denoDisk,
    onSignal,
    get,
    countOpenable,
    freeBytes,
    ignoredProxies,
    ask: Deno.stdin.isTerminal() && Deno.stdout.isTerminal() ? (question) => prompt(question) : null,
    squeue,
    // Only rollcall itself ignores proxies.
    prepareCommand: (command) => waitingShell(command, proxies),
    sbatch,
    startCollector: (permissions, hear) => startWorker("collector", WORKER, permissions, hear),
    startExporter: (permissions, hear) => startWorker("exporter", EXPORTER, permissions, hear),
    startExaminer: (hear) => startWorker("health", EXAMINER, { net: [], read: [], write: [] }, hear),
    cores: navigator.hardwareConcurrency,
    narrow() {
      for (const name of ["net", "run"] as const) Deno.permissions.revokeSync({ name });
    },
    serve(handler) {
      const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
      return { port: server.addr.port, stop: () => server.shutdown() };
    },
  };
}

/**
 * An environment variable. The compiled binary may read a fixed list of names; any other NAME is passed as
 * ROLLCALL_ENV_NAME.
 */
function readEnv(name: string): string | undefined {
  const handedIn = Deno.env.get(`ROLLCALL_ENV_${name}`);
  if (handedIn !== undefined) return handedIn;
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new UsageFault(
      `This binary may not read the environment variable ${name}. ` +
        `Pass it as ROLLCALL_ENV_${name}="$${name}".`,
      { cause: error },
    );
  }
}

async function get(url: string, limits: GetLimits): Promise<Got> {
  using client = fetchClient(limits.client ?? { proxy: null, authorities: [] });
  return await httpGet(client, url, limits, denoClock);
}

/** Reading the limit itself would need a program or more permissions; each try costs 15 µs. */
function countOpenable(limit: number): number {
  const files: Deno.FsFile[] = [];
  try {
    while (files.length < limit) files.push(Deno.openSync("/dev/null"));
  } catch (error) {
    // The runtime has no class for it.
    if (!(error instanceof Error) || !/os error 2[34]\b/.test(error.message)) throw error;
  } finally {
    for (const file of files) file.close();
  }
  return files.length;
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined; // not every system tells
  }
}

/** Longer than a controller that is well takes; one that is not would keep squeue for minutes. */
const SQUEUE_MS = 10_000;

async function squeue(job: string): Promise<string> {
  const env: Record<string, string> = { SLURM_TIME_FORMAT: "%s" };
  for (const name of ["PATH", "SLURM_CONF"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  const signal = AbortSignal.timeout(SQUEUE_MS);
  let output;
  try {
    output = await new Deno.Command("squeue", {
      args: ["--noheader", "--format=%e", `--jobs=${job}`],
      // Without this the runtime refuses where LD_LIBRARY_PATH is set, as it is on most clusters.
      clearEnv: true,
      env,
      stdin: "null",
      signal,
    }).output();
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound;
    throw new Error(missing ? "there is no squeue on the PATH" : (error as Error).message, { cause: error });
  }
  if (signal.aborted) throw new Error(`squeue: no response within ${SQUEUE_MS / 1000} s`);
  const decoder = new TextDecoder();
  if (output.success) return decoder.decode(output.stdout);
  const line = decoder.decode(output.stderr).trim().split("\n")[0];
  throw new Error(`squeue: ${line || `exit code ${output.code}`}`);
}

/** The job gets this process's environment, as from a shell. */
async function sbatch(script: string, options: readonly string[]): Promise<string> {
  let child;
  try {
    child = new Deno.Command("sbatch", {
      args: ["--parsable", ...options],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UsageFault("There is no sbatch on the PATH.");
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new UsageFault(
      "The runtime starts no program where LD_LIBRARY_PATH or LD_PRELOAD is set. Submit with a shell: " +
        "rollcall submit slurm … --dry-run -- … | bash",
      { cause: error },
    );
  }
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script)).then(() => writer.close(), () => {});
  const { success, code, stdout, stderr } = await child.output(), decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new RunFault(`sbatch: ${decoder.decode(stderr).trim() || `exit code ${code}`}`);
}

/** Beside this module: among the sources, and in the bundle that the executable holds, as `worker.js`. */
const WORKER = import.meta.url.replace(/[^/]+(\.[jt]s)$/, "worker$1");
const EXAMINER = import.meta.url.replace(/[^/]+(\.[jt]s)$/, "health_worker$1");
const EXPORTER = import.meta.url.replace(/[^/]+(\.[jt]s)$/, "exporter_worker$1");

/** A Worker of this module. What goes wrong in it outside of its own care is heard as `crashed`. */
function startWorker(
  name: string,
  module: string,
  permissions: Permissions,
  hear: (message: unknown) => void,
): Sandboxed {
  const worker = new Worker(module, {
    type: "module",
    name,
    deno: { permissions: sandbox(permissions) },
  });
  worker.onmessage = ({ data }: MessageEvent<unknown>) => hear(data);
  worker.onerror = (event) => {
    event.preventDefault(); // otherwise the whole process dies silently
    hear({ kind: "crashed", message: event.message });
  };
  return {
    send: (message, transfer = []) => worker.postMessage(message, transfer),
    terminate: () => worker.terminate(),
  };
}
