/**
 * The head server and the environment servers of one step: they answer by rule, and remember what they were
 * sent.
 */
import { dirname, join } from "node:path";
import { type HttpAnswer, type HttpRequest, HttpServer } from "./http_server.ts";
import { identityOf } from "./identity.ts";
import {
  decodeUtf8,
  dumps,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  Num,
  parseJson,
  parseOrText,
} from "./json.ts";
import { bodyOf, Rules } from "./rules.ts";
import type { Rule, Step } from "./script.ts";
import { toYaml } from "./yaml.ts";

/** A POST that a server got. A body that is not JSON is kept as text. */
export interface SeenRequest extends JsonObject {
  server: string;
  path: string;
  body: Json;
}

/** How a {@linkcode World} is set up. */
export interface WorldOptions {
  /** The working folder, into which rules write. */
  readonly work: string;
  /** Waits, or returns early when the signal is aborted. @default a timer */
  readonly sleep?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

type ServerName = string | null; // null: the head server

/** The servers, listening from construction on until {@linkcode close}. */
export class World {
  /** In order of arrival. */
  readonly requests: SeenRequest[] = [];
  /** The port that the program is told; with `noHead` nothing listens there. */
  readonly headPort: number;
  readonly #work: string;
  readonly #sleep: (seconds: number, signal: AbortSignal) => Promise<void>;
  readonly #rules: Rules;
  readonly #servers: HttpServer[] = [];
  readonly #headBody: Uint8Array<ArrayBuffer>;
  readonly #stopping = new AbortController();
  readonly #closing: Promise<void>[] = [];
  #active = 0;
  #peak = 0;

  constructor(step: Pick<Step, "config" | "configFormat" | "replies" | "noHead">, options: WorldOptions) {
    this.#work = options.work;
    this.#sleep = options.sleep ?? timer;
    this.#rules = new Rules(step.replies);
    const config = parseJson(dumps(step.config).replaceAll("{work}", options.work)) as JsonObject;
    for (const [name, implementation] of serverBlocks(config)) {
      implementation.host = "127.0.0.1";
      implementation.port = new Num(String(this.#listen(name)));
    }
    const text = step.configFormat === "json" ? dumps(config) : toYaml(config).join("\n") + "\n";
    this.#headBody = encoder.encode(JSON.stringify(text));
    this.headPort = this.#listen(null);
    if (step.noHead) this.#closing.push(this.#servers.pop()!.close());
  }

  /** The largest number of /run requests that were in progress at once. */
  get peak(): number {
    return this.#peak;
  }

  /** Ends every delay and closes every server and connection. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#closing.push(...this.#servers.splice(0).map((server) => server.close()));
    await Promise.all(this.#closing);
  }

  #listen(name: ServerName): number {
    const server = new HttpServer((request) => this.#answer(name, request));
    this.#servers.push(server);
    return server.port;
  }

  async #answer(name: ServerName, { method, path, body }: HttpRequest): Promise<HttpAnswer | "drop"> {
    if (method === "GET") {
      const isConfig = name === null && path === "/global_config_dict_yaml";
      return isConfig ? answer(200, this.#headBody) : answer(404, encoder.encode("{}"));
    }
    if (method !== "POST") return answer(501, encoder.encode(`no ${method} in a case`));
    try {
      return await this.#reply(name, path, body);
    } catch (error) { // a request that the case's reply cannot be made from
      return answer(500, encoder.encode(`the case cannot answer this request: ${error}`));
    }
  }

  async #reply(name: ServerName, path: string, raw: Uint8Array): Promise<HttpAnswer | "drop"> {
    const body = parseOrText(decodeUtf8(raw));
    this.requests.push({ server: name ?? "head", path, body });
    const rule = this.#rules.pick(name, path, identityOf(body));
    const counted = path === "/run" ? 1 : 0;
    this.#active += counted;
    this.#peak = Math.max(this.#peak, this.#active);
    try {
      if (rule.delay > 0) await this.#sleep(rule.delay, this.#stopping.signal);
      await this.#write(rule);
    } finally {
      this.#active -= counted;
    }
    return rule.drop ? "drop" : answer(rule.status, bodyOf(rule, body), rule.headers);
  }

  /** Writes a rule's files, as a model server writes its captures before it answers. */
  async #write(rule: Rule): Promise<void> {
    for (const [path, content] of Object.entries(rule.write)) {
      const file = join(this.#work, path);
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeTextFile(file, typeof content === "string" ? content : `${dumps(content)}\n`);
    }
  }
}

const encoder = new TextEncoder();

/** Every `NAME.TYPE.IMPLEMENTATION` block that has no port; a name with `no_server` gets no server. */
function* serverBlocks(config: JsonObject): Generator<[name: string, block: JsonObject]> {
  for (const [name, types] of Object.entries(config)) {
    if (!isObject(types) || !isEmpty(types.no_server)) continue;
    for (const type of Object.values(types).filter(isObject)) {
      for (const block of Object.values(type).filter(isObject)) {
        if (!Object.hasOwn(block, "port")) yield [name, block];
      }
    }
  }
}

function answer(
  status: number,
  body: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return { status, body, headers: { "content-type": "application/json", ...headers } };
}

function timer(seconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const id = setTimeout(resolve, seconds * 1000);
  signal.addEventListener("abort", () => {
    clearTimeout(id);
    resolve();
  }, { once: true });
  return promise;
}
