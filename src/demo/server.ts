/**
 * A small server that speaks Gym's protocol, for the demo and for trying things out: head server, agent, environment
 * server and resources server in one. Answers requests and nothing else; who listens on a port is the caller's part.
 */
import type { Dice } from "../ports/clock.ts";
import { field, nearMiss, responseTo, sumIn } from "./agent.ts";
import { type Attempt, fateOf } from "./fate.ts";
import { aggregateMetrics, type Scored } from "./metrics.ts";

/** What the demo's server needs. */
export interface DemoOptions {
  /** Its address, `http://HOST:PORT`; read when the configuration is requested, so the port may be known late. */
  readonly base: () => string;
  /** Called once, for the seed of every failure, delay and wrong answer (see `fate.ts`). */
  readonly dice: Dice;
  /** Waits for this many milliseconds. */
  readonly delay: (ms: number) => Promise<void>;
}

const LIVENESS = ["/", "/health", "/healthz", "/livez", "/readyz"];

/**
 * The handler of a Gym-like server:
 *
 * - `GET /global_config_dict_yaml`: a JSON string whose text is the configuration, with agent `demo_agent` behind
 *   environment server `demo_environment`, both at `base()`
 * - `GET /`, `/health`, `/healthz`, `/livez`, `/readyz`: 200
 * - `POST /run`: works out the sum in the row's prompt, mostly right, after a while; some attempts end in status 500,
 *   some in a result with `_ng_failure_class`; rewards are written `1.0` and `0.0`, as Python does
 * - `POST /aggregate_metrics`: metrics of the rows in `verify_responses`
 *
 * Anything else is a 404 or 405, a body that is not a JSON object a 422. Never rejects for what a client sent.
 */
export function demoHandler({ base, dice, delay }: DemoOptions): (request: Request) => Promise<Response> {
  const seed = Math.floor(dice() * 2 ** 32);
  const run = async (row: unknown): Promise<Response> => {
    const params = field(row, "responses_create_params");
    const sum = sumIn(params);
    const attempt = attemptOf(row);
    const { kind, delayMs, right, spare } = fateOf(seed, attempt, sum?.skill ?? 0);
    await delay(delayMs);
    if (kind === "broken") return new Response("Internal Server Error", { status: 500 });
    const id = `demo_${attempt.task}_${attempt.rollout}_${attempt.attempt}`;
    if (kind === "sandbox_lost") {
      return json(
        `{"reward":0.0,"_ng_failure_class":"sandbox_lost",` +
          `"_ng_failure_message":"the sandbox of ${id} went away","response":null}`,
      );
    }
    const answer = sum && String(right ? sum.answer : nearMiss(sum.answer, spare));
    const text = sum ? `${sum.text} = ${answer}` : "I only know sums, differences and products.";
    const expected = field(row, "expected_answer") ?? String(sum?.answer);
    const reward = answer !== undefined && answer === String(expected) ? "1.0" : "0.0";
    const rest = {
      responses_create_params: params,
      response: responseTo(id, params, text),
      expected_answer: expected,
      extracted_answer: answer ?? null,
    };
    // By hand, because JSON.stringify writes 1.0 as 1.
    return json(`{"reward":${reward},${JSON.stringify(rest).slice(1)}`);
  };
  const routes: Record<string, (body: unknown) => Response | Promise<Response>> = {
    "/run": run,
    "/aggregate_metrics": (body) => json(JSON.stringify(aggregateMetrics(scoredRows(body)))),
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    const post = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
    const known = post !== undefined || LIVENESS.includes(pathname) ||
      pathname === "/global_config_dict_yaml";
    if (!known) return problem(404, "Not Found");
    if (request.method !== (post ? "POST" : "GET")) return problem(405, "Method Not Allowed");
    if (post) {
      const body = await objectOf(request);
      return body ? post(body) : problem(422, "The body must be a JSON object");
    }
    return json(JSON.stringify(pathname.startsWith("/global") ? configuration(base()) : { status: "ok" }));
  };
}

/** The configuration as YAML in block style, as Gym's head server writes it. */
function configuration(base: string): string {
  const { hostname, port } = new URL(base);
  // Quoted, because [::1] would be a list.
  const host = JSON.stringify(hostname);
  const server = (name: string, kind: string, implementation: string, lines: readonly string[]) => [
    `${name}:`,
    `  ${kind}:`,
    `    ${implementation}:`,
    ...[`entrypoint: app.py`, ...lines, `host: ${host}`, `port: ${port || 80}`].map((line) =>
      `      ${line}`
    ),
  ];
  const reference = (
    key: string,
    kind: string,
    name: string,
  ) => [`${key}:`, `  type: ${kind}`, `  name: ${name}`];
  return [
    `head_server:`,
    `  host: ${host}`,
    `  port: ${port || 80}`,
    `default_host: ${host}`,
    ...server("demo_arithmetic", "resources_servers", "arithmetic", ["domain: math"]),
    ...server(
      "demo_agent",
      "responses_api_agents",
      "simple_agent",
      reference("resources_server", "resources_servers", "demo_arithmetic"),
    ),
    ...server(
      "demo_environment",
      "environment_servers",
      "legacy_agent",
      reference("agent_server", "responses_api_agents", "demo_agent"),
    ),
    "",
  ].join("\n");
}

/** The numbers stamped on a row; 0 for a missing one. */
function attemptOf(row: unknown): Attempt {
  const number = (key: string) => Number(field(row, key) ?? 0) || 0;
  return {
    task: number("_ng_task_index"),
    rollout: number("_ng_rollout_index"),
    attempt: number("_ng_attempt_index"),
  };
}

/** The rows that have a number for a reward. */
function scoredRows(body: unknown): Scored[] {
  const rows = field(body, "verify_responses");
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row) => {
    const reward = field(row, "reward");
    return typeof reward === "number" ? [{ ...attemptOf(row), reward }] : [];
  });
}

async function objectOf(request: Request): Promise<object | undefined> {
  try {
    const body: unknown = await request.json();
    return typeof body === "object" && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    // Not JSON, or cut off; in the latter case the client is gone.
    return undefined;
  }
}

function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}

function problem(status: number, detail: string): Response {
  return Response.json({ detail }, { status });
}
