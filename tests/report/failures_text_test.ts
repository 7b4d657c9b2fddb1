import assert from "node:assert/strict";
import { failuresJson, failuresText, listed } from "../../src/report/failures_text.ts";
import { failuresSchema } from "../../src/report/schemas.ts";
import type { FailuresOfClass } from "../../src/resume/failure_book.ts";

const of = (name: string, failures: number, more: Partial<FailuresOfClass> = {}): FailuresOfClass => ({
  name,
  failures,
  message: null,
  body: null,
  servers: new Set(),
  moreServers: false,
  examples: [],
  ...more,
});
const found = (classes: FailuresOfClass[], failures: number, left: Record<string, number> | null = null) => ({
  sidecar: "runs/a_failures.jsonl",
  failures,
  left,
  bad: 0,
  ...listed(classes, failures),
});

Deno.test("failuresText() tells of each class, and takes what servers said for one line of text", () => {
  const text = failuresText(
    found(
      [
        of("lost", 2, {
          message: "gone\nA forged line",
          body: "Traceback:\n  KeyError",
          servers: new Set(["math", "\x1b[2Jenv"]),
          moreServers: true,
          examples: [{ task: 3, rollout: 0, id: "aime/17" }, { task: 4, rollout: 1, id: null }],
        }),
        of("unknown", 1),
      ],
      3,
      { lost: 1 },
    ),
    { columns: 80 },
  );
  assert.equal(
    text,
    `3 failed attempts in runs/a_failures.jsonl:

lost: 2 attempts, 1 rollout without a result since then
  message   gone A forged line
  response  Traceback:   KeyError
  servers   math, env and more
  such as   3-0 (aime/17), 4-1

unknown: 1 attempt, 0 rollouts without a result since then

To run such rollouts again, also those that failed permanently or are at the
attempt limit: rerun the same command with --resume --retry CLASS,…
`,
  );
});

Deno.test("failuresText() and failuresJson() show twenty classes, and the rest as one line", () => {
  const classes = Array.from({ length: 6000 }, (_, n) => of(`c${n}`, 1));
  const many = found(classes, 6500);
  const lines = failuresText(many, { columns: 80 }).split("\n");
  assert.equal(lines.filter((line) => /^c\d/.test(line)).length, 20);
  assert.ok(lines.includes("… and 6480 attempts of 5980 other classes"));
  const { classes: shown, more } = JSON.parse(failuresJson(many));
  assert.equal(shown.length, 20);
  assert.deepEqual(more, { classes: 5980, failures: 6480 });
});

Deno.test("failuresText() of a run without failures says so", () => {
  assert.equal(
    failuresText(found([], 0), { columns: 80 }),
    "No failures are recorded in runs/a_failures.jsonl.\n",
  );
});

Deno.test("failuresJson() keeps to its schema, with examples and without", () => {
  const example = { task: 3, rollout: 0, id: "aime/17" };
  const classes = [of("a", 2, { message: "m", servers: new Set(["s"]), examples: [example] }), of("b", 1)];
  for (const left of [null, { a: 1 }]) {
    failuresSchema.parse(JSON.parse(failuresJson(found(classes, 3, left))));
  }
});
