/** What a rollout costs on its way into the metrics, of 1000 rollouts of 1 KB each time. */
import { readObject } from "../src/json/object.ts";
import { askServer } from "../src/metrics/request_metrics.ts";
import { GroupBook } from "../src/shards/group_book.ts";
import { fates } from "../src/shards/fates.ts";
import { Live } from "../src/collect/live_means.ts";
import { ownMetrics } from "../src/metrics/offline_metrics.ts";
import { Kind, Records } from "../src/shards/records.ts";
import { scan } from "../src/shards/scan.ts";
import { shardOf } from "../src/plan/score_plan.ts";
import { runPaths } from "../src/plan/paths.ts";
import { MemoryFiles } from "../tests/fakes/memory_files.ts";

const ROWS = 1000;

const lines = Array.from(
  { length: ROWS },
  (_, n) =>
    `{"reward":${n % 3 === 0 ? "1.0" : "0.0"},"tokens":${n * 7919 % 5000},"score":${n * 31 % 977 / 100},` +
    `"response":{"id":"resp_${n}","output":[{"type":"message","content":"${"x".repeat(670)}"}],` +
    `"usage":{"input_tokens":${n % 300},"output_tokens":${n % 900}}},"_ng_task_index":${n >> 2},` +
    `"_ng_rollout_index":${n % 4},"agent_ref":{"name":"solver"},"_ng_environment_server":"solver_env",` +
    `"_ng_result_type":"legacy_agent"}`,
);
const rows = lines.map((line) => readObject(new TextEncoder().encode(line)));
const shard = shardOf(runPaths("/runs/a.jsonl"));
const files = new MemoryFiles({ [shard.rollouts]: lines.join("\n") });

const SETTLED = {
  kind: "settled",
  id: { task: 0, rollout: 0 },
  route: 0,
  became: "done",
  failure: null,
  recorded: false,
  final: false,
  scored: true,
} as const;
const live = new Live([{ name: "solver", owed: 1e9 }]);
Deno.bench("live means of 1000 results", () => {
  for (const result of rows) live.on({ ...SETTLED, result });
});

Deno.bench("read 1000 lines of a shard", async () => {
  const records = new Records(files, "/runs/a.index");
  const tools = { files, records, book: new GroupBook(null), breathe: () => Promise.resolve() };
  await scan([shard], tools, { missing: false, fields: false });
});

Deno.bench("sort 1000 fates, and decide", () => {
  const records = new Records(files, "/runs/a.index");
  for (let n = 0; n < ROWS; n++) {
    const task = n * 7919 % ROWS;
    records.add({
      task,
      rollout: 0,
      kind: Kind.ROLLOUT,
      shard: 0,
      group: 1,
      failureClass: 0,
      offset: n,
      length: 1,
    });
  }
  records.finish();
  let scored = 0;
  for (
    const _ of fates(records, { groupIndexes: [0], classes: new Set(), missing: false, owing: new Set() })
  ) {
    scored++;
  }
  if (scored !== ROWS) throw new Error(`${scored} of ${ROWS}`);
});

const route = { server: "solver_env", url: "http://solver:1" };
const never = new AbortController().signal;
Deno.bench("the request body of 1000 rows", async () => {
  await askServer(route, () => rows, {
    clock: { now: () => 0, date: () => new Date(0), after: () => () => {} },
    signal: never,
    retryWindowMs: 0,
    wire: {
      async post({ body }) {
        for await (const _ of body as AsyncIterable<Uint8Array>);
        return { kind: "answered", status: 404, body: new Uint8Array() };
      },
    },
  });
});

Deno.bench("rollcall's own metrics of 1000 rows", () => {
  ownMetrics(
    rows.map((row, n) => ({ task: n >> 2, rollout: n % 4, row })),
    () => {},
  );
});
