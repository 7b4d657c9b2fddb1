/** Everything the command line's side needs from the machine. `edge/deno_world.ts` implements it; `main.ts` builds it. */
import type { Clock, Dice } from "./clock.ts";
import type { Disk } from "./disk.ts";
import type { Env } from "./env.ts";
import type { Headers, HttpClientOptions } from "./http.ts";
import type { Permissions, Sandboxed } from "./sandbox.ts";
import type { Terminal } from "./terminal.ts";

/** The response to a GET. */
export interface Got {
  /** The HTTP status. */
  readonly status: number;
  /** The body as text. */
  readonly text: string;
  /** When the server says it answered: its Date header. */
  readonly date?: string;
}

/** The limits of a GET. */
export interface GetLimits {
  /** Maximum time to the end of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of the body, in bytes, or none. */
  readonly maxBytes: number | null;
  /** How the server is reached; directly, and with the authorities of the system, unless said otherwise. */
  readonly client?: HttpClientOptions;
  /** Sent with it. */
  readonly headers?: Headers;
}

/** How a command ended. */
export interface CommandEnd {
  /** Its exit code. */
  readonly code: number;
  /** The signal that ended it, or null. */
  readonly signal: string | null;
}

/** A shell command that has not been run yet. */
export interface WaitingCommand {
  /** Runs it with this on its standard input; resolves once it is over. Needs no permission any more. */
  run(input: string): Promise<CommandEnd>;
  /** Never runs it. No effect once it runs. */
  cancel(): void;
}

/** The machine, for one process. */
export interface World {
  /** The name it was called by, without its folder. */
  readonly name: string;
  /** The arguments behind the name. */
  readonly args: readonly string[];
  /** Environment variables. */
  readonly env: Env;
  /** What rollcall runs on, for people: `Deno 2.6.8, x86_64-unknown-linux-gnu`. */
  readonly runtime: string;
  /** Where output goes. */
  readonly terminal: Terminal;
  /** Tells the time. */
  readonly clock: Clock;
  /** Random numbers. */
  readonly dice: Dice;
  /** The disk. */
  readonly disk: Disk;
  /**
   * Calls back on SIGINT, SIGTERM and SIGUSR1: at once for those that have come since the process started. SIGHUP is
   * ignored. The returned function ends that permanently: signals then have their default effect.
   */
  onSignal(call: (name: "SIGINT" | "SIGTERM" | "SIGUSR1") => void): () => void;
  /** A GET without redirects. @throws {Error} whose message says why there is no complete response */
  get(url: string, limits: GetLimits): Promise<Got>;
  /** How many more files this process could open now, counted up to `most`. */
  countOpenable(most: number): number;
  /** Bytes that this user may still write in a folder; `undefined` when the system does not say. */
  freeBytes(folder: string): number | undefined;
  /** Variables of the environment that named proxies, and that no request heeds. */
  readonly ignoredProxies: readonly string[];
  /** Asks whoever sits at the terminal; null without one. The answer may be empty; null is none. */
  readonly ask: ((question: string) => string | null) | null;
  /**
   * What `squeue` prints for the end of a job: seconds since 1970, or a word.
   *
   * @throws {Error} whose message says why it cannot be run
   */
  squeue(job: string): Promise<string>;
  /**
   * A shell command to be run later, when programs may no longer be started. It is not run when this process is gone.
   *
   * @throws {UsageFault} when no shell can be started
   */
  prepareCommand(command: string): WaitingCommand;
  /**
   * Submits a job script to Slurm.
   *
   * @returns the job's number, perhaps with `;CLUSTER` behind it
   * @throws {Error} whose message says why it cannot be submitted
   */
  sbatch(script: string, options: readonly string[]): Promise<string>;
  /** Starts a collector that can reach nothing but what it is given here. */
  startCollector(permissions: Permissions, hear: (message: unknown) => void): Sandboxed;
  /** Starts an exporter, in the same way. */
  startExporter(permissions: Permissions, hear: (message: unknown) => void): Sandboxed;
  /** Starts a Worker for the health checks, which may touch nothing. */
  startExaminer(hear: (message: unknown) => void): Sandboxed;
  /** How many processors this process may use. */
  readonly cores: number;
  /** Permanently drops the permissions that the command line's side no longer needs once the collector runs: network and programs. */
  narrow(): void;
  /** Serves on a free port of 127.0.0.1 until stopped. */
  serve(handler: (request: Request) => Promise<Response>): { readonly port: number; stop(): Promise<void> };
}
