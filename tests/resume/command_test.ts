/** What a resume asks before it runs anything: through the program itself. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { HttpServer } from "../conformance/http_server.ts";
import { commandOf, REFUSED_FOR_DRIFT, run } from "../kill/program.ts";

const command = commandOf(Deno.env.get("ROLLCALL_BIN"));

/** A folder with two tasks, and a server that answers each. */
class Place implements AsyncDisposable {
  readonly folder: string = Deno.makeTempDirSync({ prefix: "command-" });
  /** Rows that were sent. */
  sent: Record<string, unknown>[] = [];
  /** What is answered beside a reward. */
  more = "";
  readonly #server = new HttpServer(({ path, body }) => {
    const answer = (text: string) => ({ status: 200, headers: {}, body: new TextEncoder().encode(text) });
    if (path === "/run") this.sent.push(JSON.parse(new TextDecoder().decode(body)));
    return Promise.resolve(answer(path === "/run" ? `{"reward":1.0${this.more}}` : '{"key_metrics":{}}'));
  });

  constructor() {
    this.write("in.jsonl", ["a", "b"].map((q) => row(q)).join(""));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    Deno.mkdirSync(join(this.path(name), ".."), { recursive: true });
    Deno.writeTextFileSync(this.path(name), text);
  }

  read(name: string): string {
    return Deno.readTextFileSync(this.path(name));
  }

  /** Everything in the folder of the output. */
  files(): Record<string, string> {
    const names = [...Deno.readDirSync(this.path("runs"))].map(({ name }) => name).sort();
    return Object.fromEntries(names.map((name) => [name, this.read(`runs/${name}`)]));
  }

  async collect(...more: string[]) {
    return await this.run("collect", ...more);
  }

  async run(name: "collect" | "plan", ...more: string[]) {
    this.sent = [];
    const args = ["--input", this.path("in.jsonl"), "--output", this.path("runs/a.jsonl")];
    return await run(command, [
      ...[name, ...args, "--server", `s=http://127.0.0.1:${this.#server.port}`, "+disable_aggregation=true"],
      ...more,
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await Deno.remove(this.folder, { recursive: true });
  }
}

const row = (q: string) => `{"q":"${q}","agent_ref":{"name":"s"},"responses_create_params":{}}\n`;
const RESUME = "+resume_from_cache=true";

Deno.test("a resume of nothing is a fresh run, and says so", async () => {
  await using place = new Place();
  const { code, stderr } = await place.collect(RESUME);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Nothing to resume: there is no run at .*This is a fresh run\./);
  assert.equal(place.sent.length, 2);
  Deno.removeSync(place.path("runs/a.jsonl"));
  const inputsAlone = await place.collect(RESUME);
  assert.match(inputsAlone.stderr, /Nothing to resume: there are no rollouts at /);
  assert.equal(place.sent.length, 2);
});

Deno.test("a resume of rollouts without their inputs is refused, and nothing is touched", async () => {
  await using place = new Place();
  place.write("runs/a.jsonl", '{"precious":1}\n');
  const { code, stderr } = await place.collect(RESUME);
  assert.equal(code, 2, stderr);
  assert.match(
    stderr,
    /the materialized inputs that belong to it are missing .*a_materialized_inputs\.jsonl/,
  );
  assert.deepEqual(place.files(), { "a.jsonl": '{"precious":1}\n' });
  assert.equal(place.sent.length, 0);
});

