import assert from "node:assert/strict";
import { Cleaner } from "./clean.ts";
import { dumps, parseJson } from "./json.ts";

const cleaner = new Cleaner({ folders: ["/w", "/w/case-1"], volatile: ["took_s"] });
const clean = (json: string) => dumps(cleaner.value(parseJson(json)));
const file = (name: string, text: string) => dumps(cleaner.file(name, new TextEncoder().encode(text)));

Deno.test("Cleaner.text() replaces folders, the longest first, and local ports", () => {
  const table: [text: string, cleaned: string][] = [
    ["/w/case-1/out and /w/other", "<work>/out and <work>/other"],
    ["http://127.0.0.1:8080/run localhost:12345", "http://127.0.0.1:<port>/run localhost:<port>"],
    ["127.0.0.1:80 10.0.0.1:8080", "127.0.0.1:80 10.0.0.1:8080"],
  ];
  for (const [text, cleaned] of table) assert.equal(cleaner.text(text), cleaned);
});

Deno.test("Cleaner.value() applies every placeholder rule, at any depth", () => {
  const table: [json: string, cleaned: string][] = [
    ['{"/w": ["/w", 1.0]}', '{"/w": ["<work>", 1.0]}'], // keys are kept
    ['[{"total_latency_ms": 1.5, "took_s": [1]}]', '[{"total_latency_ms": "<time>", "took_s": "<time>"}]'],
    ['{"total_latency_ms": null}', '{"total_latency_ms": null}'],
    [
      '{"_ng_failure_http_status": null, "_ng_failure_message": "m", "_ng_failure_type": "T", "_ng_failure_class": "c"}',
      '{"_ng_failure_http_status": null, "_ng_failure_message": "<message>", "_ng_failure_type": "<type>", "_ng_failure_class": "c"}',
    ],
    // Absent or empty words stay so, and rollcall's own additions go.
    [
      '{"_ng_failure_http_status": 500, "_ng_failure_message": ""}',
      '{"_ng_failure_http_status": 500, "_ng_failure_message": ""}',
    ],
    [
      '{"_ng_failure_http_status": 500, "_ng_failure_delivery": "sent"}',
      '{"_ng_failure_http_status": 500}',
    ],
    // An answer that declares itself failed carries its own words: they are compared.
    [
      '{"_ng_failure_message": "m", "_ng_failure_type": "T"}',
      '{"_ng_failure_message": "m", "_ng_failure_type": "T"}',
    ],
    [
      '{"check": "c", "detail": {"reason": "r", "n": 1}}',
      '{"check": "c", "detail": {"reason": "<reason>", "n": 1}}',
    ],
    ['{"check": "c", "detail": {"n": 1}}', '{"check": "c", "detail": {"n": 1}}'],
    ['{"detail": {"reason": "r"}}', '{"detail": {"reason": "r"}}'],
    ['{"check": "c", "detail": "reason"}', '{"check": "c", "detail": "reason"}'],
  ];
  for (const [json, cleaned] of table) assert.equal(clean(json), cleaned);
});

Deno.test("Cleaner.file() reads JSONL line by line and keeps what is not JSON as text", () => {
  assert.equal(
    file("out/r.jsonl", '{"a": 1}\n\n{"at": "/w/x"\n2.0\n'),
    '[{"a": 1}, {"<unreadable line>": "{\\"at\\": \\"<work>/x\\""}, 2.0]',
  );
  assert.equal(file("out/r.jsonl", "\n"), "[]");
  assert.equal(file("out/r.json", '{"at": "/w"}'), '{"at": "<work>"}');
  assert.equal(file("out/r.json", "null"), "null");
  assert.equal(file("out/r.txt", "see /w"), '"see <work>"');
  assert.equal(
    dumps(cleaner.file("out/r.jsonl", Uint8Array.of(0xff, 0x41))),
    '[{"<unreadable line>": "\ufffdA"}]',
  );
});

Deno.test("Cleaner.file() sorts aggregate metrics by server, and no other list", () => {
  const entry = (name: string) => `{"_ng_environment_server": ${name}}`;
  const text = `[${entry('"b"')}, ${entry("null")}, ${entry('"A"')}]`;
  assert.equal(
    file("out/r_aggregate_metrics.json", text),
    `[${entry('"A"')}, ${entry("null")}, ${entry('"b"')}]`, // null sorts as "None"
  );
  assert.equal(file("out/r.json", text), text);
});
