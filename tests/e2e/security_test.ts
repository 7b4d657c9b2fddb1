/** The promises of docs/security.md, on the program itself: servers, files and configurations that mean harm. */
import assert from "node:assert/strict";
import { deadPort, type Reply, TcpServer } from "../edge/_tcp_server.ts";
import { Gate, Gym, reward, rollcall, Scratch, start } from "./_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "out/r.jsonl"];

/** Everything that a run may leave beside its output. */
const FILES = [
  ...["r.jsonl.old", "r.jsonl.new", "r_failures.jsonl", "r_failures.jsonl.old", "r_failures.jsonl.new"],
  ...["r_materialized_inputs.jsonl", "r_materialized_inputs.jsonl.new", "r_quarantine.jsonl"],
  ...["r_materialized_inputs.jsonl.new.unordered", "r_manifest.json", "r_manifest.json.new", "r.lock"],
  ...["r_aggregate_metrics.json", "r_aggregate_metrics.json.new", "r_aggregate_metrics.json.index"],
  ...["quality_summary.json", "r_quality_summary.json.new", "rollout_verdicts.jsonl"],
  ...["r_rollout_verdicts.jsonl.new", "r_health_findings.jsonl.new"],
];

Deno.test("a secret planted in every place of a configuration is in no output and in no file", async () => {
  const secret = "SEKRIT77";
  await using gym = new Gym(({ n }) =>
    n === 0
      ? { status: 302, headers: { location: `https://u:${secret}@login.example/?token=${secret}#${secret}` } }
      : reward(1)
  );
  await using proxy = new TcpServer(({ path, body }) =>
    path === "/aggregate_metrics"
      ? { body: "{}" }
      : JSON.parse(body).n === 0
      ? { status: 302, headers: { location: `https://u:${secret}@login.example/?token=${secret}` } }
      : reward(1)
  );
  await using scratch = new Scratch();
  scratch.tasks(3);
  scratch.write(
    "c.yaml",
    `responses_create_params:
  metadata: {api_key: ${secret}, note: "Authorization: Bearer ${secret}"}
  extra_headers: {X-Any: "Bearer ${secret}"}
  extra_body: {url: "https://h/?token=${secret}", login: "https://u:${secret}@h/"}
policy_api_key: ${secret}
policy_model: {headers: {Cookie: ${secret}}}
`,
  );
  const given = [
    ...["--config", "c.yaml", "--proxy", `http://u:${secret}@127.0.0.1:${proxy.port}/?token=${secret}`],
    ...["--param", `my_password=${secret}`, "--param", `headers={Cookie: ${secret}}`],
  ];
  const args = [...given, ...gym.flag, "--route-failures-to-sidecar"];
  // Neither the input nor what goes to a server can be masked: both hold what they are told to send.
  const sent = [scratch.at("c.yaml"), scratch.at("out/r_materialized_inputs.jsonl")];
  const options = { cwd: scratch.path, env: { ROLLCALL_ENV_HF_TOKEN: secret, NEMO_GYM_TOKEN: secret } };
  const outputs = [
    await rollcall(["plan", ...GO.slice(1), ...args], options),
    await rollcall(["plan", "--json", ...GO.slice(1), ...args], options),
    await rollcall([...GO, ...args, "--json"], options),
    await rollcall([...GO, ...args, "--limit", "x", "--temperature", "hot", "--api-key", secret], options),
    await rollcall(
      [...GO, ...gym.flag, "--head", `u:${secret}@h:1`, "--proxy", `ftp://h/?token=${secret}`],
      options,
    ),
    await rollcall([...GO, "--server", `a=https://u:${secret}@h/?token=${secret}#${secret}`], options),
    await rollcall([...GO, ...gym.flag, `+wandb_api_key=[${secret}`, `+x={token: ${secret}`], options),
  ];
  assert.deepEqual(
    outputs.map(({ code }) => code),
    [0, 0, 0, 2, 2, 2, 2],
    outputs.map(({ err }) => err).join(),
  );
  for (const { out, err } of outputs) assert.ok(!(out + err).includes(secret), out + err);
  assert.match(scratch.rows("out/r_failures.jsonl")[0]!._ng_failure_message as string, /https:\/\/•••@login/);
  for (const [name, text] of Object.entries(scratch.snapshot())) {
    if (!sent.includes(scratch.at(name))) assert.ok(!text.includes(secret), `${name}: ${text}`);
  }
});

