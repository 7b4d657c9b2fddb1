/** The collector: hears what it is to do, does it with Deno's files, network and clock, and says what came of it. */
import { isSystemError, systemPlace, systemReason } from "../kit/system_error.ts";
import { aggregateAndCheck } from "../collect/aggregate.ts";
import { collect } from "../collect/collect.ts";
import type { FromCollector, ToCollector } from "../collect/messages.ts";
import { Shown } from "../collect/shown.ts";
import { RunFault, UsageFault, WriteFault } from "../kit/fault.ts";
import { RowIndex } from "../plan/row_index.ts";
import { denoCaptures } from "./deno_captures.ts";
import { denoClock, denoDice } from "./deno_clock.ts";
import { denoFiles } from "./deno_files.ts";
import { fetchClient } from "./fetch_client.ts";
import { httpWire } from "../wire/http_wire.ts";
import { withHeaders } from "../wire/with_headers.ts";

/** How often the counts are sent. */
const TALLY_EVERY_MS = 100;

/** What a run is told and what it tells. */
interface Talk {
  readonly say: (message: FromCollector) => void;
  /** Nothing new starts once it fires, or what is in flight is abandoned as well. */
  readonly drain: AbortSignal;
  readonly abort: AbortSignal;
  /** Resolves when dispatch may begin. */
  readonly go: Promise<void>;
}

/** A collector for one run: the returned function hears. It says nothing before it has heard something. */
export function collector(say: (message: FromCollector) => void): (message: ToCollector) => void {
  const drain = new AbortController(), abort = new AbortController();
  const go = Promise.withResolvers<void>();
  const talk: Talk = { say, drain: drain.signal, abort: abort.signal, go: go.promise };
  return (message) => {
    switch (message.kind) {
      case "run":
        run(message, talk).catch((error) => say({ kind: "crashed", message: describe(error) }));
        break;
      case "aggregate":
        score(message, talk).catch((error) => {
          const kind = error instanceof UsageFault ? "refused" : "crashed";
          say({ kind, message: describe(error) });
        });
        break;
      case "go":
        go.resolve();
        break;
      case "stop":
        drain.abort(message.why);
        if (message.level === "abort") abort.abort(message.why);
    }
  };
}

async function run(
  { plan, columns, headers }: ToCollector & { kind: "run" },
  { say, drain, abort, go }: Talk,
): Promise<void> {
  const observer = new Shown((event) => say({ kind: "event", event }), {
    failures: plan.paths.failures,
    servers: plan.routes.length,
  });
  const client = fetchClient({ proxy: plan.dispatch.proxy, authorities: plan.authorities });
  using wire = httpWire(withHeaders(client, headers), {
    reuse: plan.dispatch.connection_reuse,
    idleTimeoutMs: plan.dispatch.idle_timeout_s === null ? null : plan.dispatch.idle_timeout_s * 1000,
    maxBytes: plan.dispatch.max_response_bytes,
    maxBufferedBytes: plan.dispatch.max_buffered_bytes,
    onUnkept: (origin) => observer.on({ kind: "connections_unkept", origin }),
  }, denoClock);
  let ticker: ReturnType<typeof setInterval> | undefined;
  try {
    const summary = await collect(plan, RowIndex.over(columns), {
      files: denoFiles,
      wire,
      clock: denoClock,
      dice: denoDice,
      drain,
      abort,
      observer,
      captures: denoCaptures,
      opened: (stale) => {
        say({ kind: "opened", stale });
        return go;
      },
      watch: (tally) => {
        ticker = setInterval(() => say({ kind: "tally", tally: tally() }), TALLY_EVERY_MS);
        return () => clearInterval(ticker);
      },
      step: (step) => say({ kind: "step", step }),
      breathe,
    });
    say({ kind: "finished", summary });
  } finally {
    clearInterval(ticker);
  }
}

async function score(
  { plan, headers }: ToCollector & { kind: "aggregate" },
  { say, abort }: Talk,
): Promise<void> {
  using wire = httpWire(withHeaders(fetchClient(plan.wire), headers), plan.wire, denoClock);
  const summary = await aggregateAndCheck(plan, {
    files: denoFiles,
    wire,
    clock: denoClock,
    signal: abort,
    breathe,
    fault: (fault) => say({ kind: "event", event: { kind: "own_fault", ...fault } }),
    begins: (stage, count) => say({ kind: "event", event: { kind: "scoring", stage, count } }),
  });
  say({ kind: "aggregated", summary });
}

/** Lets messages in during long work. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Errors of the user or the system are shown without a stack. */
function describe(error: unknown): string {
  if (error instanceof UsageFault || error instanceof RunFault || error instanceof WriteFault) {
    return error.message;
  }
  if (isSystemError(error)) return `${systemReason(error)}${systemPlace(error)}.`;
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
