/**
 * How long `rollcall aggregate` takes and how much memory it needs at most, for shards of any size; fails beyond
 * 300 MB. Linux only.
 *
 *     deno run -P=test benches/aggregate_memory.ts [--shards 10] [--mb 200] [--row-bytes 1000] [--cmd "dist/rollcall"]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

const LIMIT_MB = 300;

const { values } = parseArgs({
  options: {
    shards: { type: "string", default: "10" },
    mb: { type: "string", default: "200" },
    "row-bytes": { type: "string", default: "1000" },
    cmd: { type: "string" },
  },
});
const shards = Number(values.shards), mb = Number(values.mb), rowBytes = Number(values["row-bytes"]);
const project = join(import.meta.dirname!, "..");
const command = values.cmd ??
  `${Deno.execPath()} run -q --no-prompt --config ${join(project, "deno.json")} -P=rollcall ${
    join(project, "main.ts")
  }`;

const folder = await Deno.makeTempDir({ prefix: "rollcall-bench-" });
try {
  let rows = 0;
  for (let shard = 0; shard < shards; shard++) rows += writeShard(shard);
  console.log(
    `${shards} shards of ${mb} MB, ${rows} rows of about ${rowBytes} bytes, four rollouts a task`,
  );
  const without = "--no-health-check";
  for (const more of [without, `${without} --no-merge-shards`, ""]) {
    const startedAt = performance.now();
    const peak = await run(`aggregate --offline --input-glob 'p*.jsonl' --output all.jsonl -q ${more}`);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `aggregate --offline ${more}`.trimEnd() +
        `: ${seconds.toFixed(1)} s, ${(rows / seconds).toFixed(0)} rows/s, ` +
        `${(shards * mb / seconds).toFixed(0)} MB/s, peak ${peak.toFixed(0)} MB`,
    );
    if (!more.includes("--no-merge-shards")) await checkOrder(rows);
    if (peak > LIMIT_MB) {
      console.error(`Too much memory: ${peak.toFixed(0)} MB, and ${LIMIT_MB} MB are the limit.`);
      Deno.exitCode = 1;
    }
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Rollouts of every so-manieth task, shuffled a little, as they finish; returns how many. */
function writeShard(shard: number): number {
  const file = Deno.openSync(join(folder, `p${String(shard).padStart(3, "0")}.jsonl`), {
    write: true,
    createNew: true,
  });
  const filler = "x".repeat(Math.max(0, rowBytes - 330)), encoder = new TextEncoder();
  let left = mb * 1e6, n = 0;
  while (left > 0) {
    const lines: string[] = [];
    for (; lines.length < 512 && left > 0; n++) {
      const task = Math.floor(n / 4) * shards + shard;
      const line = `{"reward":${(task * 7 + n) % 3 === 0 ? "1.0" : "0.0"},"tokens":${n * 7919 % 5000},` +
        `"score":${n * 31 % 977 / 100},"response":{"id":"resp_${n}","output":[{"type":"message",` +
        `"content":"${filler}"}],"usage":{"input_tokens":${n % 300},"output_tokens":${n % 900}}},` +
        `"_ng_task_index":${task},"_ng_rollout_index":${n % 4},"agent_ref":{"name":"solver"},` +
        `"_ng_environment_server":"solver_env","_ng_result_type":"legacy_agent"}\n`;
      lines.push(line);
      left -= line.length;
    }
    for (let k = lines.length - 1; k > 0; k--) {
      const other = k * 7919 % (k + 1);
      [lines[k], lines[other]] = [lines[other]!, lines[k]!];
    }
    file.writeSync(encoder.encode(lines.join("")));
  }
  file.close();
  return n;
}

/** Fails unless the merged file has all rows, in order. */
async function checkOrder(rows: number): Promise<void> {
  const path = join(folder, "all.jsonl");
  let seen = 0, last = -1, rest = "";
  using file = await Deno.open(path);
  const buffer = new Uint8Array(1 << 22), decoder = new TextDecoder();
  for (let n = file.readSync(buffer); n !== null; n = file.readSync(buffer)) {
    const text = rest + decoder.decode(buffer.subarray(0, n)), end = text.lastIndexOf("\n");
    rest = text.slice(end + 1);
    for (
      const [, task, rollout] of text.slice(0, end).matchAll(
        /"_ng_task_index":(\d+),"_ng_rollout_index":(\d+)/g,
      )
    ) {
      const identity = Number(task) * 4 + Number(rollout);
      if (identity <= last) throw new Error(`${task}-${rollout} is out of order`);
      last = identity;
      seen++;
    }
  }
  if (seen !== rows) throw new Error(`${seen} of ${rows} rows were merged`);
  await Deno.remove(path);
}

/** Runs the command and returns the most memory that it had, in MB. */
async function run(args: string): Promise<number> {
  const watch = `${command} ${args} > out.txt 2>&1 & pid=$!
    while kill -0 $pid 2>/dev/null; do grep VmHWM /proc/$pid/status > hwm.now 2>/dev/null && mv hwm.now hwm.txt; sleep 0.05; done
    wait $pid || { cat out.txt; exit 1; }
    cat hwm.txt`;
  const { success, stdout } = await new Deno.Command("sh", {
    args: ["-c", watch],
    cwd: folder,
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`The command failed: ${text}`);
  return Number(/VmHWM:\s+(\d+) kB/.exec(text)![1]) * 1024 / 1e6;
}
