import assert from "node:assert/strict";
import fc from "fast-check";
import { errorBody, judge, type Outcome, resultOf } from "../../src/dispatch/judge.ts";
import { retryAfterMs } from "../../src/kit/retry_after.ts";
import { readObject } from "../../src/json/object.ts";
import type { WireAnswer } from "../../src/ports/wire.ts";
import type { Failure } from "../../src/record/failure.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();

const URL = "http://solver:1/run", NOW = new Date("2026-01-02T03:04:05Z");

type Answered = Extract<WireAnswer, { kind: "answered" }>;

const judged = (answer: WireAnswer) => judge(answer, URL, () => NOW);

function answered(body: string | Uint8Array, more: Partial<Answered> = {}): Answered {
  const bytes = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  return { kind: "answered", status: 200, body: bytes, ...more };
}

function failureOf(outcome: Outcome): Failure {
  assert.ok("failure" in outcome, `is ${outcome.kind}`);
  return outcome.failure;
}

function resultIn(outcome: Outcome) {
  assert.ok(outcome.kind === "result", `is ${outcome.kind}`);
  return outcome;
}

Deno.test("judge() of an aborted request is aborted", () => {
  assert.deepEqual(judged({ kind: "aborted" }), { kind: "aborted" });
});

Deno.test("judge() of a request that no server saw: to be sent again at once", () => {
  assert.deepEqual(judged({ kind: "not_sent", reason: "connection refused" }), {
    kind: "unsent",
    reason: "connection refused",
    floorMs: null,
    hopeless: false,
    failure: {
      failureClass: "agent_request_failed",
      kind: "connection_failed",
      message: `Cannot reach ${URL}: connection refused`,
      status: null,
      body: null,
      delivery: "not_sent",
    },
  });
});

Deno.test("judge() of a request that no server will ever see: not sent, and waiting does not help", () => {
  for (const hopeless of [true, false]) {
    const outcome = judged({ kind: "not_sent", reason: "the name is unknown", hopeless });
    assert.ok(outcome.kind === "unsent");
    assert.deepEqual([outcome.reason, outcome.hopeless], ["the name is unknown", hopeless]);
    assert.equal(failureOf(outcome).delivery, "not_sent");
  }
});

Deno.test("judge() takes the numbers of the system's errors out of what it says", () => {
  for (const kind of ["not_sent", "possibly_delivered"] as const) {
    const outcome = judged({ kind, reason: "tcp connect error: Connection refused (os error 111)" });
    assert.match(failureOf(outcome).message, /: tcp connect error: Connection refused$/);
  }
});

Deno.test("judge() of a request that may have arrived: a failure that says so, never sent again", () => {
  assert.deepEqual(judged({ kind: "possibly_delivered", reason: "the connection was closed" }), {
    kind: "failure",
    failure: {
      failureClass: "agent_request_failed",
      kind: "connection_broken",
      message: `No answer from ${URL}: the connection was closed`,
      status: null,
      body: null,
      delivery: "possibly_delivered",
    },
  });
});

// Which side of the network broke: 429, 502, 503 and 504 come from something in front of the server.
for (
  const [status, failureClass, kind] of [
    [199, "agent_run_error", "http_status"],
    [300, "agent_run_error", "redirect"],
    [301, "agent_run_error", "redirect"],
    [304, "agent_run_error", "redirect"],
    [307, "agent_run_error", "redirect"],
    [308, "agent_run_error", "redirect"],
    [399, "agent_run_error", "redirect"],
    [400, "agent_run_error", "http_status"],
    [401, "agent_run_error", "http_status"],
    [404, "agent_run_error", "http_status"],
    [422, "agent_run_error", "http_status"],
    [428, "agent_run_error", "http_status"],
    [429, "agent_request_failed", "http_status"],
    [500, "agent_run_error", "http_status"],
    [501, "agent_run_error", "http_status"],
    [502, "agent_request_failed", "http_status"],
    [503, "agent_request_failed", "http_status"],
    [504, "agent_request_failed", "http_status"],
    [505, "agent_run_error", "http_status"],
    [599, "agent_run_error", "http_status"],
  ] as const
) {
  Deno.test(`judge() of status ${status} is ${failureClass}, ${kind}, delivered, with its body`, () => {
    // Also with a body that would be a fine result.
    for (const body of ["no", `{"reward":1}`]) {
      const outcome = judged(answered(body, { status }));
      const isInFront = failureClass === "agent_request_failed";
      assert.equal(outcome.kind, isInFront ? "turned_away" : "failure");
      const failure = failureOf(outcome);
      assert.deepEqual(
        [failure.failureClass, failure.kind, failure.status, failure.body, failure.delivery],
        [failureClass, kind, status, body, "delivered"],
      );
      assert.ok(failure.message.includes(`${URL} answered ${status}`));
    }
  });
}