Deno.test("a resume is refused when something that decides what is run has changed, unless that is accepted", async () => {
  await using place = new Place();
  place.write("prompt.yaml", "user: '{q}'\n");
  const prompt = `+prompt_config=${place.path("prompt.yaml")}`;
  assert.equal((await place.collect(prompt, "--concurrency", "1")).code, 0);
  const before = place.files();
  const same = await place.collect(prompt, RESUME, "--concurrency", "7", "+grace_s=1");
  assert.equal(same.code, 0, same.stderr);

  place.write("in.jsonl", row("a") + row("c"));
  place.write("prompt.yaml", "user: 'now {q}'\n");
  const changed = [prompt, RESUME, "+num_repeats=2"];
  const refused = await place.collect(...changed);
  assert.equal(refused.code, 2);
  for (
    const pattern of [
      REFUSED_FOR_DRIFT,
      /num_repeats was 1 and is 2 now/,
      /the input .*in\.jsonl has other content/,
      /the prompt .*prompt\.yaml has other content/,
      /--accept-drift/,
    ]
  ) assert.match(refused.stderr, pattern);
  const { ["a_manifest.json"]: _, ...files } = place.files();
  for (const [name, text] of Object.entries(files)) assert.equal(text, before[name], name);
  assert.equal(place.sent.length, 0);

  Deno.writeTextFileSync(place.path("runs/a.jsonl"), "");
  const accepted = await place.collect(...changed, "+accept_drift=true");
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.match(accepted.stderr, /Warning: accepted drift: num_repeats was 1 and is 2 now/);
  assert.deepEqual(place.sent.map(({ q }) => q).sort(), ["a", "b"]);
  const { runs } = JSON.parse(place.read("runs/a_manifest.json"));
  assert.deepEqual(runs.map(({ resumed }: { resumed: boolean }) => resumed), [false, true, true]);
  assert.equal(runs[2].accepted_drift.length, 3);
  assert.match((await place.collect(...changed)).stderr, /num_repeats was 1/);
});

Deno.test("a resume after a fresh run that was killed before it began finds the run before it, and says how to begin again", async () => {
  await using place = new Place();
  assert.equal((await place.collect()).code, 0);
  const rollouts = place.read("runs/a.jsonl");
  place.write("in.jsonl", row("c"));
  place.write("runs/a_materialized_inputs.jsonl.new", row("c"));
  const refused = await place.collect(RESUME);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, REFUSED_FOR_DRIFT);
  assert.match(refused.stderr, /run without --resume: it keeps these rollouts as .*a\.jsonl\.old/);
  assert.equal(place.read("runs/a.jsonl"), rollouts);
  assert.equal(place.sent.length, 0);

  const fresh = await place.collect();
  assert.equal(fresh.code, 0, fresh.stderr);
  assert.deepEqual(place.sent.map(({ q }) => q), ["c"]);
  assert.equal(place.read("runs/a.jsonl.old"), rollouts);
});

Deno.test("a resume compares only the lines of the input that are used", async () => {
  await using place = new Place();
  assert.equal((await place.collect("--limit", "1")).code, 0);
  place.write("in.jsonl", row("a") + row("other"));
  assert.equal((await place.collect("--limit", "1", RESUME)).code, 0);
  const { code, stderr } = await place.collect("--limit", "2", RESUME);
  assert.equal(code, 2);
  assert.match(stderr, /limit was 1 and is 2 now/);
  assert.doesNotMatch(stderr, /other content/);
});

Deno.test("a resume of an output without a manifest, such as Gym's, is not checked; one with a broken manifest is refused", async () => {
  await using place = new Place();
  assert.equal((await place.collect()).code, 0);
  const manifest = place.path("runs/a_manifest.json");
  Deno.removeSync(manifest);
  assert.equal((await place.collect(RESUME, "+num_repeats=3")).code, 0);
  assert.equal(place.files()["a_manifest.json"], undefined);
  Deno.writeTextFileSync(manifest, "{");
  const { code, stderr } = await place.collect(RESUME);
  assert.equal(code, 2);
  assert.match(stderr, /a_manifest\.json is not a manifest that this version understands.*--accept-drift/);
  assert.equal((await place.collect(RESUME, "+accept_drift=true")).code, 0);
});

