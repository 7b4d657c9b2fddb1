/** What everything that calls itself {@link Wire} does: run on the fake and on the real one. */
import assert from "node:assert/strict";
import type { Wire, WireAnswer, WireRequest } from "../../src/ports/wire.ts";

/** What the server of a test does about a request. */
export type WireReply =
  | {
    readonly status?: number;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** Closes the connection without a word. */
  | "hang up"
  /** Sends the beginning of a 200 answer and closes the connection. */
  | "break off";

/** Plays the server; a promise holds the request. */
export type WireServe = (
  request: { readonly path: string; readonly body: string },
) => WireReply | Promise<WireReply>;

/** A wire and a server that it reaches, for one test. */
export interface WirePlace extends AsyncDisposable {
  readonly wire: Wire;
  /** Where the server is, without a slash at the end. */
  readonly base: string;
  /** The same server under another origin. */
  readonly otherOrigin: string;
  /** A URL at which nobody listens. */
  readonly nowhere: string;
  /** What the server has seen, in order. */
  readonly seen: readonly { readonly path: string; readonly body: string }[];
  /** Resolves once it has seen so many. */
  hasSeen(count: number): Promise<void>;
}

/** Registers the suite for one implementation. */
export function wireContract(name: string, make: (serve: WireServe) => WirePlace): void {
  const test = (claim: string, serve: WireServe, run: (place: WirePlace) => Promise<void>) =>
    Deno.test(`${name} ${claim}`, async () => {
      await using place = make(serve);
      await run(place);
    });
  const post = (
    { wire, base }: WirePlace,
    { path = "/run", body = "{}", signal = new AbortController().signal }: {
      path?: string;
      body?: string | WireRequest["body"];
      signal?: AbortSignal;
    } = {},
  ) =>
    wire.post({
      url: base + path,
      body: typeof body === "string" ? new TextEncoder().encode(body) : body,
      signal,
    });

  test(
    "brings the request there and the answer back, byte for byte",
    () => ({ body: ODD }),
    async (place) => {
      const answer = await post(place, { body: ODD });
      assert.equal(place.seen.length, 1);
      assert.equal(place.seen[0]!.path, "/run");
      assert.equal(place.seen[0]!.body, ODD);
      assert.deepEqual(told(answer), { kind: "answered", status: 200, body: ODD });
    },
  );

  for (const status of [200, 201, 204, 400, 404, 422, 500, 502, 599]) {
    test(`gives ${status} back as it came`, () => ({ status, body: "" }), async (place) => {
      assert.deepEqual(told(await post(place)), { kind: "answered", status, body: "" });
      assert.equal(place.seen.length, 1);
    });
  }

  test("joins a body that is generated as it is sent", () => ({}), async (place) => {
    await post(place, { body: pieces("[1,", "2", ",3]") });
    assert.equal(place.seen[0]!.body, "[1,2,3]");
  });

  test(
    "hands on Retry-After as it came",
    () => ({ status: 429, headers: { "retry-after": "x 7" } }),
    async (place) => {
      const answer = await post(place);
      assert.equal(answer.kind === "answered" && answer.retryAfter, "x 7");
      assert.equal(place.seen.length, 1);
    },
  );

  test("reports not_sent where nothing listens", () => ({}), async (place) => {
    const { wire, nowhere } = place;
    const answer = await wire.post({
      url: nowhere,
      body: new Uint8Array([1]),
      signal: new AbortController().signal,
    });
    assert.equal(answer.kind, "not_sent");
    assert.match(answer.kind === "not_sent" ? answer.reason : "", /refused/i);
    assert.equal(place.seen.length, 0);
  });

  test(
    "sends once, and says so, when the connection closes without an answer",
    () => "hang up",
    async (place) => {
      assert.equal((await post(place)).kind, "possibly_delivered");
      assert.equal(place.seen.length, 1);
    },
  );

  test("distinguishes a response that breaks off from a complete one", () => "break off", async (place) => {
    const answer = await post(place);
    assert.equal(answer.kind === "answered" && answer.status, 200);
    assert.ok(answer.kind === "answered" && answer.broken);
    assert.equal(place.seen.length, 1);
  });

  test("sends nothing for a signal that has fired already", () => ({}), async (place) => {
    assert.deepEqual(await post(place, { signal: AbortSignal.abort() }), { kind: "aborted" });
    assert.equal(place.seen.length, 0);
  });

  const never = Promise.withResolvers<WireReply>();
  test("cancels a request that waits for its response", () => never.promise, async (place) => {
    const abort = new AbortController();
    const answer = post(place, { signal: abort.signal });
    await place.hasSeen(1);
    abort.abort();
    assert.deepEqual(await answer, { kind: "aborted" });
  });

  test("does not mind a signal that fires after the answer", () => ({ body: "1" }), async (place) => {
    const abort = new AbortController();
    const answer = await post(place, { signal: abort.signal });
    abort.abort();
    assert.deepEqual(told(answer), { kind: "answered", status: 200, body: "1" });
  });

  test("never throws for a body that cannot be made", () => ({}), async (place) => {
    const answer = await post(place, { body: failing() });
    assert.ok(answer.kind === "possibly_delivered" || answer.kind === "not_sent", answer.kind);
  });

  for (const status of [307, 308]) {
    test(
      `follows ${status} on the same origin, body and all`,
      ({ path }) => path === "/run" ? { status, headers: { location: "/other/run?x=1" } } : { body: "there" },
      async (place) => {
        assert.deepEqual(told(await post(place, { body: "abc" })), {
          kind: "answered",
          status: 200,
          body: "there",
        });
        assert.deepEqual(place.seen.map(({ path, body }) => [path, body]), [["/run", "abc"], [
          "/other/run",
          "abc",
        ]]);
      },
    );
  }

  for (const status of [301, 302, 303]) {
    test(`does not follow ${status}`, () => ({ status, headers: { location: "/other" } }), async (place) => {
      const answer = await post(place);
      assert.equal(answer.kind === "answered" && answer.status, status);
      assert.equal(answer.kind === "answered" && answer.location, "/other");
      assert.equal(place.seen.length, 1);
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    let location = "";
    test(
      `does not follow ${status} to another origin`,
      () => ({ status, headers: { location } }),
      async (place) => {
        location = `${place.otherOrigin}/run`;
        const answer = await post(place);
        assert.equal(answer.kind === "answered" && answer.status, status);
        assert.equal(answer.kind === "answered" && answer.location, location);
        assert.equal(place.seen.length, 1);
      },
    );
  }

  test(
    "follows no more than five redirects",
    () => ({ status: 307, headers: { location: "/run" } }),
    async (place) => {
      const answer = await post(place);
      assert.equal(answer.kind === "answered" && answer.status, 307);
      assert.equal(place.seen.length, 6);
    },
  );

  test(
    "keeps many requests apart",
    async ({ body }) => ({ body: await Promise.resolve(body) }),
    async (place) => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => post(place, { body: `row ${n}` })),
      );
      answers.forEach((answer, n) => assert.equal(told(answer).body, `row ${n}`));
      assert.equal(place.seen.length, 50);
    },
  );
}

const ODD = '{"ä": "\u2028 \ud83d\ude00 \\ud83d", "n": 12345678901234567890, "x": 1.0}\n';

function told(answer: WireAnswer): { kind: string; status?: number; body?: string } {
  if (answer.kind !== "answered") return { kind: answer.kind };
  assert.equal(answer.broken, undefined);
  return { kind: "answered", status: answer.status, body: new TextDecoder().decode(answer.body) };
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function* failing(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield new TextEncoder().encode("[1");
  throw new Error("the file was cut short");
}