Deno.test("judge() of a redirect says where it points", () => {
  const to = judged(answered("", { status: 302, location: "http://elsewhere/" }));
  assert.match(
    failureOf(to).message,
    /answered 302: a redirect to http:\/\/elsewhere\/, which is not followed$/,
  );
  assert.match(failureOf(judged(answered("", { status: 302 }))).message, /a redirect to nowhere/);
});

Deno.test("judge() of an error status with an empty body keeps null, also when the body broke off", () => {
  assert.equal(failureOf(judged(answered("", { status: 500 }))).body, null);
  assert.equal(failureOf(judged(answered("", { status: 500, broken: "closed" }))).body, null);
  const outcome = judged(answered("Traceb", { status: 500, broken: "closed" }));
  const { kind, status, body, message } = failureOf(outcome);
  assert.deepEqual([kind, status, body], ["body_broken_off", 500, "Traceb"]);
  assert.equal(message, `${URL} answered 500; the body broke off: closed`);
});

for (const status of [200, 201, 202, 206, 299]) {
  Deno.test(`judge() of status ${status} with a JSON object is a result`, () => {
    const { result, declared, persist } = resultIn(judged(answered(` {"reward": 1.0}\n`, { status })));
    assert.equal(decoder.decode(result.text()), `{"reward": 1.0}`);
    assert.deepEqual([declared, persist], [null, true]);
  });
}

for (
  const [body, kind, word] of [
    ["", "not_json", "unexpected end at byte 0. It is empty"],
    [" \n", "not_json", "unexpected end"],
    ["[1]", "not_an_object", "a value that is not an object"],
    [" null ", "not_an_object", "a value that is not an object"],
    [`"x"`, "not_an_object", `begins "\\"x\\""`],
    ["1.5", "not_an_object", "a value that is not an object"],
    ["true", "not_an_object", "a value that is not an object"],
    ["[1", "not_json", "unexpected end"],
    ["404 page not found", "not_json", "more text after the value"],
    ["NaN", "not_json", `unexpected "NaN"`],
    [`{"reward": NaN}`, "not_json", `unexpected "NaN}"`],
    [`{"reward": -Infinity}`, "not_json", `unexpected "Infinity}"`],
    [`{"reward": 1`, "not_json", "unexpected end"],
    [`{"reward": 1}{"reward": 2}`, "not_json", "more text after the object"],
    [`\ufeff{"reward": 1}`, "not_json", "a byte-order mark at byte 0"],
    ["<!DOCTYPE html>\n<html>Bad", "not_json", `begins "<!DOCTYPE html>\\n<html>Bad"`],
    ["{'reward': 1}", "not_json", "unexpected"],
  ] as const
) {
  Deno.test(`judge() of 200 with ${JSON.stringify(body)} is a failure, ${kind}, that keeps no body`, () => {
    const outcome = judged(answered(body));
    assert.equal(outcome.kind, "failure");
    const { message, ...failure } = failureOf(outcome);
    assert.deepEqual(failure, {
      failureClass: "agent_run_error",
      kind,
      status: 200,
      body: null,
      delivery: "delivered",
    });
    assert.ok(message.startsWith(`The answer of ${URL} is not a JSON object: `), message);
    assert.ok(message.includes(word), message);
  });
}

Deno.test("judge() shows the first 200 characters of what is not JSON, whole ones, broken bytes replaced", () => {
  const shown = (body: string | Uint8Array) => {
    const [, quoted] = /begins (".*")$/s.exec(failureOf(judged(answered(body))).message)!;
    return JSON.parse(quoted!) as string;
  };
  assert.equal(shown("<".repeat(201)), "<".repeat(200));
  assert.equal(shown("😀".repeat(201)), "😀".repeat(200));
  assert.equal(shown(new Uint8Array([0x3c, 0xff, 0x3c])), "<\ufffd<");
});

