/** What the tests of this folder share: configurations, servers, and rows in and out as text. */
import type { RowsConfig } from "../../src/config/config.ts";
import { Topology } from "../../src/config/topology.ts";
import { join } from "../../src/json/edit.ts";
import { Preparation, type Prepared, type PrepareOptions, type Rollout } from "../../src/rows/prepare.ts";
import { readRow } from "../../src/rows/read.ts";
import { Row } from "../../src/rows/row.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const bytes = (text: string) => encoder.encode(text);
export const text = (pieces: Uint8Array | readonly Uint8Array[]) =>
  decoder.decode(pieces instanceof Uint8Array ? pieces : join(pieces));

/** The defaults of the configuration, and what a test sets. */
export function config(set: Partial<RowsConfig> = {}): RowsConfig {
  return {
    input_jsonl_fpath: "in.jsonl",
    agent_name: null,
    agent_map: null,
    fan_out: null,
    limit: null,
    tasks: null,
    task_ids: null,
    sample: null,
    sample_seed: 0,
    shard: null,
    shuffle_seed: null,
    num_repeats: 1,
    num_repeats_add_seed: false,
    interleave_repeats: false,
    responses_create_params: {},
    prompt_config: null,
    skills: null,
    environment_routing_mode: "agent",
    environment_server_name: null,
    environment_server_routes: null,
    allow_unsupported_pairing: false,
    ...set,
  };
}

type Servers = Record<string, unknown>;

/** Servers out of a configuration in which every server gets a made-up address. */
export function topology(servers: Servers): Topology {
  const addressed = structuredClone(servers) as Record<string, Record<string, Record<string, unknown>>>;
  let port = 20_000;
  for (const group of Object.values(addressed)) {
    for (const kind of Object.values(group ?? {})) {
      for (const block of Object.values(typeof kind === "object" ? kind ?? {} : {})) {
        if (typeof block === "object" && block !== null) {
          Object.assign(block, { host: "127.0.0.1", port: port++ });
        }
      }
    }
  }
  return new Topology(addressed, {}, () => undefined);
}

export const agent = (resources?: string, implementation = "simple_agent", more: Servers = {}) => ({
  responses_api_agents: {
    [implementation]: { ...(resources && { resources_server: { name: resources } }), ...more },
  },
});
export const resources = (more: Servers = {}) => ({ resources_servers: { checker: more } });
export const environment = (name: string, more: Servers = {}) => ({
  environment_servers: { legacy_agent: { agent_server: { type: "responses_api_agents", name }, ...more } },
});

/** Two tasks' resources servers, an agent for each, and an environment server in front of each agent. */
export const SERVERS: Servers = {
  sums: resources(),
  riddles: resources(),
  solver: agent("sums"),
  scribe: agent("riddles", "note_agent"),
  solver_env: environment("solver"),
  scribe_env: environment("scribe"),
};

/** Prepares an input of these lines. */
export function prepare(
  lines: readonly (string | Uint8Array)[],
  set: Partial<RowsConfig> = {},
  more: Partial<PrepareOptions> = {},
): { prepared: Prepared; rollouts: Rollout[]; rows: string[] } {
  const preparation = new Preparation({
    config: config(set),
    topology: topology(SERVERS),
    file: "in.jsonl",
    ...more,
  });
  const rollouts = lines.flatMap((line, i) => [
    ...preparation.push({ bytes: typeof line === "string" ? bytes(line) : line, line: i + 1 }),
  ]);
  return { prepared: preparation.finish(), rollouts, rows: rollouts.map((rollout) => text(rollout.pieces)) };
}

/** A row before any step. */
export function row(json: string): Row {
  return new Row(readRow({ bytes: bytes(json) })!, 1);
}

/** What a row has become. */
export const written = (row: Row) => text(row.pieces([]));

/** The message of the error that `run` throws; throws when it throws none. */
export function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("expected an error");
}
