import assert from "node:assert/strict";
import type { Notice } from "../../src/events/run_event.ts";
import { eventText } from "../../src/report/event_text.ts";

const id = { task: 3, rollout: 1 }, math = { server: "math", url: "http://m:1" };
const failed = {
  kind: "settled",
  id,
  route: 0,
  became: "failed",
  failure: { failureClass: "agent_run_error", message: "http://m:1/run answered 500", body: "oops" },
  recorded: true,
  final: false,
  scored: false,
  result: null,
} as const;
const lost = {
  kind: "retried",
  id,
  attempts: 2,
  failure: {
    failureClass: "agent_request_failed",
    message: "No answer from http://m:1/run: closed",
    body: null,
  },
} as const;
const refused = "tcp connect error: Connection refused (os error 111)";
const path = "runs/a.jsonl", quarantine = "runs/a_quarantine.jsonl", inputs = "runs/a_inputs.jsonl";

const texts: readonly (readonly [Notice, string])[] = [
  [failed, "Rollout 3-1 failed: agent_run_error: http://m:1/run answered 500: oops"],
  [
    { ...failed, failure: { failureClass: "lost", message: null, body: null } },
    "Rollout 3-1 failed: lost",
  ],
  [{ ...lost, later: false }, "Rollout 3-1, attempt 2: No answer from http://m:1/run: closed. Retrying."],
  [
    { ...lost, later: true },
    "Rollout 3-1, attempt 2: No answer from http://m:1/run: closed. Left for --resume.",
  ],
  [
    { kind: "server_paused", ...math, reason: refused, asked: false, windowS: 600 },
    "Server math (http://m:1) is unreachable: connection refused. Is it running? Waiting up to 600 s for it; " +
    "nothing is lost.",
  ],
  [
    { kind: "server_paused", ...math, reason: "HTTP 429", asked: true, windowS: 60 },
    "Server math (http://m:1) asked us to back off: HTTP 429. Waiting up to 60 s for it; nothing is lost.",
  ],
  [
    { kind: "server_paused", ...math, reason: "HTTP 502", asked: false, windowS: 60 },
    "Server math (http://m:1) is turning rows away: HTTP 502. Waiting up to 60 s for it; nothing is lost.",
  ],
  [
    { ...failed, id: { ...id, own: "django__django-11099" } },
    "Rollout 3-1 (django__django-11099) failed: agent_run_error: http://m:1/run answered 500: oops",
  ],
  [
    {
      kind: "server_abandoned",
      ...math,
      reason: "HTTP 429",
      afterMs: 0,
      asked: { forMs: 9000, windowMs: 600 },
    },
    "Server math (http://m:1) asked us to wait 9.0 s, longer than the retry window of 0.6 s has left. It is abandoned. " +
    "Rollouts of other servers go on.",
  ],
  [{ kind: "server_back", ...math, afterMs: 3040 }, "Server math (http://m:1) is back after 3.0 s."],
  [
    { kind: "server_abandoned", ...math, reason: refused, afterMs: 600_000 },
    "Server math (http://m:1) is abandoned after 600 s. Rollouts of other servers go on.",
  ],
  [
    { kind: "connections_unkept", origin: "http://m:1" },
    "http://m:1 closed a connection instead of responding; its connections are no longer kept between requests.",
  ],
  [
    {
      kind: "stalled",
      quietMs: 600_000,
      inFlight: 1,
      oldest: [{ ...id, own: "q7", server: "math", forMs: 601_000 }],
    },
    "Nothing has moved for 10 minutes. The oldest of 1 rollout in flight: 3-1 (q7) at math for 601 s. " +
    "If that is too long, --rollout-timeout ends such rollouts.",
  ],
  [
    { kind: "stopping", why: "SIGTERM", waitsFor: { inFlight: 8 }, graceS: 30 },
    "Stopping (SIGTERM): 8 rollouts in flight have 30 s to finish; a second signal abandons them.",
  ],
  [
    { kind: "stopping", why: "error", waitsFor: { inFlight: 1 }, graceS: 30 },
    "Stopping after an error: 1 rollout in flight has 30 s to finish; a signal abandons it.",
  ],
  [
    { kind: "stopping", why: "SIGINT", waitsFor: "metrics", graceS: 30 },
    "Stopping (SIGINT): waiting up to 30 s for the metrics.",
  ],
  [
    { kind: "metrics_awaited" },
    "All rollouts are done and written. Waiting for the servers' metrics (POST /aggregate_metrics).",
  ],
  [
    { kind: "no_more_shown", see: "a_failures.jsonl" },
    "Further messages like this are not shown; see a_failures.jsonl.",
  ],
  [
    { kind: "no_more_shown", see: null },
    "Further messages like this are not shown; see the progress line, which names the servers that are paused.",
  ],
  [{ kind: "scoring", stage: "reading", count: 1 }, "Reading 1 shard."],
  [{ kind: "scoring", stage: "merging", count: 12_000 }, "Merging 12,000 rows."],
  [
    { kind: "earlier_run_kept", path: "runs/a.jsonl.old" },
    "The rollouts of an earlier run are kept as runs/a.jsonl.old.",
  ],
  [
    { kind: "tail_dropped", path, bytes: 1 },
    "The last line of runs/a.jsonl was incomplete (1 byte) and was dropped.",
  ],
  [
    { kind: "lines_set_aside", path, quarantine, lines: 3, first: ["line 2: unexpected end at byte 9"] },
    "3 lines of runs/a.jsonl are not usable rows; moved to runs/a_quarantine.jsonl. Their rollouts will run again:" +
    "\n  line 2: unexpected end at byte 9\n  … and 2 more",
  ],
  [
    { kind: "invalid_judged_again", rollouts: 1, failures: "f" },
    "1 rollout with an invalid judge response was moved to f and will run again.",
  ],
  [
    { kind: "invalid_unreadable", rows: 2, quarantine },
    "2 rows of these are not JSON; moved to runs/a_quarantine.jsonl.",
  ],
  [
    { kind: "rows_ignored", path, why: "repeated", rows: 2, inputs },
    "2 rows of runs/a.jsonl have the identity of an earlier row; the first counts.",
  ],
  [
    { kind: "rows_ignored", path, why: "unknown", rows: 1, inputs },
    "1 row of runs/a.jsonl belongs to no row of runs/a_inputs.jsonl; ignored.",
  ],
];

for (const [event, text] of texts) {
  Deno.test(`eventText() of ${event.kind}: ${text.slice(0, 60)}`, () => {
    assert.equal(eventText(event), text);
    assert.deepEqual(structuredClone(event), event, "an event is plain data");
  });
}
