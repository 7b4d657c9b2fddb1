/** Asks a head server for the run's merged configuration. */
import type { Config } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import type { World } from "./world.ts";

/** A head server answers from memory; one that takes longer is no head server, or not well. */
const TIMEOUT_MS = 15_000;

/** Where Gym's head server is unless said otherwise. */
const DEFAULT = { host: "127.0.0.1", port: 11000 };

/**
 * The configuration that the head server answers, or an empty one where servers were named by hand and no head
 * server was.
 *
 * @throws {UsageFault} naming the URL and what to check
 */
export async function headConfig(config: Config, world: World): Promise<Record<string, unknown>> {
  const head = config.head_server ?? (Object.keys(config.servers).length > 0 ? null : DEFAULT);
  if (!head) return {};
  const host = head.host.includes(":") && !head.host.startsWith("[") ? `[${head.host}]` : head.host;
  const url = `http://${host}:${head.port}/global_config_dict_yaml`;
  let answer;
  try {
    answer = await world.get(url, TIMEOUT_MS);
  } catch (error) {
    throw new UsageFault(
      `Cannot reach the head server at ${url}: ${(error as Error).message}.\n` +
        `Is Gym running (gym env start …)? Is the address right (--head HOST:PORT, +head_server.port=…)? ` +
        `Without a head server, name each server: --server NAME=http://HOST:PORT.`,
      { cause: error },
    );
  }
  if (answer.status !== 200) {
    throw new UsageFault(`The head server at ${url} answered ${answer.status}. Is this Gym's head server?`);
  }
  return await parseHeadAnswer(answer.text, url);
}

/** The configuration out of a head server's answer: a JSON string whose text is YAML, of which JSON is a part. */
async function parseHeadAnswer(text: string, url: string): Promise<Record<string, unknown>> {
  try {
    let value: unknown = JSON.parse(text);
    if (typeof value === "string") value = await parseYaml(value);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    throw new Error("it holds no map of keys");
  } catch (error) {
    throw new UsageFault(
      `Cannot read the configuration that ${url} answered: ${
        (error as Error).message
      }. Is this Gym's head server?`,
      { cause: error },
    );
  }
}

async function parseYaml(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // Loaded only when needed: it is the slowest of the libraries to load. Gym writes YAML 1.1.
    const { parse } = await import("yaml");
    return parse(text, { version: "1.1", uniqueKeys: false, logLevel: "error" });
  }
}
