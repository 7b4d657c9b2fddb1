/**
 * Kills collectors at random moments, resumes until everything is run, and checks what they leave.
 *
 *     deno run --no-prompt -P=test tests/kill/main.ts --kills 200
 *     ROLLCALL_BIN=dist/rollcall deno run --no-prompt -P=test tests/kill/main.ts --kills 200 --seed 7
 *
 * Runs against a server of its own on 127.0.0.1: results small and of 1 MB, statuses 500, connections that break,
 * failures that results declare, judges without a verdict. Each round begins a fresh run where the last one's files
 * lie, and is killed from the first moment on.
 */
import { join } from "node:path";
import { Command } from "commander";
import { HttpServer } from "../conformance/http_server.ts";
import { Broken, checkAnytime, checkEnd } from "./check.ts";
import { bodyOf, dice, type Fate, fatesOf, stepOf } from "./fates.ts";
import { commandOf, type Kill, REFUSED_FOR_DRIFT, run } from "./program.ts";

const CAP = 3, REPEATS = 2, LONG = 5_000_000;

const options = new Command("kill")
  .option("--kills <n>", "how many", Number, 20)
  .option("--seed <n>", "decides everything but the speed of this machine", Number, Date.now() % 1_000_000)
  .option("--tasks <n>", "tasks a round", Number, 30)
  .parse(["deno", "kill", ...Deno.args]).opts();

const command = commandOf(Deno.env.get("ROLLCALL_BIN"));
const folder = await Deno.makeTempDir({ prefix: "kill-" });
const paths = {
  input: join(folder, "tasks.jsonl"),
  rollouts: join(folder, "runs", "a.jsonl"),
  failures: join(folder, "runs", "a_failures.jsonl"),
  inputs: join(folder, "runs", "a_materialized_inputs.jsonl"),
};
const roll = dice(options.seed);
const counts = { kills: 0, before: 0, torn: 0, runs: 0, rounds: 0, requests: 0, bytes: 0, checked: 0 };

/** Called when an answer is about to be sent that takes a while to be written. */
let longAnswer: () => void = () => {};
/** The fates of the round, by identity. */
let fates = new Map<string, Fate>();
const server = new HttpServer(async ({ path, body }) => {
  const json = (text: string) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(text),
  });
  if (path === "/aggregate_metrics") {
    return json('{"agent_metrics":{},"key_metrics":{},"group_level_metrics":[],"repeat_level_metrics":[]}');
  }
  const row = JSON.parse(new TextDecoder().decode(body));
  const fate = fates.get(`${row._ng_task_index}-${row._ng_rollout_index}`)!;
  const attempt = row._ng_attempt_index ?? 0, step = stepOf(fate, attempt);
  counts.requests++;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
  if (step.kind === "break") return "drop";
  const answer = json(bodyOf(fate, attempt, step));
  counts.bytes += answer.body.length;
  if (answer.body.length > LONG) longAnswer();
  return step.kind === "error" ? { ...answer, status: 500 } : answer;
});

const collect = [
  ...["collect", "--input", paths.input, "--output", paths.rollouts, "--concurrency", "6"],
  ...["--server", `solver=http://127.0.0.1:${server.port}`, "--quiet", "--json"],
  `+num_repeats=${REPEATS}`,
  ...["+route_failures_to_sidecar=true", "+retry_invalid_judge_responses=true"],
];
const RESUME = "+resume_from_cache=true";

console.log(
  `seed ${options.seed}, ${options.kills} kills of ${command.join(" ")}, ${
    options.tasks * REPEATS
  } rollouts a round`,
);
const startedAt = performance.now();
try {
  let calmMs = 0;
  do {
    calmMs = await round(calmMs);
    console.log(
      `round ${counts.rounds}: ${counts.kills} kills so far, ${counts.before} of them before the new inputs were in ` +
        `place, ${counts.torn} left a line that was cut off`,
    );
  } while (counts.kills < options.kills);
  console.log(
    `${counts.kills} kills in ${counts.rounds} rounds and ${counts.runs} runs, ${
      Math.round((performance.now() - startedAt) / 1000)
    } s: every one of ${counts.checked} rollouts is there once, with its failed attempts, as the server sent it ` +
      `(${counts.requests} requests, ${Math.round(counts.bytes / 1e6)} MB of answers)`,
  );
  await Deno.remove(folder, { recursive: true });
  console.log("1 passed, 0 failed");
} catch (error) {
  if (!(error instanceof Broken)) throw error;
  console.log(`After ${counts.kills} kills (seed ${options.seed}, files in ${folder}): ${error.message}`);
  console.log("0 passed, 1 failed");
  Deno.exitCode = 1;
} finally {
  await server.close();
}

