/** What a rollout costs in the scheduler, from its offer to its end. Run with `deno task bench`. */
import { Scheduler } from "../src/schedule/scheduler.ts";

const ROWS = 100_000;

/** Runs all rows, 64 at a time, each answered and written in the order of their starts. */
function runAll(routes: number, route: (row: number) => number): void {
  const scheduler = new Scheduler({ routes, route, attempts: () => 0 }, {
    inFlight: 64,
    resident: Infinity,
    retryWindowMs: 600_000,
    graceMs: 0,
    budgetMs: null,
    marginMs: () => 0,
    opening: { most: 64, mostOnceSlow: 16, slowMs: 500 },
  });
  const started: number[] = [];
  const tell = (event: Parameters<Scheduler["on"]>[0]) => {
    for (const action of scheduler.on(event, { now: 0, chance: 0.5 })) {
      if (action.kind === "start") started.push(action.row);
    }
  };
  tell({ kind: "offered", rows: Uint32Array.from({ length: ROWS }, (_, row) => row) });
  tell({ kind: "closed" });
  for (let k = 0; k < started.length; k++) {
    tell({ kind: "connected", row: started[k]! });
    tell({ kind: "answered", row: started[k]! });
    tell({ kind: "written", row: started[k]! });
  }
  if (started.length !== ROWS) throw new Error("rows are missing");
}

for (const servers of [1, 4, 50]) {
  Deno.bench(`Scheduler: ${ROWS} rows of ${servers} servers`, { n: 5, warmup: 1 }, () => {
    runAll(servers, (row) => row % servers);
  });
}