Deno.test("the manifest holds what a run was made of, and no secrets", async () => {
  await using place = new Place();
  const { code, stderr } = await place.collect(
    "+responses_create_params.metadata={api_key: hunter2}",
    "+responses_create_params.max_output_tokens=7",
  );
  assert.equal(code, 0, stderr);
  const text = place.read("runs/a_manifest.json"), manifest = JSON.parse(text);
  assert.doesNotMatch(text, /hunter2/);
  assert.equal(manifest.config.responses_create_params.max_output_tokens, 7);
  assert.deepEqual(manifest.counts, { rows: 2, tasks: 2, rollouts: 2 });
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(place.read("in.jsonl")));
  assert.equal(manifest.input.sha256, new Uint8Array(digest).toHex());
  assert.equal(manifest.runs[0].host, Deno.hostname());
});

Deno.test("plan says what a resume would run, and changes nothing", async () => {
  await using place = new Place();
  assert.equal((await place.collect()).code, 0);
  Deno.writeTextFileSync(place.path("runs/a.jsonl"), place.read("runs/a.jsonl").split("\n")[0] + '\n{"cut');
  const before = place.files();
  const { code, stdout } = await place.run("plan", RESUME);
  assert.equal(code, 0);
  assert.match(stdout, /^2 rollouts.*\nOf these 1 done, 1 left\n/);
  const { standing, resume } = JSON.parse((await place.run("plan", RESUME, "--json")).stdout);
  assert.deepEqual([standing.done, standing.left, resume.retry_invalid_judge], [1, 1, false]);
  assert.deepEqual(place.files(), before);
  assert.equal(place.sent.length, 0);
});

Deno.test("a rollout whose judge gave no verdict is tried again with the deliverables that are there", async () => {
  await using place = new Place();
  place.write("made/report.txt", "x");
  place.more = `,"invalid_judge_response":true,"deliverables_dir":"${place.path("made")}"`;
  const retry = "+retry_invalid_judge_responses=true";
  assert.equal((await place.collect(retry)).code, 0);
  place.more = "";
  const { code, stderr } = await place.collect(retry, RESUME);
  assert.equal(code, 0, stderr);
  for (const sent of place.sent) {
    assert.equal(sent["reuse_cached_deliverable"], true);
    assert.equal(sent["_ng_attempt_index"], 1);
  }
  assert.equal(place.sent.length, 2);
  assert.doesNotMatch(place.read("runs/a.jsonl"), /invalid_judge_response/);
  assert.equal(place.read("runs/a_failures.jsonl").match(/"_ng_failure_class":"judge_invalid"/g)!.length, 2);
});

Deno.test("a resume warns of rows that share an identity, and runs the first of each", async () => {
  await using place = new Place();
  const input = `{"q":1,"agent_ref":{"name":"s"},"_ng_task_index":0,"_ng_rollout_index":0}\n`;
  place.write("runs/a_materialized_inputs.jsonl", input + input.replace('"q":1', '"q":2'));
  place.write("runs/a.jsonl", "");
  const { code, stderr } = await place.collect(RESUME);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Warning: rows of .* with the identity of an earlier one: 1/);
  assert.deepEqual(place.sent.map(({ q }) => q), [1]);
});

Deno.test("a resume with every rollout at the attempt limit fails, says how to retry them, and --retry-exhausted does", async () => {
  await using place = new Place();
  assert.equal((await place.collect()).code, 0);
  const failed = place.read("runs/a.jsonl").replaceAll(
    '"reward"',
    '"_ng_failure_class":"agent_run_error","reward"',
  );
  place.write("runs/a.jsonl", "");
  place.write("runs/a_failures.jsonl", failed.repeat(3));
  const { code, stderr } = await place.collect(RESUME);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /--retry-exhausted, or raise\s+NEMO_GYM_MAX_ROLLOUT_ATTEMPTS/);
  assert.equal(place.sent.length, 0);
  const retried = await place.collect(RESUME, "--retry-exhausted");
  assert.equal(retried.code, 0, retried.stderr);
  assert.deepEqual(place.sent.map((row) => row["_ng_attempt_index"]), [3, 3]);
  assert.equal(place.read("runs/a.jsonl").trim().split("\n").length, 2);
});