Deno.test("judge() of a body that broke off is a failure, even if what came is a JSON object", () => {
  for (const body of ["", `{"rew`, `{"reward": 1}`]) {
    const { message, ...failure } = failureOf(
      judged(answered(body, { broken: "the connection was closed" })),
    );
    assert.deepEqual(failure, {
      failureClass: "agent_run_error",
      kind: "body_broken_off",
      status: 200,
      body: null,
      delivery: "delivered",
    });
    assert.equal(message, `The answer of ${URL} broke off: the connection was closed`);
  }
});

Deno.test("judge() of invalid UTF-8 is a failure that says where", () => {
  const body = new Uint8Array([...encoder.encode(`{"a":"`), 0xc0, 0xaf, ...encoder.encode(`"}`)]);
  assert.match(failureOf(judged(answered(body))).message, /invalid UTF-8 at byte 6/);
});

Deno.test("judge() puts a result on one line, and only white space between tokens changes", () => {
  const value = { reward: 1, text: "a\n\u2028b", list: [1, { x: null }], "": "" };
  const pretty = JSON.stringify(value, null, 2).replace(/\n/g, "\r\n");
  const { result } = resultIn(judged(answered(`\n${pretty}\n`)));
  const line = decoder.decode(result.text());
  assert.equal(line, pretty.replaceAll(/[\r\n]/g, " "));
  assert.deepEqual(JSON.parse(line), value);
});

Deno.test("judge() keeps every other byte of a result", () => {
  const body = `{"a":9007199254740993,"b":1.0,"c":-0.0,"d":1e-07,"e":"\\/","f":"\\ud83d","a":"\u2028\u0085"}`;
  assert.equal(decoder.decode(resultIn(judged(answered(body))).result.text()), body);
});

for (
  const [json, declared] of [
    [`{}`, null],
    [`{"_ng_failure_class":null}`, null],
    [`{"_ng_failure_class":"timeout_exceeded"}`, "timeout_exceeded"],
    [`{"_ng_failure_class":"t\\u00e9"}`, "té"],
    [`{"_ng_failure_class":""}`, ""],
    [`{"_ng_failure_class":"null"}`, "null"],
    [`{"_ng_failure_class":0}`, "0"],
    [`{"_ng_failure_class":false}`, "false"],
    [`{"_ng_failure_class":["a"]}`, `["a"]`],
    [`{"_ng_failure_class":{"a": 1.0}}`, `{"a": 1.0}`],
    [`{"_ng_failure_class":"a","_ng_failure_class":null}`, null],
    [`{"_ng_failure_class":null,"_ng_failure_class":"a"}`, "a"],
    [`{"\\u005fng_failure_class":"a"}`, "a"],
    [`{"x":{"_ng_failure_class":"a"}}`, null],
  ] as const
) {
  Deno.test(`judge() of ${json} finds the class ${JSON.stringify(declared)} declared`, () => {
    assert.equal(resultIn(judged(answered(json))).declared, declared);
    assert.equal(resultIn(resultOf(readObject(encoder.encode(json)))).declared, declared);
  });
}

