/**
 * The whole program on the command line, from the sources or, with ROLLCALL_BIN=/path/to/rollcall, as it is shipped.
 * What a test waits for is what the program says, never a time.
 */
import { join } from "node:path";

const project = join(import.meta.dirname!, "..", "..");
const binary = Deno.env.get("ROLLCALL_BIN");
const sources = [Deno.execPath(), "run", "-q", "--no-prompt", "-P=rollcall", `--config=${project}/deno.json`];

/** The words that start the program. */
export const command: readonly string[] = binary ? [binary] : [...sources, `${project}/main.ts`];

/** A line of a file, as far as tests look at it. */
export interface Line {
  readonly _ng_task_index: number;
  readonly _ng_rollout_index: number;
  readonly _ng_attempt_index?: number;
  readonly reward?: number;
  readonly _ng_failure_class?: string;
  readonly _ng_failure_type?: string;
  readonly _ng_failure_kind?: string;
  readonly _ng_failure_message?: string;
  readonly _ng_failure_http_status?: number | null;
  readonly _ng_failure_delivery?: string;
}

/** What a run left. */
export interface Ended {
  readonly code: number;
  /** Everything that was said. */
  readonly said: string;
  readonly rollouts: readonly Line[];
  readonly failures: readonly Line[];
  /** The summary of `--json`; undefined when there is none. */
  readonly summary: { readonly [key: string]: number | string | null } | undefined;
}

/** Settings of {@link start}. */
export interface RunOptions {
  /** How many rows; one task each. */
  readonly rows: number;
  /** Where rows go: the base URL of the agent; one of several by the number of a row. */
  readonly url: string | readonly string[];
  readonly args?: readonly string[];
  /** Beside PATH and what the runtime needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words in front of the command: a program that starts it. */
  readonly through?: readonly string[];
}

/** A run that has begun. */
export interface Running {
  /** Its folder. */
  readonly folder: string;
  /** Resolves once it has said something like this on the terminal. */
  says(what: RegExp): Promise<void>;
  /** What it has said so far. */
  said(): string;
  /** Waits for something that only comes about while it runs. */
  until(event: Promise<unknown>): Promise<void>;
  /** Sends it a signal. */
  kill(signal: Deno.Signal): void;
  /** Resolves once it has ended. Its folder is gone then. */
  readonly ended: Promise<Ended>;
}

/** Starts `rollcall collect --json` on rows of its own. */
export function start({ rows, url, args = [], env = {}, through = [] }: RunOptions): Running {
  const folder = Deno.makeTempDirSync({ prefix: "rollcall-" });
  const urls = typeof url === "string" ? [url] : url;
  Deno.writeTextFileSync(
    join(folder, "in.jsonl"),
    Array.from({ length: rows }, (_, row) =>
      JSON.stringify({
        responses_create_params: { input: `question ${row}` },
        agent_ref: { name: `agent_${row % urls.length}` },
      }) + "\n").join(""),
  );
  const [program, ...words] = [
    ...through,
    ...command,
    ...["collect", "--json", "--disable-aggregation", "-i", "in.jsonl", "-o", "out.jsonl"],
    ...urls.map((url, k) => `--server=agent_${k}=${url}`),
    ...args,
  ];
  const child = new Deno.Command(program!, {
    args: words,
    cwd: folder,
    clearEnv: true,
    env: { ...kept(), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said = new Said(child.stderr);
  const ended = end(child, said, folder);
  return {
    folder,
    says: (what) => said.has(what),
    said: () => said.text,
    async until(event) {
      const over = ended.then(({ said }) => {
        throw new Error(`It ended before its time:\n${said}`);
      });
      await Promise.race([event, over]);
      over.catch(() => {});
    },
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Runs to its end. */
export function collect(options: RunOptions): Promise<Ended> {
  return start(options).ended;
}

/** `TASK-ROLLOUT` of each line, sorted. */
export function identities(lines: readonly Line[]): string[] {
  return lines.map((line) => `${line._ng_task_index}-${line._ng_rollout_index}`).sort();
}

function kept(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "DENO_DIR"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}

async function end(child: Deno.ChildProcess, said: Said, folder: string): Promise<Ended> {
  const [{ code }, out] = await Promise.all([child.status, new Response(child.stdout).text(), said.over]);
  const ended = {
    code,
    said: said.text,
    rollouts: linesOf(join(folder, "out.jsonl")),
    failures: linesOf(join(folder, "out_failures.jsonl")),
    summary: out.trim() ? JSON.parse(out) : undefined,
  };
  Deno.removeSync(folder, { recursive: true });
  return ended;
}

function linesOf(path: string): Line[] {
  let text;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** A stream of text that is waited on. */
class Said {
  text = "";
  readonly over: Promise<void>;
  #isOver = false;
  #waiting: { what: RegExp; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.over = this.#read(stream);
  }

  has(what: RegExp): Promise<void> {
    if (what.test(this.text)) return Promise.resolve();
    if (this.#isOver) return Promise.reject(this.#never(what));
    return new Promise((resolve, reject) => this.#waiting.push({ what, resolve, reject }));
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      this.text += piece;
      this.#waiting = this.#waiting.filter(({ what, resolve }) => !what.test(this.text) || void resolve());
    }
    this.#isOver = true;
    for (const { what, reject } of this.#waiting) reject(this.#never(what));
  }

  #never(what: RegExp): Error {
    return new Error(`It ended without saying ${what}:\n${this.text}`);
  }
}
