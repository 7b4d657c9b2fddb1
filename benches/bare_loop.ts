/**
 * The bare loop: the wire and an append, nothing else. What a collector over this wire could reach at best, as the
 * measure of what rollcall adds to it: JSON, stamps, scheduling, metrics. Against any server that answers a POST:
 *
 *     deno run -A benches/bare_loop.ts --url http://127.0.0.1:11001/run --rollouts 3000 --in-flight 64
 */
import process from "node:process";
import { Command } from "commander";
import { denoClock } from "../src/edge/deno_clock.ts";
import { denoFiles } from "../src/edge/deno_files.ts";
import { fetchClient } from "../src/edge/fetch_client.ts";
import { LineWriter } from "../src/store/line_writer.ts";
import { httpWire } from "../src/wire/http_wire.ts";

const { url, rollouts, inFlight } = new Command("bare_loop")
  .requiredOption("--url <url>", "where to send POSTs")
  .option("--rollouts <n>", "how many", Number, 3000)
  .option("--in-flight <n>", "at once", Number, 64)
  .parse(["deno", "bare_loop", ...Deno.args]).opts();

const BODY = new TextEncoder().encode(
  JSON.stringify({ responses_create_params: { input: [{ role: "user", content: "hello ".repeat(50) }] } }),
);

const path = await Deno.makeTempFile({ prefix: "bare-loop-" });
try {
  using wire = httpWire(
    fetchClient({ proxy: null, authorities: [] }),
    { reuse: "auto", idleTimeoutMs: null, maxBytes: null },
    denoClock,
  );
  const file = new LineWriter(denoFiles.append(path), path, denoClock, (call) => setTimeout(call));
  const { signal } = new AbortController(), started = performance.now(), before = process.cpuUsage();
  let left = rollouts;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (left-- > 0) {
      const answer = await wire.post({ url, body: BODY, signal });
      if (answer.kind !== "answered" || answer.status !== 200 || answer.broken !== undefined) {
        throw new Error(`no whole answer of status 200: ${JSON.stringify({ ...answer, body: undefined })}`);
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      file.append([answer.body], (fault) => fault ? reject(fault) : resolve());
      await promise;
    }
  }));
  await file.close();
  const seconds = (performance.now() - started) / 1000, { user, system } = process.cpuUsage(before);
  console.log(
    `${rollouts} rollouts: ${(rollouts / seconds).toFixed(0)} a second, ` +
      `${((user + system) / rollouts).toFixed(0)} µs of CPU time each, ` +
      `${(Deno.statSync(path).size / 1e6 / seconds).toFixed(0)} MB/s; ` +
      `${(Deno.memoryUsage().rss / 1e6).toFixed(0)} MB resident`,
  );
} finally {
  await Deno.remove(path);
}