Deno.test("what servers, rows and names say reaches the terminal as plain text, in --json too", async () => {
  const evil =
    "\x1b[2J\x1b]0;t\x07\x9b31m\u202e\u200b\u2066\u2028\u0085\ufeff\u{e0041}\u200f\rX\x08\x7f\nComplete: 9";
  await using gym = new Gym(({ n }) =>
    [
      { status: 500, body: evil },
      {
        body: JSON.stringify({
          _ng_failure_class: evil,
          _ng_failure_message: evil.repeat(20_000),
          reward: 0,
        }),
      },
      { body: JSON.stringify({ reward: 1, [evil]: 2, agent_ref: { name: evil }, task_id: evil }) },
      { body: evil },
    ][n]!
  );
  gym.aggregate = () => ({
    body: JSON.stringify({ key_metrics: { [evil]: 1, text: evil, [evil.repeat(900)]: 2 } }),
  });
  await using scratch = new Scratch();
  scratch.tasks(4);
  const output = `out/${evil}.jsonl`, options = { cwd: scratch.path };
  const go = ["-i", "tasks.jsonl", "-o", output, ...gym.flag];
  scratch.write("odd.jsonl", JSON.stringify({ agent_ref: { name: evil }, responses_create_params: {} }));
  const outputs = [
    await rollcall(["collect", ...go, "--route-failures-to-sidecar", "--json"], options),
    await rollcall(["plan", ...go], options),
    await rollcall(["plan", ...go, "--json"], options),
    await rollcall(["status", output, "--json"], options),
    await rollcall(["status", output], options),
    await rollcall(["collect", "-i", "odd.jsonl", "-o", "out/r.jsonl", ...gym.flag], options),
  ];
  assert.deepEqual(outputs.map(({ code }) => code), [0, 0, 0, 0, 0, 2], outputs[0]!.err);
  for (const { out, err } of outputs) {
    assert.doesNotMatch(out + err, /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.doesNotMatch(out + err, /^Complete: 9/m);
    for (const line of err.split("\n")) assert.ok(line.length < 2000, `${line.length} characters in a line`);
  }
  // It says the same all the same.
  assert.equal(JSON.parse(outputs[3]!.out).output, scratch.at(output));
});

Deno.test("a link or a pipe in place of a file of the run is refused, and what it leads to stays as it was", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(1);
  scratch.write("precious", "precious");
  Deno.mkdirSync(scratch.at("out"));
  // One run tells of one; the table of all is tests/security/own_files_test.ts.
  for (const name of ["r.lock", "r_materialized_inputs.jsonl.new"]) {
    Deno.symlinkSync("../precious", scratch.at(`out/${name}`));
    const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
    assert.equal(code, 2);
    assert.match(err, /is a link to .*precious\. Only the output itself may be one/);
    Deno.removeSync(scratch.at(`out/${name}`));
  }
  await new Deno.Command("mkfifo", { args: [scratch.at("out/r_manifest.json")] }).output();
  const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.deepEqual([code, gym.seen.length], [2, 0]);
  assert.match(err, /r_manifest\.json is a device or a pipe/);
  assert.equal(Deno.readTextFileSync(scratch.at("precious")), "precious");
});

Deno.test("a folder that is swapped for a link in the middle of a run is not written through", async () => {
  await using scratch = new Scratch();
  scratch.tasks(1);
  for (const name of FILES) scratch.write(`elsewhere/${name}`, "precious");
  const swap = () => {
    Deno.renameSync(scratch.at("out"), scratch.at("moved"));
    Deno.symlinkSync("elsewhere", scratch.at("out"));
  };
  await using gym = new Gym();
  gym.aggregate = () => {
    swap();
    return { body: "{}" };
  };
  const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.equal(code, 1, err);
  assert.match(err, /leads through a link|removed or replaced/);
  const there = Object.entries(scratch.snapshot()).filter(([name]) => name.startsWith("elsewhere/"));
  // The lock is taken away where it is looked for, whoever made it.
  for (const [name, text] of there) assert.equal(text, "precious", name);
  assert.equal(scratch.rows("moved/r.jsonl").length, 1);
});

Deno.test("rows, answers and old manifests choose no server, no file and no program", async () => {
  await using decoy = new TcpServer();
  await using gym = new Gym(() => ({
    body: JSON.stringify({
      reward: 1,
      ...{
        agent_ref: { name: "a", url: decoy.url },
        output_jsonl_fpath: "../taken.jsonl",
        host: "127.0.0.1",
      },
      ...{ invalid_judge_response: true, deliverables_dir: "/" },
    }),
  }));
  await using scratch = new Scratch();
  const task = {
    agent_ref: { name: "a", url: decoy.url, host: "127.0.0.1", port: decoy.port },
    responses_create_params: { base_url: decoy.url, input: [{ role: "user", content: `${decoy.url}/x` }] },
    ...{ output_jsonl_fpath: "../taken.jsonl", url: decoy.url, skills_ref: { path: "/etc" } },
    __proto__: null,
  };
  scratch.write("tasks.jsonl", `${JSON.stringify(task)}\n${JSON.stringify({ ...task, n: 1 })}\n`);
  const first = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.equal(first.code, 0, first.err);
  const manifest = JSON.parse(Deno.readTextFileSync(scratch.at("out/r_manifest.json")));
  manifest.hosts = [`127.0.0.1:${decoy.port}`];
  manifest.config.servers = { a: decoy.url };
  manifest.config.proxy = decoy.url;
  manifest.quality_summary = "../../taken.json";
  scratch.write("out/r_manifest.json", JSON.stringify(manifest));
  const rows = Deno.readTextFileSync(scratch.at("out/r.jsonl")).split("\n");
  scratch.write("out/r.jsonl", `${rows[0]}\n`);
  const before = Object.keys(scratch.snapshot());
  const second = await rollcall([...GO, ...gym.flag, "--resume", "--accept-drift"], { cwd: scratch.path });
  assert.equal(second.code, 0, second.err);
  assert.equal(decoy.connections, 0);
  assert.equal(gym.seen.filter(({ path }) => path === "/run").length, 3);
  const strange = Object.keys(scratch.snapshot()).filter((name) => !before.includes(name));
  assert.deepEqual(strange.filter((name) => !name.startsWith("out/")), []);
});

