/**
 * What a failures sidecar holds, by class: counts, the last message, servers, examples. Read line by line; what is kept
 * is bounded, whatever servers have declared.
 */
import { JsonFault } from "../json/scan.ts";
import { isNull, isObject } from "../json/kind.ts";
import { MemberScan } from "../json/member_scan.ts";
import { readObject } from "../json/object.ts";
import { textOf } from "../json/text.ts";
import { isBlank, type TextLine } from "../kit/lines.ts";
import { classNameOf } from "../record/failure.ts";
import { KEYS } from "../record/keys.ts";
import { ownId } from "../record/task_name.ts";

/** Classes that are told apart; failures of further ones are only counted. */
const CLASSES = 4096;

/** Of each class. */
const SERVERS = 8, EXAMPLES = 3;

/** In characters. */
const MESSAGE = 300, BODY = 300, SERVER = 100;

/** A rollout that failed. */
export interface Example {
  readonly task: number;
  readonly rollout: number;
  /** What its data set calls the task, or null. */
  id: string | null;
}

/** The failures of a class. */
export interface FailuresOfClass {
  readonly name: string;
  /** Recorded attempts. */
  failures: number;
  /** The last message that one of them has, or null. */
  message: string | null;
  /** The beginning of the last response body that one of them has, or null. */
  body: string | null;
  /** Names of the servers or agents that they are from: the first few. */
  readonly servers: Set<string>;
  /** Whether there are more servers than these. */
  moreServers: boolean;
  /** The first few rollouts. */
  readonly examples: Example[];
}

const CLASS = 0, TEXT = 1, TASK = 2, ROLLOUT = 3, ENVIRONMENT = 4, AGENT = 5, RESPONSE = 6;

/** Takes the lines of a sidecar. */
export class FailureBook {
  /** Recorded attempts, of all classes. */
  failures = 0;
  /** Those among them whose class is one too many to be told apart. */
  others = 0;
  /** Lines that are not JSON. */
  bad = 0;
  readonly #classes = new Map<string, FailuresOfClass>();
  readonly #scan = new MemberScan([
    KEYS.failureClass,
    KEYS.failureMessage,
    KEYS.task,
    KEYS.rollout,
    KEYS.server,
    KEYS.agent,
    KEYS.failureBody,
  ]);

  /** The names of the classes. */
  get names(): string[] {
    return [...this.#classes.keys()];
  }

  /** The classes, those with the most failures first. */
  get classes(): FailuresOfClass[] {
    return [...this.#classes.values()].sort((a, b) => b.failures - a.failures || (a.name < b.name ? -1 : 1));
  }

  /** Takes the next line. */
  push({ bytes, whole }: TextLine): void {
    const scan = this.#scan;
    if (scan.scan(bytes) !== undefined) {
      if (whole && !isBlank(bytes)) this.bad++;
      return;
    }
    this.failures++;
    const declared = scan.raw(CLASS), entry = this.#entryOf(declared ? classNameOf(declared) : "unknown");
    if (!entry) {
      this.others++;
      return;
    }
    entry.failures++;
    const message = scan.raw(TEXT);
    if (message) entry.message = textOf(message, MESSAGE);
    const body = scan.raw(RESPONSE);
    if (body && !isNull(body)) entry.body = textOf(body, BODY);
    const server = this.#server();
    if (server !== undefined && !entry.servers.has(server)) {
      if (entry.servers.size < SERVERS) entry.servers.add(server);
      else entry.moreServers = true;
    }
    const task = scan.wholeNumber(TASK), rollout = scan.wholeNumber(ROLLOUT);
    if (task === undefined || rollout === undefined || entry.examples.length >= EXAMPLES) return;
    if (entry.examples.some((other) => other.task === task && other.rollout === rollout)) return;
    entry.examples.push({ task, rollout, id: idOf(bytes) });
  }

  #entryOf(name: string): FailuresOfClass | undefined {
    let entry = this.#classes.get(name);
    if (!entry && this.#classes.size < CLASSES) {
      entry = {
        name,
        failures: 0,
        message: null,
        body: null,
        servers: new Set(),
        moreServers: false,
        examples: [],
      };
      this.#classes.set(name, entry);
    }
    return entry;
  }

  #server(): string | undefined {
    const agent = this.#scan.raw(AGENT);
    const raw = this.#scan.raw(ENVIRONMENT) ?? (isObject(agent) ? readObject(agent).raw("name") : undefined);
    return raw && textOf(raw, SERVER);
  }
}

/** Gives examples the ids of their tasks, as the materialized inputs have them; stops when each has one. */
export function nameExamples(examples: readonly Example[], inputs: Iterable<TextLine>): void {
  const nameless = new Map(
    examples.filter(({ id }) => id === null).map((one) => [`${one.task}-${one.rollout}`, [] as Example[]]),
  );
  for (const one of examples) nameless.get(`${one.task}-${one.rollout}`)?.push(one);
  if (nameless.size === 0) return;
  const scan = new MemberScan([KEYS.task, KEYS.rollout]);
  for (const { bytes } of inputs) {
    if (scan.scan(bytes) !== undefined) continue;
    const identity = `${scan.wholeNumber(0)}-${scan.wholeNumber(1)}`, found = nameless.get(identity);
    if (!found) continue;
    const id = idOf(bytes);
    for (const one of found) one.id = id;
    nameless.delete(identity);
    if (nameless.size === 0) return;
  }
}

/** In characters. */
const ID = 100;

function idOf(line: Uint8Array): string | null {
  try {
    const id = ownId(readObject(line));
    return id === undefined ? null : [...id.slice(0, 2 * ID)].slice(0, ID).join("");
  } catch (error) {
    if (error instanceof JsonFault || error instanceof SyntaxError) return null;
    throw error;
  }
}
