/** `--header` and `--header-env`: who gets them, and who never sees them. */
import assert from "node:assert/strict";
import { TcpServer } from "../edge/_tcp_server.ts";
import { Gym, reward, rollcall, Scratch } from "./_rollcall.ts";

const HIDDEN = "SEKRIT77";

Deno.test("the user's headers go to the head and the run's servers only, and are in no output and no file", async () => {
  await using elsewhere = new TcpServer();
  await using gym = new Gym(({ n }) =>
    n === 0 ? { status: 307, headers: { location: `${elsewhere.url}/run` } } : reward(1)
  );
  await using scratch = new Scratch();
  scratch.tasks(3);
  const args = [
    ...["-i", "tasks.jsonl", "-o", "out/r.jsonl", "--head", `127.0.0.1:${gym.port}`],
    ...["--route-failures-to-sidecar", "--header", `X-Plain: ${HIDDEN}`, "--header-env", "X-Env=GATEWAY_KEY"],
  ];
  const options = { cwd: scratch.path, env: { ROLLCALL_ENV_GATEWAY_KEY: HIDDEN } };
  const outputs = [
    await rollcall(["plan", "--json", ...args], options),
    await rollcall(["collect", "--json", ...args], options),
  ];
  assert.deepEqual(outputs.map(({ code }) => code), [0, 0], outputs[1]!.err);
  const told = gym.seen.map(({ path, headers }) => [path, headers.get("x-plain"), headers.get("x-env")]);
  assert.deepEqual(
    new Set(told.map(([path]) => path)),
    new Set(["/global_config_dict_yaml", "/run", "/aggregate_metrics"]),
  );
  for (const [path, ...values] of told) assert.deepEqual(values, [HIDDEN, HIDDEN], path!);
  assert.equal(elsewhere.seen.length, 0);

  const wrong = await rollcall(["collect", ...args, "--header", HIDDEN], options);
  const broken = await rollcall(["collect", ...args, "--header", `Host: ${HIDDEN}`, "--fresh"], options);
  assert.deepEqual([wrong.code, broken.code], [2, 2]);
  assert.match(wrong.err, /--header: needs 'Name: value'/);
  assert.match(broken.err, /"Host" \(headers\) cannot be set/);
  for (const { out, err } of [...outputs, wrong, broken]) assert.ok(!`${out}${err}`.includes(HIDDEN), err);
  for (const [name, text] of Object.entries(scratch.snapshot())) assert.ok(!text.includes(HIDDEN), name);
});
