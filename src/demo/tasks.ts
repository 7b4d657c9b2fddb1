/** Built-in tasks, so that the demo needs no input file. */

// Prime, so that multiplying by anything but its multiples visits every remainder once.
const SPAN = 89;
const STRIDE = 4001;
const MIN = 11;

/**
 * `count` tasks as JSONL, each line with its line break: sums, differences and products of numbers from 11 up. The same
 * lines for the same count, no line twice, and a longer list starts with the shorter one. A row looks like
 * one of Gym's: `responses_create_params.input` with one user message, `expected_answer`, `operation`,
 * `agent_ref`.
 *
 * @throws {RangeError} when `count` is not a whole number, 0 or more.
 */
export function demoTasks(count: number): string {
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`The number of demo tasks must be a whole number, 0 or more, got ${count}`);
  }
  return Array.from({ length: count }, (_, i) => `${JSON.stringify(demoTask(i))}\n`).join("");
}

function demoTask(index: number) {
  const [left, right] = numbers(Math.floor(index / 3));
  const [sign, operation, answer] = [
    ["+", "sum", left + right],
    ["-", "difference", left - right],
    ["×", "product", left * right],
  ][index % 3] as [string, string, number];
  return {
    responses_create_params: { input: [{ role: "user", content: `What is ${left} ${sign} ${right}?` }] },
    expected_answer: String(answer),
    operation,
    agent_ref: { type: "responses_api_agents", name: "demo_agent" },
  };
}

/** The k-th pair of numbers: all pairs of one square, in a jumbled order, then those of the next. */
function numbers(k: number): [number, number] {
  const square = Math.floor(k / SPAN ** 2);
  const index = (k * STRIDE) % SPAN ** 2;
  return [MIN + index % SPAN, MIN + Math.floor(index / SPAN) + SPAN * square];
}