for (
  const [json, persist] of [
    [`{}`, true],
    [`{"_ng_no_persist":true}`, false],
    [`{"_ng_no_persist": true , "_ng_failure_class":"killed"}`, false],
    [`{"_ng_no_persist":false}`, true],
    [`{"_ng_no_persist":null}`, true],
    [`{"_ng_no_persist":1}`, true],
    [`{"_ng_no_persist":"true"}`, true],
    [`{"_ng_no_persist":[true]}`, true],
    [`{"_ng_no_persist":true,"_ng_no_persist":false}`, true],
    [`{"_ng_no_persist":false,"_ng_no_persist":true}`, false],
    [`{"x":{"_ng_no_persist":true}}`, true],
  ] as const
) {
  Deno.test(`judge() of ${json} says that it is ${persist ? "" : "not "}to be kept`, () => {
    assert.equal(resultIn(judged(answered(json))).persist, persist);
  });
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

Deno.test("judge() of a result of 1,024 levels is a result, whatever key has them", () => {
  const { declared, persist } = resultIn(
    judged(answered(`{"_ng_failure_class":${nested(1023)},"_ng_no_persist":${nested(1023)}}`)),
  );
  assert.equal(declared, `${"[".repeat(200)}…`);
  assert.equal(persist, true);
});

for (
  const [what, body] of [
    ["lists", `{"a":${nested(1024)}}`],
    ["lists, the last of which has something", `{"a":${"[".repeat(1024)}1${"]".repeat(1024)}}`],
    ["objects", `${`{"a":`.repeat(1024)}{}${"}".repeat(1024)}`],
    ["a million lists", `{"reward":1,"b":${nested(1_000_000)}}`],
  ] as const
) {
  Deno.test(`judge() of more than 1,024 levels is a failure, since Gym's own tools cannot read them: ${what}`, () => {
    const { message, ...failure } = failureOf(judged(answered(body)));
    assert.deepEqual(failure, {
      failureClass: "agent_run_error",
      kind: "too_deep",
      status: 200,
      body: null,
      delivery: "delivered",
    });
    assert.equal(
      message,
      `The answer of ${URL} is nested deeper than 1024 levels, which Gym's own tools cannot read`,
    );
  });
}

Deno.test("judge() refuses a name of more than 16 MB at any depth; a string of any length is data", () => {
  const name = JSON.stringify("n".repeat(1 << 24));
  for (const body of [`{${name}:1}`, `{"reward":1,"x":[{"y":{${name}:1}}]}`]) {
    const { kind, message } = failureOf(judged(answered(body)));
    assert.equal(kind, "long_name");
    assert.match(message, /^The answer of \S+ has a member's name of more than 16 MB at byte \d+$/);
  }
  assert.equal(judged(answered(`{"reward":1,"x":${name}}`)).kind, "result");
});

Deno.test("judge() is total: a million levels of what is not an object are a failure like any other", () => {
  const deep = nested(1_000_000);
  assert.equal(failureOf(judged(answered(deep))).kind, "not_an_object");
  assert.equal(failureOf(judged(answered(deep.slice(0, -1)))).kind, "not_json");
});

Deno.test("judge() is total: every answer has an outcome", () => {
  const reason = fc.string();
  const answer: fc.Arbitrary<WireAnswer> = fc.oneof(
    fc.record(
      {
        kind: fc.constant("answered" as const),
        status: fc.integer({ min: 100, max: 599 }),
        body: fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => encoder.encode(json)),
          fc.dictionary(fc.constantFrom("_ng_failure_class", "_ng_no_persist", "reward"), fc.jsonValue())
            .map((value) => encoder.encode(JSON.stringify(value, null, 1))),
        ),
        broken: reason,
        retryAfter: fc.oneof(
          fc.string(),
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        location: reason,
      },
      { requiredKeys: ["kind", "status", "body"] },
    ),
    fc.record({ kind: fc.constant("not_sent" as const), reason, hopeless: fc.boolean() }),
    fc.record({ kind: fc.constant("possibly_delivered" as const), reason }),
  );
  fc.assert(
    fc.property(answer, (answer) => {
      const outcome = judged(answer);
      if (outcome.kind === "result") {
        assert.ok(answer.kind === "answered" && answer.broken === undefined);
        assert.ok(!decoder.decode(outcome.result.text()).includes("\n"));
      } else {
        const failure = failureOf(outcome);
        assert.equal(failure.status, answer.kind === "answered" ? answer.status : null);
        assert.equal(failure.delivery, answer.kind === "answered" ? "delivered" : answer.kind);
        if (outcome.kind === "unsent") {
          const floorMs = outcome.floorMs ?? 0;
          assert.ok(floorMs >= 0 && Number.isSafeInteger(Math.round(floorMs)));
        }
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("errorBody() keeps 2,000 characters, and says with … that there were more than 2,000 bytes", () => {
  for (
    const [body, want] of [
      ["", null],
      ["x", "x"],
      ["x".repeat(2000), "x".repeat(2000)],
      ["x".repeat(2001), `${"x".repeat(2000)}…`],
      ["é".repeat(1000), "é".repeat(1000)], // 2,000 bytes
      ["é".repeat(1001), `${"é".repeat(1001)}…`], // 2,002 bytes, all kept
      ["é".repeat(2000), `${"é".repeat(2000)}…`],
      ["é".repeat(2001), `${"é".repeat(2000)}…`],
      ["😀".repeat(500), "😀".repeat(500)],
      ["😀".repeat(501), `${"😀".repeat(501)}…`],
      ["😀".repeat(2001), `${"😀".repeat(2000)}…`],
      [`x${"😀".repeat(3000)}`, `x${"😀".repeat(1999)}…`],
      ["\ufeffx", "\ufeffx"],
      ["\r\n\0", "\r\n\0"],
    ] as const
  ) assert.equal(errorBody(encoder.encode(body)), want);
});

Deno.test("errorBody() replaces invalid UTF-8, each broken byte by one character", () => {
  assert.equal(errorBody(new Uint8Array([0x61, 0xff, 0x62])), "a\ufffdb");
  assert.equal(errorBody(new Uint8Array(2001).fill(0xff)), `${"\ufffd".repeat(2000)}…`);
  // A body that ends inside a character was cut by the server, not by us.
  assert.equal(errorBody(encoder.encode("aé").subarray(0, 2)), "a\ufffd");
});

Deno.test("errorBody() never cuts a character in two, wherever characters of all lengths fall", () => {
  const unit = fc.constantFrom("x", "é", "€", "😀");
  fc.assert(
    fc.property(fc.array(unit, { minLength: 1 }), fc.integer({ min: 1, max: 400 }), (pattern, times) => {
      const text = pattern.join("").repeat(times), bytes = encoder.encode(text);
      const want = [...text].slice(0, 2000).join("") + (bytes.length > 2000 ? "…" : "");
      assert.equal(errorBody(bytes), want);
    }),
  );
});

for (
  const [header, want] of [
    [undefined, undefined],
    ["", undefined],
    ["  ", undefined],
    ["0", 0],
    ["1", 1000],
    [" 7 ", 7000],
    ["1.5", 1500],
    ["007", 7000],
    ["60", 60_000],
    ["61", 61_000],
    ["604800", 604_800_000], // a week
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["soon", undefined],
    ["-5", undefined],
    ["+5", undefined],
    ["1,5", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["30s", undefined],
    ["30 seconds", undefined],
    ["Wait, 5", undefined],
    ["never 1", undefined],
    ["99:99:99", undefined],
    ["Fri, 02 Jan 2026 03:04:35 GMT", 30_000],
    ["Fri, 02 Jan 2026 03:04:05 GMT", 0],
    ["Fri, 02 Jan 2026 03:04:04 GMT", 0],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["Fri, 09 Jan 2026 03:04:05 GMT", 604_800_000],
    ["Friday, 02-Jan-26 03:04:35 GMT", 30_000],
    ["Fri Jan  2 03:04:35 2026", 30_000], // GMT, in whatever zone this machine is
    ["2026-01-02T03:04:35Z", 30_000],
    ["Fri, 99 Jan 2026 03:04:35 GMT", undefined],
  ] as const
) {
  Deno.test(`retryAfterMs() of ${JSON.stringify(header?.slice(0, 40))} is ${want}`, () => {
    assert.equal(retryAfterMs(header, NOW), want);
  });
}

for (
  const [status, retryAfter, kind] of [
    [429, "1", "unsent"],
    [503, "1", "unsent"],
    [503, "Fri, 02 Jan 2026 03:04:06 GMT", "unsent"],
    [429, undefined, "turned_away"],
    [503, undefined, "turned_away"],
    [503, "soon", "turned_away"],
    [502, "1", "turned_away"],
    [504, "1", "turned_away"],
    [500, "1", "failure"],
    [301, "1", "failure"],
  ] as const
) {
  Deno.test(`judge() of ${status} with Retry-After ${retryAfter} is ${kind}`, () => {
    const outcome = judged(answered("busy", { status, ...(retryAfter === undefined ? {} : { retryAfter }) }));
    assert.equal(outcome.kind, kind);
    if (outcome.kind === "unsent") {
      assert.deepEqual([outcome.floorMs, outcome.reason], [1000, `HTTP ${status}`]);
    }
    if (outcome.kind === "turned_away") assert.equal(outcome.reason, `HTTP ${status}`);
    // Once the window is over this is what the sidecar says.
    const { status: said, body, delivery } = failureOf(outcome);
    assert.deepEqual([said, body, delivery], [status, "busy", "delivered"]);
  });
}