/**
 * A fresh run over the files of the round before, killed and resumed until it is through.
 *
 * @param calmMs how long a run takes that nobody kills; 0 when that is not known, then nobody does
 * @returns how long the last run to its end took, from an output as good as empty
 */
async function round(calmMs: number): Promise<number> {
  const seed = Math.floor(roll() * 2 ** 32);
  const list = fatesOf(seed, options.tasks, REPEATS);
  fates = new Map(list.map((fate) => [`${fate.task}-${fate.rollout}`, fate]));
  const old = await contents(paths.rollouts);
  await Deno.writeTextFile(
    paths.input,
    list.filter(({ rollout }) => rollout === 0)
      .map(({ task }) =>
        `{"q":"${seed} ${task}","agent_ref":{"name":"solver"},"responses_create_params":{}}\n`
      )
      .join(""),
  );
  let resumes = false;
  for (;;) {
    const wantsKill = calmMs > 0 && counts.kills < options.kills;
    const args = resumes ? [...collect, RESUME] : collect;
    const { code, stdout, stderr, ms } = await run(command, args, wantsKill ? killOf(calmMs) : undefined);
    counts.runs++;
    const isOurs = (await contents(paths.inputs))?.startsWith(`{"q":"${seed} `) ?? false;
    if (code === null) {
      counts.kills++;
      if (!isOurs) counts.before++;
      if ((await checkAnytime(paths)).torn) counts.torn++;
    }
    await checkOld(old, isOurs);
    if (code === 2 && !isOurs && REFUSED_FOR_DRIFT.test(stderr)) {
      // The kill came before the new run had taken over: what is there is the round before.
      resumes = false;
      continue;
    }
    if (code !== null && code !== 0 && !/"error":"(None of|The only rollout) /.test(stdout)) {
      throw new Broken(`exit code ${code}:\n${stderr}${stdout}`);
    }
    if (code !== null && !resumes) calmMs = ms;
    resumes = true;
    if (code === null) continue;
    const status = await statusOf();
    if (status.running || status.not_json > 0 || status.duplicates > 0 || status.torn > 0) {
      throw new Broken(`after a run that ended, status tells ${JSON.stringify(status)}`);
    }
    if (status.left === 0 && !await isAnyInvalid()) break;
  }
  await checkEnd(paths, list, CAP);
  counts.checked += list.length;
  counts.rounds++;
  return calmMs;
}

/**
 * When to kill a run. The start has the most different moments, and long lines are those that are torn: each gets more
 * than its share.
 */
function killOf(calmMs: number): Kill {
  const how = roll(), chance = roll();
  if (how < 0.3) return { afterMs: chance * calmMs * 0.35 };
  if (how < 0.7) return { afterMs: chance * calmMs * 1.1 };
  const when = new Promise<void>((resolve) => longAnswer = () => setTimeout(resolve, chance * 80));
  return { afterMs: calmMs * 1.1, when };
}

/** The rollouts of the round before are where they were, or where a fresh run keeps them. */
async function checkOld(old: string | undefined, isOurs: boolean): Promise<void> {
  if (old === undefined) return;
  const [there, aside] = [await contents(paths.rollouts), await contents(`${paths.rollouts}.old`)];
  if (aside === old || (!isOurs && there === old)) return;
  throw new Broken("the rollouts of the run before are neither at their place nor kept as ….old");
}

async function statusOf() {
  const { code, stdout, stderr } = await run(command, ["status", paths.rollouts, "--json"]);
  if (code !== 0) throw new Broken(`status ends with ${code}: ${stderr}`);
  return JSON.parse(stdout) as {
    running: boolean;
    left: number;
    not_json: number;
    duplicates: number;
    torn: number;
  };
}

/** Whether rollouts are there whose judge is to see them again, which the next resume moves. */
async function isAnyInvalid(): Promise<boolean> {
  return (await contents(paths.rollouts))?.includes('"invalid_judge_response":true') ?? false;
}

async function contents(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
