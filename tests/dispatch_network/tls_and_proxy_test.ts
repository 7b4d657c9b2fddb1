/** Certificates of an authority of one's own, and proxies. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { AUTHORITY, CERTIFICATE, KEY } from "../edge/_certificates.ts";
import { deadPort, type Seen, TcpServer } from "../edge/_tcp_server.ts";
import { Agent, audit, GOOD } from "./_agent.ts";
import { collect, type Ended } from "./_rollcall.ts";

/** Runs three rows against a TLS server whose certificate only {@link AUTHORITY} vouches for. */
async function overTls(
  how: (file: string) => { readonly args?: readonly string[]; readonly env?: Record<string, string> },
): Promise<{ ended: Ended; answered: number }> {
  const folder = Deno.makeTempDirSync();
  const file = join(folder, "authority.pem");
  Deno.writeTextFileSync(file, AUTHORITY);
  let answered = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: CERTIFICATE, key: KEY, onListen: () => {} },
    () => (answered++, new Response('{"reward":1}')),
  );
  try {
    const { args = [], env = {} } = how(file);
    const url = `https://127.0.0.1:${server.addr.port}`;
    return {
      ended: await collect({ rows: 3, url, args: ["--route-failures-to-sidecar", ...args], env }),
      answered,
    };
  } finally {
    await server.shutdown();
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("--ca makes an authority trusted", async () => {
  const { ended, answered } = await overTls((file) => ({ args: [`--ca=${file}`] }));
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 3);
  assert.equal(answered, 3);
});

Deno.test("SSL_CERT_FILE makes an authority trusted", async () => {
  const { ended } = await overTls((file) => ({ env: { SSL_CERT_FILE: file } }));
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 3);
});

Deno.test("a certificate that nobody vouches for is said at once, with what to do; rows are left for a resume", async () => {
  const { ended, answered } = await overTls(() => ({}));
  assert.equal(ended.code, 1);
  assert.equal(answered, 0);
  assert.match(String(ended.summary?.error), /certificate.*--ca FILE/s);
  assert.equal(ended.failures.length, 1);
  assert.equal(ended.failures[0]!._ng_failure_delivery, "not_sent");
  assert.equal(ended.summary?.left, 2);
});

Deno.test("--ca with a file that holds no certificate is wrong usage, and one that is broken is said to be", async () => {
  const none = await overTls((file) => {
    Deno.writeTextFileSync(file, "no certificate\n");
    return { args: [`--ca=${file}`] };
  });
  assert.equal(none.ended.code, 2);
  assert.match(none.ended.said, /no certificate in .*authority\.pem/);
  const broken = await overTls((file) => {
    Deno.writeTextFileSync(file, AUTHORITY.replace(/\n\w{20}/, "\nAAAAAAAAAAAAAAAAAAAA"));
    return { args: [`--ca=${file}`] };
  });
  assert.equal(broken.ended.code, 1);
  assert.match(broken.ended.said, /Cannot use the certificates of --ca/);
  assert.equal(broken.answered, 0);
});

const VARIABLES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

Deno.test("proxies of the environment are ignored", async () => {
  await using agent = new Agent();
  const dead = `http://127.0.0.1:${deadPort()}`;
  const env = Object.fromEntries(VARIABLES.map((name) => [name, dead]));
  const ended = await collect({ rows: 3, url: agent.url, env, args: ["--retry-window=0"] });
  assert.equal(ended.code, 0);
  audit(ended, agent, 3);
});

Deno.test("--proxy sends everything through one", async () => {
  const targets: string[] = [];
  await using proxy = new TcpServer(({ target }: Seen) => {
    targets.push(target);
    return GOOD;
  });
  const url = `http://127.0.0.1:${deadPort()}`;
  const ended = await collect({ rows: 3, url, args: [`--proxy=${proxy.url}`] });
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 3);
  assert.deepEqual(targets, Array(3).fill(`${url}/run`));
});
