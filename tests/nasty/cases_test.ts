/**
 * Every case of the collection of cases from the field, by its number, with the tests that prove it. A test that was
 * renamed or removed is missed here.
 */
import assert from "node:assert/strict";
import { join } from "node:path";

/** The claim, and its tests: the file below `tests/`, and how the test's name stands in it. */
const CASES: Readonly<
  Record<number, readonly [claim: string, ...tests: (readonly [file: string, name: string])[]]>
> = {
  1: [
    "a closed port is named at once, the run ends with its window, the sidecar says not_sent",
    [
      "dispatch_network/connections_test.ts",
      "a closed port is named at once with the likely cause, and the run ends with its window",
    ],
    ["nasty/network_test.ts", "a port at which nobody listens: the sidecar says that nothing was sent"],
  ],
  2: [
    "a request that was read and not answered is one POST, possibly_delivered, and the next attempt",
    [
      "dispatch_network/connections_test.ts",
      "a request that was read and not answered is recorded, and run again as the next attempt",
    ],
    [
      "dispatch_network/one_post_test.ts",
      'is sent once over a ${kept ? "kept" : "fresh"} connection that is ${how}',
    ],
  ],
  3: [
    "a server that closes each connection after its answer costs one attempt, and nothing twice",
    [
      "dispatch_network/connections_test.ts",
      "a kept connection that is closed just as it is used again costs one attempt in the whole run",
    ],
    [
      "edge/fetch_wire_test.ts",
      "loses no more than one request to a server that closes every connection after its answer",
    ],
  ],
  4: [
    "one 500 among ten: 9 + 1 and 0 with routing, 1 without",
    [
      "nasty/network_test.ts",
      "one 500 among ten: with routing 9 rollouts, 1 failure and exit code 0; without it 1, and what is finished is kept",
    ],
  ],
  5: [
    "a row that is never answered fails at its timeout alone; without one, a warning names it",
    [
      "dispatch_network/connections_test.ts",
      "--rollout-timeout ends one rollout; the others are written meanwhile, and it is not run twice",
    ],
    [
      "dispatch_network/stall_test.ts",
      "a run in which nothing has moved for ten minutes names its oldest rollouts, once",
    ],
  ],
  6: [
    "proxies of the environment are ignored",
    ["dispatch_network/tls_and_proxy_test.ts", "proxies of the environment are ignored"],
    ["e2e/reach_test.ts", "rollcall collect ignores proxies in the environment"],
  ],
  7: [
    "Retry-After of every kind: a floor, capped, shared by the rows of its server",
    [
      "dispatch_network/statuses_test.ts",
      "${status} with Retry-After is honoured by all rows of the server, and is no failure",
    ],
    ["dispatch_network/statuses_test.ts", "Retry-After ${retryAfter} asks for nothing but the usual wait"],
    [
      "dispatch_network/statuses_test.ts",
      "a server that asks for more time than the window has is left at its end",
    ],
    ["dispatch/judge_test.ts", "retryAfterMs() of ${JSON.stringify(header?.slice(0, 40))} is ${want}"],
  ],
  8: [
    "a 200 with an HTML page is a failure whose message shows 200 characters of it",
    [
      "nasty/network_test.ts",
      "a 200 with an HTML page is a failure whose message shows how the page begins, and whose body is not kept",
    ],
  ],
  9: [
    "an answer that begins and falls silent is ended by idle_timeout_s",
    [
      "dispatch_network/connections_test.ts",
      "half a body and then silence is ended by --idle-timeout, and by nothing else",
    ],
  ],
  10: [
    "a server that restarts in mid-run loses nothing",
    [
      "dispatch_network/restart_test.ts",
      "a restart in mid-run loses nothing: dispatch pauses, one probe finds it back, attempts are recorded",
    ],
  ],
  11: [
    "a name that nobody knows is said once",
    [
      "dispatch_network/connections_test.ts",
      "an unknown name is reported once, and not tried for minutes",
    ],
  ],
  12: [
    "a private authority: --ca and SSL_CERT_FILE, and the error says so",
    ["dispatch_network/tls_and_proxy_test.ts", "--ca makes an authority trusted"],
    ["dispatch_network/tls_and_proxy_test.ts", "SSL_CERT_FILE makes an authority trusted"],
    [
      "dispatch_network/tls_and_proxy_test.ts",
      "a certificate that nobody vouches for is said at once, with what to do; rows are left for a resume",
    ],
  ],
  13: [
    "too few descriptors are said before the start",
    [
      "dispatch_network/limits_test.ts",
      "a concurrency that does not fit into the open files is refused before anything is sent",
    ],
  ],
  14: [
    "a byte-order mark, CRLF, blank lines, no final newline",
    [
      "nasty/text_test.ts",
      "a byte-order mark, CRLF, blank lines and no final newline are read; errors name the line of the file",
    ],
  ],
  15: [
    "U+2028, U+2029 and U+0085 end no row",
    [
      "nasty/text_test.ts",
      "U+2028, U+2029 and U+0085 as they are in inputs, answers and earlier rollouts: one row stays one row",
    ],
  ],
  16: [
    "NaN and Infinity are no JSON",
    ["nasty/text_test.ts", "NaN, Infinity and invalid UTF-8 in an answer are failures: never null, never 0"],
  ],
  17: [
    "what the server sent is what the file holds",
    [
      "nasty/text_test.ts",
      "what the server sent is what the file holds: numbers, escapes, lone surrogates and keys that come twice",
    ],
  ],
  18: [
    "invalid UTF-8: line and byte of an input, a failure row of an answer",
    ["nasty/text_test.ts", "invalid UTF-8 in an input line is an error that names the line and the byte"],
    ["nasty/text_test.ts", "NaN, Infinity and invalid UTF-8 in an answer are failures: never null, never 0"],
  ],
  19: [
    "a 600 MB answer fails clearly or is written, and max_response_bytes caps it",
    [
      "nasty/network_test.ts",
      "an answer of 600 MB, longer than the runtime's strings, is written or fails clearly, and disturbs no other",
    ],
  ],
  20: [
    "half a row at the end, a row without a newline, half a row in the middle",
    [
      "nasty/text_test.ts",
      "an earlier output that ends in half a row, in a whole row without a newline, or with half a row in its middle is resumed",
    ],
  ],
  21: [
    "a full disk stops dispatch, leaves whole rows, exit code 1, and a resume goes on",
    ["e2e/collect_test.ts", "rollcall collect keeps whole lines and stops when the disk is full"],
    ["resume/real_files_test.ts", "collect stops when the disk is full, and goes on when there is room"],
  ],
  22: [
    "an output folder that cannot be is said before the first request",
    ["e2e/errors_test.ts", "an output below a file"],
    ["e2e/errors_test.ts", "an output that is a folder"],
    [
      "resume/real_files_test.ts",
      "collect says that a read-only folder cannot hold a run, before anything is sent",
    ],
  ],
  23: [
    "two collectors on one output: the second is told who, also where locks lie",
    [
      "e2e/signals_test.ts",
      "rollcall collect refuses an output that another one collects into, and leaves that one alone",
    ],
    [
      "edge/deno_lock_test.ts",
      "takeLock() refuses a second process where the file system has no locks, and takes over from a dead one",
    ],
    [
      "edge/deno_lock_test.ts",
      "takeLock() watches the lease of another host, and takes it when it does not move",
    ],
    [
      "edge/deno_lock_test.ts",
      "takeLock() notifies its holder when another process has written into the lease",
    ],
  ],
  24: [
    "a fresh run keeps the old files as .old, and a kill never leaves new inputs beside old results",
    ["e2e/collect_test.ts", "rollcall collect keeps the last run's rollouts and sidecar as ….old"],
    [
      "store/set_aside_test.ts",
      "setAside() killed at any step leaves no new inputs next to old files and loses none, whatever was there",
    ],
  ],
  25: [
    "a resume of what has changed is refused, --accept-drift goes on",
    [
      "resume/command_test.ts",
      "a resume is refused when something that decides what is run has changed, unless that is accepted",
    ],
  ],
  26: [
    "a resume without the materialized inputs is refused, nothing is deleted",
    [
      "resume/command_test.ts",
      "a resume of rollouts without their inputs is refused, and nothing is touched",
    ],
  ],
  27: [
    "an identity twice is counted once, the first, and reported",
    [
      "nasty/accounting_test.ts",
      "one rollout twice in an earlier output is counted once, the first, and reported; broken metrics are replaced whole",
    ],
    [
      "metrics/score_test.ts",
      "score() scores an identity that two shards have twice, in their order, and says what that means",
    ],
  ],
  28: [
    "an empty or broken metrics file is replaced",
    [
      "nasty/accounting_test.ts",
      "one rollout twice in an earlier output is counted once, the first, and reported; broken metrics are replaced whole",
    ],
  ],
  29: [
    "0.667 over 3 of 4, 0.5 when counting; the same files; aggregate the same",
    [
      "nasty/accounting_test.ts",
      "R(1), R(1), R(0) and a 500: mean 0.667 over 3 of 4, or 0.5 when failures count; aggregate gives the same bytes",
    ],
  ],
  30: [
    "a task without a scored rollout stays visible",
    [
      "nasty/accounting_test.ts",
      "a task all of whose rollouts failed stays visible, with no rollouts and two missing",
    ],
    [
      "metrics/offline_metrics_test.ts",
      "ownMetrics() keeps a task none of whose rollouts was scored, with no rollouts",
    ],
  ],
  31: [
    "a server that dies: done, failed and unresolved add up",
    [
      "nasty/accounting_test.ts",
      "a server that dies after three of ten: expected is done, failed and unresolved together, exit code 1",
    ],
  ],
  32: [
    "a budget leaves the rest in no file, says how to go on, and a resume does",
    [
      "collect/stopping_test.ts",
      "collect() runs a budget out: 10 rollouts of 1 s, two at a time, 3 s, 1 s of margin",
    ],
    [
      "dispatch_network/limits_test.ts",
      "a budget that ends part-way leaves the rest in no file and says how to go on",
    ],
  ],
  33: [
    "a fresh run over an old sidecar dispatches everything",
    [
      "nasty/accounting_test.ts",
      "a fresh run over a sidecar with three attempts dispatches everything, and keeps the sidecar as .old",
    ],
  ],
  34: [
    "odd results are kept as sent, JSON that is no object is a failure",
    [
      "nasty/text_test.ts",
      "odd results are kept as sent and counted as unscored; JSON that is no object is a failed rollout",
    ],
  ],
  35: [
    "misspelt keys and agents, dead servers",
    [
      "nasty/people_test.ts",
      "+num_repeat=4, a misspelt agent and a dead head server are named with the nearest name, and nothing is sent",
    ],
  ],
  36: [
    "secrets stand in no manifest, plan or error",
    ["resume/command_test.ts", "the manifest holds what a run was made of, and no secrets"],
    ["cli/rollcall_test.ts", "run() plan --json prints one JSON object without anything secret"],
    ["prepare/config_files_test.ts", "readConfigFile() never repeats what stands in a file"],
  ],
  37: [
    "a tracking server that is down: metrics are written, a warning, and the export can be repeated",
    [
      "export/exporter_test.ts",
      "a server that is away for a while gets everything when it is back, and one warning is all there is",
    ],
    [
      "export/exporter_test.ts",
      "a server that never answers is given up a while after the run is over, and how to export later is said",
    ],
    [
      "with_mlflow/mlflow_test.ts",
      "a run and its resume are one run at MLflow: steps, metrics, parameters without secrets, a table, FINISHED",
    ],
  ],
  38: [
    "signals and closed pipes end as documented, files whole",
    [
      "e2e/signals_test.ts",
      "rollcall collect lets rollouts in flight end after ${signal}, starts nothing new, ends with ${code}",
    ],
    ["e2e/signals_test.ts", "rollcall collect abandons rollouts in flight at once on a second ${signal}"],
    ["e2e/signals_test.ts", "rollcall collect goes on when its terminal goes away"],
    ["e2e/terminal_test.ts", "rollcall plan into a pipe that is closed after a line ends well"],
  ],
  39: [
    "no network but loopback, no home folder, no temporary folder, a read-only root",
    ["nasty/people_test.ts", "no network but loopback: the demo collects, scores and ends well"],
    [
      "nasty/people_test.ts",
      "no home folder, no temporary folder and a folder that is all there is to write into: it works",
    ],
    ["nasty/people_test.ts", "a file system that is read-only but for the output's folder: it works"],
  ],
  40: [
    "a clock that jumps is not noticed",
    [
      "dispatch_network/stall_test.ts",
      "a wall clock that jumps is not noticed: neither budget nor stall nor duration",
    ],
  ],
}; // deno-fmt-ignore

const LAST = 40;

Deno.test("every case from the field has a number, a claim and at least one test", () => {
  assert.deepEqual(Object.keys(CASES).map(Number), Array.from({ length: LAST }, (_, k) => k + 1));
  for (const [number, [claim, ...tests]] of Object.entries(CASES)) {
    assert.ok(claim && tests.length > 0, number);
  }
});

Deno.test("every test that proves a case from the field is there", () => {
  const sources = new Map<string, string>(), missed: string[] = [];
  for (const [number, [claim, ...tests]] of Object.entries(CASES)) {
    for (const [file, name] of tests) {
      const source = sources.get(file) ?? Deno.readTextFileSync(join(import.meta.dirname!, "..", file));
      sources.set(file, source);
      if (!source.includes(name)) missed.push(`${number} (${claim}): ${file} has no test "${name}"`);
    }
  }
  assert.deepEqual(missed, []);
});
