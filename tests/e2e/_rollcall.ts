/**
 * The program itself, as a process: the sources, or the compiled binary that ROLLCALL_BIN names. Tests wait for what it
 * says and for what the server has seen, never for a time.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Reply, type Seen, TcpServer } from "../edge/_tcp_server.ts";

const PROJECT = join(import.meta.dirname!, "..", "..");
const BIN = Deno.env.get("ROLLCALL_BIN");

/** The command line of rollcall, without arguments for it. */
export const COMMAND: readonly string[] = BIN ? [BIN] : [
  Deno.execPath(),
  "run",
  "-q",
  "--no-prompt",
  "-P=rollcall",
  "--config",
  join(PROJECT, "deno.json"),
  join(PROJECT, "main.ts"),
];

/** A process that is stuck is killed, so that its test fails instead of waiting for ever. */
const TOO_LONG_MS = 120_000;

/** Settings of {@link start}. */
export interface StartOptions {
  /** The working folder. */
  readonly cwd: string;
  /** Variables on top of this process's own, of which those of proxies and colours are taken out. */
  readonly env?: Readonly<Record<string, string>>;
  /** Leaves standard input open, to be closed with {@link Process.closeInput}. */
  readonly input?: boolean;
  /** Put in front of the command. */
  readonly wrap?: readonly string[];
  /** A stream whose reader goes away before anything is written. */
  readonly deaf?: "stdout" | "stderr";
}

/** How a process ended. */
export interface Ended {
  readonly code: number;
  /** Everything on standard output. */
  readonly out: string;
  /** Everything on standard error. */
  readonly err: string;
}

