/**
 * How fast, and in how much memory, a resume reads what an earlier run has left.
 *
 *     deno run -A benches/resume.ts --rows 1000000
 *
 * Makes an output of so many rollouts of about 2 kB in a temporary folder (2 GB for a million), all of them done. Then
 * measures `wc -l` over it as the machine's own limit, the reading of the past alone, and the whole program, which
 * has nothing to run: the compiled binary that ROLLCALL_BIN names, or the sources.
 */
import { join } from "node:path";
import process from "node:process";
import { Command } from "commander";
import { denoFiles } from "../src/edge/deno_files.ts";
import { RowIndex, State } from "../src/plan/row_index.ts";
import { runPaths } from "../src/plan/paths.ts";
import { RowLookup } from "../src/plan/row_lookup.ts";
import { readRollouts } from "../src/resume/earlier_run.ts";
import { readLines } from "../src/store/read_lines.ts";
import { commandOf } from "../tests/kill/program.ts";

const REPEATS = 4;

const { rows, folder: given } = new Command("resume")
  .option("--rows <n>", "rollouts", Number, 1_000_000)
  .option("--folder <path>", "where to make the files (default: a temporary folder, removed afterwards)")
  .parse(["deno", "resume", ...Deno.args]).opts();

const folder = given ?? await Deno.makeTempDir({ prefix: "bench-resume-" });
const paths = runPaths(join(folder, "a.jsonl"));
try {
  await make();
  const { size } = await Deno.stat(paths.rollouts);
  console.log(`${rows} rollouts, ${mb(size)} MB`);
  const limit = await best(3, () => seconds(() => wc(paths.rollouts)));
  console.log(`wc -l                    ${speed(size, limit)}`);
  const before = process.cpuUsage();
  const past = await best(3, () => Promise.resolve(readPast()));
  const { user, system } = process.cpuUsage(before);
  console.log(
    `reading the past         ${speed(size, past)}, ${ratio(past, limit)}; ${
      mb(3 * size / (user + system) * 1e6)
    } ` +
      `MB per second of CPU time; ${rss()} MB resident`,
  );
  const program = await wholeProgram();
  console.log(
    `a resume, to its summary ${speed(size, program.seconds)}, ${ratio(program.seconds, limit)}; ` +
      `at most ${program.mostMb} MB resident`,
  );
} finally {
  if (!given) await Deno.remove(folder, { recursive: true });
}

/** Marks an index of all rows by the rollouts file. Returns the seconds it took. */
function readPast(): number {
  const index = new RowIndex();
  for (let row = 0; row < rows; row++) {
    index.add({ offset: 0, length: 0, task: Math.floor(row / REPEATS), rollout: row % REPEATS, route: 0 });
  }
  const started = performance.now();
  const file = denoFiles.read(paths.rollouts);
  const { bad } = readRollouts(readLines(file), index, new RowLookup(index), false);
  file.close();
  const took = (performance.now() - started) / 1000;
  if (bad.spans.size > 0 || index.columns.state.subarray(0, rows).some((state) => state !== State.DONE)) {
    throw new Error("not everything was found to be done");
  }
  return took;
}

async function wholeProgram(): Promise<{ readonly seconds: number; readonly mostMb: number }> {
  const [program, ...args] = commandOf(Deno.env.get("ROLLCALL_BIN"));
  const child = new Deno.Command(program!, {
    args: [
      ...[...args, "collect", "--input", join(folder, "in.jsonl"), "--output", paths.rollouts, "--quiet"],
      ...["--server", "solver=http://127.0.0.1:1", "+resume_from_cache=true", "+disable_aggregation=true"],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let most = 0;
  const watch = setInterval(() => {
    try {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${child.pid}/status`))!;
      most = Math.max(most, Number(kb));
    } catch {
      // It has ended.
    }
  }, 20);
  const took = await seconds(async () => {
    const { code, stderr } = await child.output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  });
  clearInterval(watch);
  return { seconds: took, mostMb: Math.round(most / 1024) };
}

async function make(): Promise<void> {
  const text = 'the quick brown fox jumps \\"over\\" the lazy dog, é☃,\\n and then some more. '.repeat(12);
  const result = (row: number) =>
    `{"reward":${row % 2}.0,"response":{"id":"resp_${row}","output":[{"type":"reasoning","summary":[]},` +
    `{"type":"function_call","name":"get","arguments":"{\\"city\\":\\"Paris\\"}"},{"type":"message","content":` +
    `[{"type":"output_text","text":"${text}","annotations":[]}]}],"usage":{"input_tokens":123,"output_tokens":` +
    `456,"total_tokens":579},"temperature":1.0,"tools":[{"type":"function","name":"get","parameters":{"type":` +
    `"object","properties":{"city":{"type":"string"}},"required":["city"]}}]},"answer":"42","notes":"${
      text.slice(0, 450)
    }",${identity(row)},"agent_ref":{"name":"solver"}}\n`;
  await write(paths.rollouts, result);
  await write(
    paths.inputs,
    (row) =>
      `{"responses_create_params":{"input":"task ${row}"},"agent_ref":{"name":"solver"},${identity(row)}}\n`,
  );
  await Deno.writeTextFile(paths.failures, "");
  await Deno.writeTextFile(join(folder, "in.jsonl"), "");
}

function identity(row: number): string {
  return `"_ng_task_index":${Math.floor(row / REPEATS)},"_ng_rollout_index":${row % REPEATS}`;
}

async function write(path: string, line: (row: number) => string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter(), encoder = new TextEncoder();
  for (let row = 0; row < rows; row += 500) {
    let text = "";
    for (let k = row; k < Math.min(rows, row + 500); k++) text += line(k);
    await writer.write(encoder.encode(text));
  }
}

async function wc(path: string): Promise<void> {
  await new Deno.Command("wc", { args: ["-l", path], stdout: "null" }).output();
}

async function seconds(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return (performance.now() - started) / 1000;
}

async function best(times: number, run: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let k = 0; k < times; k++) least = Math.min(least, await run());
  return least;
}

function mb(bytes: number): number {
  return Math.round(bytes / 1e6);
}

function rss(): number {
  return mb(Deno.memoryUsage().rss);
}

function speed(bytes: number, took: number): string {
  return `${mb(bytes / took)} MB/s (${took.toFixed(2)} s)`;
}

function ratio(took: number, limit: number): string {
  return `${(took / limit).toFixed(1)} times as long as wc -l`;
}
