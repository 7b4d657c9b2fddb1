/**
 * rollcall as a function, for thousands of runs: in this process, over real HTTP and on the real disk, its collector
 * beside it instead of in a Worker. With ROLLCALL_BIN the same runs are processes of that executable.
 */
import { isAbsolute, join, resolve } from "node:path";
import { run } from "../../src/cli/rollcall.ts";
import { collector } from "../../src/edge/collector.ts";
import { denoWorld } from "../../src/edge/deno_world.ts";
import type { ToCollector } from "../../src/collect/messages.ts";
import type { Disk } from "../../src/ports/disk.ts";
import type { World } from "../../src/ports/world.ts";
import { SpyTerminal } from "../fakes/fake_world.ts";
import { rollcall as runProcess } from "../e2e/_rollcall.ts";

/** How a run ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Whether runs are processes. */
export const AS_PROCESS = Deno.env.has("ROLLCALL_BIN");

/** A run that takes longer than this is stuck. */
const STUCK_MS = 180_000;

/** Runs rollcall in a folder. */
export async function rollcall(folder: string, args: readonly string[]): Promise<Ended> {
  if (AS_PROCESS) return await runProcess(args, { cwd: folder });
  // Cases that wait for nothing would not let the others have their turn.
  await new Promise((resolve) => setTimeout(resolve));
  const terminal = new SpyTerminal();
  const stuck = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    stuck.reject(new Error(`stuck: ${args.join(" ")}\n${terminal.stderr}`));
  }, STUCK_MS);
  try {
    const code = await Promise.race([run(world(folder, args, terminal)), stuck.promise]);
    return { code, out: terminal.stdout, err: terminal.stderr };
  } finally {
    clearTimeout(timer);
  }
}

function world(folder: string, args: readonly string[], terminal: SpyTerminal): World {
  const real = denoWorld("rollcall", args, () => () => {});
  return {
    ...real,
    terminal,
    env: () => undefined,
    disk: within(real.disk, folder),
    onSignal: () => () => {},
    countOpenable: (most) => most,
    squeue: () => Promise.reject(new Error("there is no squeue")),
    narrow() {},
    startCollector(_permissions, hear) {
      let isOver = false;
      // What a Worker could not be told, or could not tell, fails here too.
      const tell = (message: unknown) => {
        const copy = structuredClone(message);
        setTimeout(() => isOver || hear(copy));
      };
      const heard = collector(tell);
      tell({ kind: "ready" });
      return {
        send(message, transfer = []) {
          const copy = structuredClone(message, { transfer }) as ToCollector;
          setTimeout(() => isOver || heard(copy));
        },
        terminate: () => void (isOver = true),
      };
    },
  };
}

/** The disk, with relative paths below a folder. */
function within(disk: Disk, folder: string): Disk {
  return new Proxy(disk, {
    get(target, name: keyof Disk) {
      const member = target[name];
      if (typeof member !== "function") return member;
      return (path: unknown, ...rest: unknown[]) => {
        const at = typeof path === "string" && !isAbsolute(path) ? resolve(folder, path) : path;
        return (member as (...all: unknown[]) => unknown)(at, ...rest);
      };
    },
  });
}

const ROOT = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "rollcall-fuzz-" }));

/** Removes what cases have left that were interrupted. */
export function removeFolders(): void {
  Deno.removeSync(ROOT, { recursive: true });
}

/** A folder for one case. */
export class Folder implements Disposable {
  readonly path = Deno.makeTempDirSync({ dir: ROOT });

  at(name: string): string {
    return join(this.path, name);
  }

  /** A file's bytes; none when there is no file. */
  bytes(name: string): Uint8Array<ArrayBuffer> {
    try {
      return Deno.readFileSync(this.at(name));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return new Uint8Array();
      throw error;
    }
  }

  /** A file's text, each byte a character, so that nothing is lost of what is no UTF-8. */
  text(name: string): string {
    return new TextDecoder("latin1").decode(this.bytes(name));
  }

  /** Whether there is a file or a folder of that name. */
  has(name: string): boolean {
    return [...Deno.readDirSync(this.path)].some((entry) => entry.name === name);
  }

  write(name: string, content: string | Uint8Array): void {
    if (typeof content === "string") Deno.writeTextFileSync(this.at(name), content);
    else Deno.writeFileSync(this.at(name), content);
  }

  /** Names and contents of all files. */
  snapshot(): Map<string, string> {
    const names = [...Deno.readDirSync(this.path)].filter(({ isFile }) => isFile).map(({ name }) => name);
    return new Map(names.sort().map((name) => [name, this.text(name)]));
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}