/** A rollcall that runs. */
export class Process implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  /** What was said on standard error so far. */
  err = "";
  out = "";
  readonly #waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];
  readonly #printing: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];
  readonly #reading: Promise<unknown>;

  constructor(child: Deno.ChildProcess, deaf?: "stdout" | "stderr") {
    this.child = child;
    const timer = setTimeout(() => child.kill("SIGKILL"), TOO_LONG_MS);
    child.status.finally(() => clearTimeout(timer));
    this.#reading = Promise.all([
      deaf === "stdout" ? child.stdout.cancel() : drain(child.stdout, (text) => {
        this.out += text;
        for (const { pattern, resolve } of this.#printing) if (pattern.test(this.out)) resolve();
      }),
      deaf === "stderr" ? child.stderr.cancel() : drain(child.stderr, (text) => {
        this.err += text;
        for (const { pattern, resolve } of this.#waiting) if (pattern.test(this.err)) resolve();
      }),
    ]);
  }

  /** Resolves once standard error holds `pattern`; fails when the process ends without. */
  says(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ pattern, resolve });
    if (pattern.test(this.err)) resolve();
    return this.until(promise);
  }

  /** Resolves with `promise`; fails when the process ends before that. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const over = this.#reading.then(() => assert.fail(`it ended too early: ${this.err}`));
    return await Promise.race([promise, over]);
  }

  /** Resolves once standard output holds `pattern`; fails when the process ends without. */
  prints(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#printing.push({ pattern, resolve });
    if (pattern.test(this.out)) resolve();
    return this.until(promise);
  }

  /** Sends a signal. */
  kill(signal: Deno.Signal): void {
    this.child.kill(signal);
  }

  /** Closes its standard input. */
  async closeInput(): Promise<void> {
    await this.child.stdin.close();
  }

  /** Resolves once it is over. */
  async ends(): Promise<Ended> {
    const [{ code }] = await Promise.all([this.child.status, this.#reading]);
    return { code, out: this.out, err: this.err };
  }

  /** Ends it, if a test ends before it. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.child.kill("SIGKILL");
    } catch {
      // over already
    }
    try {
      await this.child.stdin.close(); // a child of its own may wait for that
    } catch {
      // none, or closed already
    }
    await this.child.status;
    await this.#reading;
  }
}

async function drain(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}

/** The environment of a process that should not depend on who runs the tests. */
export function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env = Object.entries(Deno.env.toObject()).filter(([name]) =>
    !/^(https?|all|no)_proxy$|^(no|force)_color$|^ci$|^(nemo_gym|rollcall|slurm)_/i.test(name)
  );
  return { ...Object.fromEntries(env), ...more };
}

/** Starts rollcall. */
export function start(
  args: readonly string[],
  { cwd, env = {}, input = false, wrap = [], deaf }: StartOptions,
): Process {
  const [program, ...rest] = [...wrap, ...COMMAND, ...args];
  const child = new Deno.Command(program!, {
    args: rest,
    cwd,
    clearEnv: true,
    env: environment(env),
    stdin: input ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return new Process(child, deaf);
}

/** Runs rollcall to its end. */
export async function rollcall(args: readonly string[], options: StartOptions): Promise<Ended> {
  await using process = start(args, options);
  return await process.ends();
}

/** A folder of a test's own. */
export class Scratch implements AsyncDisposable {
  readonly path: string;

  constructor() {
    this.path = Deno.realPathSync(Deno.makeTempDirSync());
  }

  /** The path of a file in it. */
  at(name: string): string {
    return join(this.path, name);
  }

  /** Writes a file. */
  write(name: string, text: string): string {
    Deno.mkdirSync(join(this.at(name), ".."), { recursive: true });
    Deno.writeTextFileSync(this.at(name), text);
    return name;
  }

  /** Writes so many tasks of an agent. */
  tasks(count: number, agent = "a", name = "tasks.jsonl"): string {
    const task = (n: number) =>
      JSON.stringify({ n, agent_ref: { name: agent }, responses_create_params: { input: `task ${n}` } });
    return this.write(name, Array.from({ length: count }, (_, n) => `${task(n)}\n`).join(""));
  }

  /** The rows of a file, each of which has to be whole. */
  rows(name: string): Record<string, unknown>[] {
    const text = Deno.readTextFileSync(this.at(name));
    assert.ok(text === "" || text.endsWith("\n"), `the last line of ${name} is torn`);
    return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  /** Every file and folder below, by name, with its content. */
  snapshot(): Record<string, string> {
    const all: Record<string, string> = {};
    const walk = (below: string) => {
      for (const { name, isDirectory, isSymlink } of Deno.readDirSync(this.at(below))) {
        const path = below ? `${below}/${name}` : name;
        if (isSymlink) all[path] = `-> ${Deno.readLinkSync(this.at(path))}`;
        else all[path] = isDirectory ? "folder" : Deno.readTextFileSync(this.at(path));
        if (isDirectory) walk(path);
      }
    };
    walk("");
    return Object.fromEntries(Object.entries(all).sort());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

/** A request for a rollout, parsed. */
export interface Run {
  readonly row: Record<string, unknown>;
  /** `n` of the task. */
  readonly n: number;
  readonly seen: Seen;
}

/** A server that speaks Gym's protocol: a head server, one agent `a`, and its metrics. */
export class Gym extends TcpServer {
  constructor(run: (run: Run) => Reply | Promise<Reply> = () => reward(1), port = 0) {
    super((seen) => {
      switch (seen.path) {
        case "/run": {
          const row = JSON.parse(seen.body);
          return run({ row, n: row.n, seen });
        }
        case "/aggregate_metrics":
          return this.aggregate();
        case "/global_config_dict_yaml":
          return this.head();
        default:
          return { status: 404 };
      }
    }, { port });
  }

  /** What it answers when it is asked for metrics. */
  aggregate: () => Reply | Promise<Reply> = () => ({ body: '{"key_metrics":{"mean/reward":1.0}}' });

  /** What its head server answers. */
  head: () => Reply | Promise<Reply> = () => ({ body: JSON.stringify(this.yaml) });

  /** The configuration of its servers. */
  get yaml(): string {
    return `a:\n  responses_api_agents:\n    simple_agent:\n      host: 127.0.0.1\n      port: ${this.port}\n`;
  }

  /** `--server` for it. */
  get flag(): readonly string[] {
    return ["--server", `a=${this.url}`];
  }

  /** The tasks it was asked to run, in order. */
  get asked(): number[] {
    return this.seen.filter(({ path }) => path === "/run").map(({ body }) => JSON.parse(body).n);
  }
}

/** An ordinary result. */
export function reward(value: number): Reply {
  return { body: JSON.stringify({ reward: value, response: {} }) };
}

/** Something that a test lets through when it likes. */
export class Gate {
  readonly #passed = Promise.withResolvers<void>();

  /** Resolves once the gate is open. */
  get passed(): Promise<void> {
    return this.#passed.promise;
  }

  /** Opens it. */
  open(): void {
    this.#passed.resolve();
  }
}
