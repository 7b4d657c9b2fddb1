/** A world for commands: a recorded terminal, an environment of its own, and a folder of its own on the real disk. */
import assert from "node:assert/strict";
import { dirname, join, resolve } from "node:path";
import { run } from "../../src/cli/rollcall.ts";
import type { Got, World } from "../../src/ports/world.ts";
import type { Disk } from "../../src/ports/disk.ts";
import { denoWorld } from "../../src/edge/deno_world.ts";
import type { Terminal } from "../../src/ports/terminal.ts";

/** Remembers what was written. */
export class SpyTerminal implements Terminal {
  readonly live = false;
  readonly colour = false;
  readonly busy = false;
  /** What went to standard output. */
  stdout = "";
  /** What went to standard error. */
  stderr = "";
  columns = () => 80;
  out = (text: string) => void (this.stdout += text);
  err = (text: string) => void (this.stderr += text);
  flush = () => Promise.resolve();
}

type Signal = "SIGINT" | "SIGTERM" | "SIGUSR1";

/** What a {@link FakeWorld} is made of. */
export interface FakeWorldOptions {
  /** The name rollcall is called by. */
  readonly name?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the folder, by their paths; a path that ends in a slash is an empty folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** What standard input holds. */
  readonly stdin?: string;
  /** What a GET is answered, by URL; text is one with status 200, an error that there is none. */
  readonly answers?: Readonly<Record<string, Got | string | Error>>;
  /** Calls of the disk that fail, as `exists in.jsonl`. */
  readonly failing?: Readonly<Record<string, Error>>;
  /** A signal that came before anybody listened. */
  readonly signalled?: Signal;
  /** Whether a collector really starts, and other URLs are really asked; otherwise starting one fails the test. */
  readonly collector?: boolean;
}

/** See the module's comment. Its folder goes with it. */
export class FakeWorld implements Disposable {
  readonly terminal = new SpyTerminal();
  readonly world: World;
  /** URLs that were asked. */
  readonly asked: string[] = [];
  /** What was done on the disk, as `exists in.jsonl`. */
  readonly done: string[] = [];
  /** The folder that is the working folder of this world, links resolved. */
  readonly folder: string;
  #hear: ((name: Signal) => void) | undefined;

  constructor(options: FakeWorldOptions = {}) {
    const { name = "rollcall", args = [], env = {}, files = {}, answers = {}, collector = false } = options;
    this.folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "rollcall-test-" }));
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    const real = denoWorld(name, args, () => () => {});
    this.world = {
      ...real,
      terminal: this.terminal,
      env: (name) => env[name],
      disk: this.#disk(real.disk, options),
      onSignal: (call) => {
        this.#hear = call;
        if (options.signalled) call(options.signalled);
        return () => this.#hear = undefined;
      },
      get: (url, limits) => {
        this.asked.push(url);
        const answer = answers[url];
        if (answer === undefined && collector) return real.get(url, limits);
        if (answer === undefined) return Promise.reject(new Error("Connection refused"));
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve(typeof answer === "string" ? { status: 200, text: answer } : answer);
      },
      countOpenable: (most) => most,
      ask: null,
      squeue: () => Promise.reject(new Error("there is no squeue")),
      sbatch: () => Promise.reject(new Error("there is no sbatch")),
      startCollector: (permissions, hear) => {
        assert.ok(collector, "a collector was started");
        return real.startCollector(permissions, hear);
      },
      narrow() {}, // the test needs its permissions afterwards
    };
  }

  /** Runs rollcall in this world and returns its exit code. */
  run(): Promise<number> {
    return run(this.world);
  }

  /** Sends a signal; nothing happens when nobody listens. */
  signal(name: Signal): void {
    this.#hear?.(name);
  }

  /** Whether anybody listens to signals. */
  get listens(): boolean {
    return this.#hear !== undefined;
  }

  /** Everything in the folder, by path; folders end in a slash. */
  list(): string[] {
    const paths: string[] = [];
    const walk = (below: string) => {
      for (const { name, isDirectory } of Deno.readDirSync(join(this.folder, below))) {
        paths.push(`${below}${name}${isDirectory ? "/" : ""}`);
        if (isDirectory) walk(`${below}${name}/`);
      }
    };
    walk("");
    return paths.sort();
  }

  /** What a file holds. */
  text(path: string): string {
    return Deno.readTextFileSync(join(this.folder, path));
  }

  /** Makes a file and the folders above it; a path that ends in a slash is a folder. */
  write(path: string, content: string | Uint8Array): void {
    const at = join(this.folder, path);
    Deno.mkdirSync(path.endsWith("/") ? at : dirname(at), { recursive: true });
    if (path.endsWith("/")) return;
    if (typeof content === "string") Deno.writeTextFileSync(at, content);
    else Deno.writeFileSync(at, content);
  }

  /** Makes a link. */
  link(path: string, to: string): void {
    Deno.symlinkSync(to, join(this.folder, path));
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.folder, { recursive: true });
  }

  /** The real disk, with paths relative to the folder. */
  #disk(real: Disk, { stdin, failing = {} }: FakeWorldOptions): Disk {
    return new Proxy(real, {
      get: (target, property: keyof Disk) => {
        const member = target[property];
        if (typeof member !== "function") return member;
        return (path: unknown, ...rest: unknown[]) => {
          if (typeof path !== "string") return (member as (...all: unknown[]) => unknown)(path, ...rest);
          const shown = `${property} ${path.replace(`${this.folder}/`, "")}`;
          this.done.push(shown);
          if (failing[shown]) throw failing[shown];
          if (property === "readChunks" && path === "-") return chunks(stdin ?? "");
          return (member as (...all: unknown[]) => unknown)(resolve(this.folder, path), ...rest);
        };
      },
    });
  }
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  // In small pieces, as a pipe may have it.
  for (let at = 0; at < bytes.length; at += 7) yield await Promise.resolve(bytes.slice(at, at + 7));
}

/** What a head server answers: the configuration as a JSON string of YAML, of which JSON is a part. */
export function headAnswer(config: unknown): string {
  return JSON.stringify(typeof config === "string" ? config : JSON.stringify(config));
}
