/** Answers over a raw socket: what a server, a proxy or a broken cable can put there. */
import fc from "fast-check";
import { type Reply, write } from "../edge/_tcp_server.ts";
import { nestedObject, oddJson, oddObject } from "./odd.ts";

/** One answer. */
export interface Answer {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: Body;
  readonly framing:
    | "length"
    | "chunked"
    | "close"
    | "longer"
    | "shorter"
    | "huge"
    | "negative"
    | "garbage"
    | "both";
  /** Where the bytes end, as a part of them; null: they are all sent. */
  readonly cut: number | null;
  /** What comes then. */
  readonly then: "close" | "keep" | "silence";
  /** Bytes in a piece. */
  readonly piece: number;
  readonly delayMs: number;
}

interface Body {
  readonly text: string;
  /** So many spaces behind it, as JSON allows. */
  readonly spaces: number;
  readonly packed: "gzip" | "deflate" | null;
}

const HEADERS = [
  "retry-after: 0",
  "retry-after: 1",
  "retry-after: 100000",
  "retry-after: -5",
  "retry-after: x",
  "retry-after: Fri, 31 Dec 1999 23:59:59 GMT",
  "location: /run",
  "location: /other",
  "location: http://127.0.0.1:1/run",
  "location: http://[",
  "location: ",
  "content-type: text/html",
  "content-encoding: gzip",
  "content-encoding: br",
  "content-encoding: nonsense",
  "connection: close",
  "connection: upgrade",
  "set-cookie: a=b",
  "keep-alive: timeout=0",
  `x-long: ${"x".repeat(20_000)}`,
  "no colon",
  "content-length: 3",
  "transfer-encoding: gzip, chunked",
  "trailer: x",
  "x:\u0001",
]; // deno-fmt-ignore

/** Bodies that mean something, and bodies that do not. */
const body: fc.Arbitrary<Body> = fc.record({
  text: fc.oneof(
    { weight: 3, arbitrary: fc.constant('{"reward":1,"response":{"id":"r"}}') },
    { weight: 1, arbitrary: fc.constantFrom("", "<html>no</html>", '{"reward":', "[1]", "\ufeff{}", '{"a":"\u2028"}', '{\n"reward":\r\n1}') },
    { weight: 1, arbitrary: oddObject },
  ),
  spaces: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 100, 100_000, 10_000_000),
  packed: fc.constantFrom(null, null, null, "gzip" as const, "deflate" as const),
}); // deno-fmt-ignore

/** Any answer. */
export const anyAnswer: fc.Arbitrary<Answer> = fc.record({
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant("200") },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "201", "204", "206", "301", "302", "303", "304", "307", "308", "400", "401", "404", "408", "413", "418", "421", "429",
        "500", "502", "503", "504", "599", "100", "101", "103", "000", "999", "20", "abc", "",
      ), // deno-fmt-ignore
    },
  ),
  headers: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom(...HEADERS), { maxLength: 3 })),
  body,
  framing: fc.constantFrom(
    "length", "length", "length", "chunked", "chunked", "close", "longer", "shorter", "huge", "negative", "garbage", "both",
  ), // deno-fmt-ignore
  cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 }),
  then: fc.constantFrom("close", "close", "close", "close", "close", "keep", "silence"),
  piece: fc.constantFrom(1, 7, 1000, 1_000_000_000),
  delayMs: fc.constantFrom(0, 0, 0, 20),
});

/** A good answer with an odd body. */
export const oddBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: oddObject },
  { weight: 3, arbitrary: nestedObject },
  { weight: 1, arbitrary: oddJson },
);

/** The same as a reply of the server. */
export function replyOf(answer: Answer): Reply {
  return async (connection) => {
    if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    const bytes = await bytesOf(answer);
    const end = answer.cut === null ? bytes.length : Math.floor(bytes.length * answer.cut);
    // Many small pieces take long: the first thousand of them are small.
    for (let at = 0, n = 0; at < end; n++) {
      const next = Math.min(end, at + (n < 1000 ? answer.piece : 1_000_000));
      await write(connection, bytes.subarray(at, next));
      at = next;
    }
    if (answer.then === "close") return;
    const rest = new Uint8Array(1024);
    // Waits for the other side to hang up, or to ask for more, which is not answered.
    while (await connection.read(rest) !== null);
  };
}

/** Whether the other side may well come again: it was told to, or to go elsewhere. */
export function asksAgain({ status }: Answer): boolean {
  return /^30[12378]$|^429$|^50[234]$/.test(status);
}

async function bytesOf({ status, headers, body, framing }: Answer): Promise<Uint8Array> {
  const content = await packed(body);
  const length = (value: number | string) => `content-length: ${value}`;
  const chunks = framing === "chunked" || framing === "both";
  const frame = {
    length: [length(content.length)],
    chunked: ["transfer-encoding: chunked"],
    both: ["transfer-encoding: chunked", length(5)],
    close: ["connection: close"],
    longer: [length(content.length + 10)],
    shorter: [length(Math.max(0, content.length - 10))],
    huge: [length(30_000_000_000)],
    negative: [length(-1)],
    garbage: [length("many")],
  }[framing];
  const coding = body.packed ? [`content-encoding: ${body.packed}`] : [];
  const head = [`HTTP/1.1 ${status} Whatever`, ...coding, ...frame, ...headers, "", ""].join("\r\n");
  return joined([encoder.encode(head), ...chunks ? chunked(content) : [content]]);
}

const encoder = new TextEncoder();

function chunked(content: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const size = Math.max(1, Math.ceil(content.length / 50));
  for (let at = 0; at < content.length; at += size) {
    const chunk = content.subarray(at, at + size);
    pieces.push(encoder.encode(`${chunk.length.toString(16)}\r\n`), chunk, encoder.encode("\r\n"));
  }
  return [...pieces, encoder.encode("0\r\n\r\n")];
}

async function packed({ text, spaces, packed }: Body): Promise<Uint8Array> {
  const content = encoder.encode(text + " ".repeat(spaces));
  if (!packed) return content;
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream(packed));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
