/** Asks a head server for the run's merged configuration. */
import type { Config } from "../config/config.ts";
import { headersOf } from "../config/headers.ts";
import { UsageFault } from "../kit/fault.ts";
import { shown } from "../config/value_errors.ts";
import { yamlFault } from "./config_files.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";

/** A head server answers from memory; one that takes longer is not a head server, or in trouble. */
const TIMEOUT_MS = 15_000;

const HINT = "Is this Gym's head server, and not another one (--head HOST:PORT, +head_server.port=…)?";

/** Where Gym's head server is unless said otherwise. */
const DEFAULT = { host: "127.0.0.1", port: 11000 };

/**
 * The configuration that the head server answers, or an empty one where servers were named by hand and no head
 * server was.
 *
 * @throws {UsageFault} naming the URL and what to check
 */
export async function headConfig(
  config: Pick<Config, "head_server" | "servers" | "max_response_bytes" | "headers" | "header_env">,
  world: World,
): Promise<Record<string, unknown>> {
  const head = config.head_server ?? (Object.keys(config.servers).length > 0 ? null : DEFAULT);
  if (!head) return {};
  const host = head.host.includes(":") && !head.host.startsWith("[") ? `[${head.host}]` : head.host;
  const base = URL.parse(`http://${host}:${head.port}`);
  if (!base || base.username || base.password || base.pathname !== "/" || base.search || base.hash) {
    throw new UsageFault(
      `The host of head_server must be a name or an address, got ${
        shown(head.host.replace(/([?#]).*/s, "$1…"), [])
      }.`,
    );
  }
  const headers = headersOf(config, world.env);
  const url = `http://${host}:${head.port}/global_config_dict_yaml`;
  let answer;
  try {
    answer = await world.get(url, { timeoutMs: TIMEOUT_MS, maxBytes: config.max_response_bytes, headers });
  } catch (error) {
    throw new UsageFault(
      `Cannot reach the head server at ${url}: ${systemReason(error)}.\n` +
        `Is Gym running (gym env start …)? Is the address right (--head HOST:PORT, +head_server.port=…)? ` +
        `Without a head server, name each server: --server NAME=http://HOST:PORT.`,
      { cause: error },
    );
  }
  if (answer.status !== 200) {
    throw new UsageFault(
      `The head server at ${url} answered ${answer.status}. ` +
        (answer.status >= 500 ? "Is it still starting, or broken? See its log." : HINT),
    );
  }
  return await parseHeadAnswer(answer.text, url);
}

/** The configuration out of a head server's answer: a JSON string whose text is YAML, of which JSON is a part. */
async function parseHeadAnswer(text: string, url: string): Promise<Record<string, unknown>> {
  // What was answered is not quoted: it holds secrets.
  const wrong = (reason: string, cause?: unknown) =>
    new UsageFault(`Cannot read the configuration that ${url} answered: ${reason}. ${HINT}`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(/^\s*</.test(text) ? "it is a web page, not JSON" : "it is not JSON", error);
  }
  if (typeof value === "string") {
    try {
      value = await parseYaml(value);
    } catch (error) {
      const { at, reason } = yamlFault(error);
      throw wrong(`its text is not YAML (${at && `at ${at.slice(1)}: `}${reason})`, error);
    }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong("it holds no map of keys");
  }
  return value as Record<string, unknown>;
}

async function parseYaml(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // Loaded only when needed: it is the slowest of the libraries to load. Gym writes YAML 1.1.
    const { default: { parse } } = await import("yaml");
    return parse(text, { version: "1.1", uniqueKeys: false, logLevel: "error" });
  }
}
