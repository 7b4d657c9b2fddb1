/**
 * Tries rollcall on cases that nobody thought of: `deno task fuzz --minutes 30`. Every run prints its seed; a case that
 * fails is shrunk and printed with what makes it again.
 */
import fc from "fast-check";
import { parseArgs } from "node:util";
import { AS_PROCESS, removeFolders } from "./program.ts";
import { type Target, TARGETS } from "./targets.ts";

const USAGE = `deno task fuzz [--minutes N] [--only TARGET] [--first-seed N | --seed N [--path PATH]]
  --minutes  how long to go on (1); all targets at once, with new seeds every half minute
  --only     one of: ${TARGETS.map(({ name }) => name).join(", ")}
  --first-seed  counts seeds up from this one, so that another run of as many turns tries the same; else by chance
  --seed     the cases of an earlier run again; --path: only the one that failed
With ROLLCALL_BIN=/path/to/rollcall the runs are processes of that executable.
`;

/** Longest turn of a target, in milliseconds. */
const TURN_MS = 30_000, LONG_MS = 3_600_000;

/** Runs of the sources in one process, their servers included, stay below so many bytes. */
const MOST_MEMORY = 3_000_000_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    only: { type: "string" },
    seed: { type: "string" },
    "first-seed": { type: "string" },
    path: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
let targets = TARGETS.filter(({ name }) => values.only === undefined || name === values.only);
if (values.help || targets.length === 0) {
  console.log(USAGE);
  Deno.exit(values.help ? 0 : 2);
}

const end = performance.now() + Number(values.minutes) * 60_000;
let passed = 0, failed = 0;
let nextSeed = values["first-seed"] === undefined
  ? crypto.getRandomValues(new Int32Array(1))[0]!
  : Number(values["first-seed"]);

/** Tries a target for a turn. Targets wait a lot, so they take theirs at the same time. */
async function turn({ name, property }: Target): Promise<void> {
  const seed = values.seed === undefined ? nextSeed++ | 0 : Number(values.seed);
  const left = Math.min(TURN_MS, Math.max(1, end - performance.now()));
  const details = await fc.check(property(), {
    seed,
    ...(values.path === undefined ? {} : { path: values.path }),
    numRuns: 1_000_000,
    interruptAfterTimeLimit: values.seed === undefined ? left : LONG_MS,
    endOnFailure: values.path !== undefined,
  });
  const memory = AS_PROCESS ? 0 : Deno.memoryUsage().rss;
  const isGood = details.counterexample === null && memory < MOST_MEMORY;
  const what = `${name}: ${details.numRuns} cases, seed ${seed}, ${Math.round(memory / 1e6)} MB`;
  console.log(isGood ? `ok      ${what}` : `FAILED  ${what}`);
  if (isGood) return void passed++;
  failed++;
  targets = targets.filter((other) => other.name !== name); // it would find the same again
  if (details.counterexample === null) return;
  console.log(`again: deno task fuzz --only ${name} --seed ${seed} --path ${details.counterexamplePath}`);
  console.log(JSON.stringify(details.counterexample));
  console.log(details.errorInstance instanceof Error ? details.errorInstance.stack : details.errorInstance);
}

do {
  await Promise.all(
    targets.flatMap((target) =>
      Array.from({ length: values.seed === undefined && !AS_PROCESS ? target.lanes : 1 }, () => turn(target))
    ),
  );
} while (targets.length > 0 && performance.now() < end && values.seed === undefined);
console.log(`${passed} passed, ${failed} failed`);
removeFolders();
Deno.exit(failed > 0 ? 1 : 0);