Deno.test("squeue is the only program that is run, and only inside of a Slurm job", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(1);
  for (const name of ["squeue", "sh", "env", "git", "hostname", "python3", "node", "tput", "locale"]) {
    scratch.write(
      `bin/${name}`,
      `#!/bin/sh\necho "$0 $*" >> ${scratch.at("ran")}\necho $(( $(date +%s) + 9000 ))\n`,
    );
    Deno.chmodSync(scratch.at(`bin/${name}`), 0o755);
  }
  const path = `${scratch.at("bin")}:${Deno.env.get("PATH")}`;
  const ran = () =>
    Object.keys(scratch.snapshot()).includes("ran") ? Deno.readTextFileSync(scratch.at("ran")) : "";
  const outside = await rollcall([...GO, ...gym.flag], { cwd: scratch.path, env: { PATH: path } });
  assert.deepEqual([outside.code, ran()], [0, ""], outside.err);
  const inside = await rollcall([...GO, ...gym.flag, "--concurrency", "1", "--fresh"], {
    cwd: scratch.path,
    env: { PATH: path, SLURM_JOB_ID: "7", SLURM_JOB_NODELIST: "$(touch owned)" },
  });
  assert.equal(inside.code, 0, inside.err);
  assert.notEqual(ran(), "");
  for (const line of ran().split("\n").filter(Boolean)) assert.match(line, /\/bin\/squeue /);
  assert.ok(!("owned" in scratch.snapshot()));
});

Deno.test({
  name: "the demo's server listens on loopback only, and a run listens on nothing",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using scratch = new Scratch();
    await using demo = start(["demo", "--count", "5000"], { cwd: scratch.path });
    await demo.says(/A Gym-like server on http:\/\/127\.0\.0\.1:\d+/);
    const addresses = await listening(demo.child.pid);
    assert.equal(addresses.length, 1);
    assert.match(addresses[0]!, /^0100007F:/);
    demo.kill("SIGKILL");

    const gate = new Gate(), asked = new Gate();
    await using gym = new Gym(async () => {
      asked.open();
      await gate.passed;
      return reward(1);
    });
    scratch.tasks(1);
    await using run = start([...GO, ...gym.flag], { cwd: scratch.path });
    await run.until(asked.passed);
    assert.deepEqual(await listening(run.child.pid), []);
    gate.open();
    assert.equal((await run.ends()).code, 0);
  },
});

Deno.test("a host that is not written like a configured one gets nothing, though it is the same machine", async () => {
  const port = deadPort();
  await using gym: Gym = new Gym((): Reply => ({
    status: 307,
    headers: { location: `//localhost:${gym.port}/run` },
  }));
  await using scratch = new Scratch();
  scratch.tasks(1);
  const plan = await rollcall(["plan", ...GO.slice(1), "--server", `a=http://localhost:${port}`, "--json"], {
    cwd: scratch.path,
  });
  assert.deepEqual(JSON.parse(plan.out).permissions.net, [`localhost:${port}`]);
  const { code } = await rollcall([...GO, ...gym.flag, "--route-failures-to-sidecar"], { cwd: scratch.path });
  assert.equal(code, 1); // no rollout has a result
  assert.equal(gym.seen.filter(({ path }) => path === "/run").length, 1);
});

/** Local addresses of the listening sockets of a process, as /proc writes them. */
async function listening(pid: number): Promise<string[]> {
  const read = async (program: string, ...args: string[]) =>
    new TextDecoder().decode((await new Deno.Command(program, { args }).output()).stdout);
  const descriptors = await read("ls", "-l", `/proc/${pid}/fd`);
  const own = new Set([...descriptors.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode));
  const tables = await read("cat", `/proc/${pid}/net/tcp`, `/proc/${pid}/net/tcp6`);
  return tables.split("\n").map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === "0A" && own.has(inode))
    .map(([, local]) => local!);
}
