/** What tokens cost. */
import { list, UsageFault } from "../kit/fault.ts";
import type { Tokens } from "./task_results.ts";

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** By model. */
export type Prices = ReadonlyMap<string, Price>;

/** The model that stands for every other one, and for tokens of which no line names the model. */
const ANY = "*";

/** The price of a model's tokens; undefined without one. */
function priceOf(prices: Prices, model: string | null): Price | undefined {
  return (model === null ? undefined : prices.get(model)) ?? prices.get(ANY);
}

/** What tokens cost in USD, those of models without a price left out; undefined when none has one. */
export function costOf(tokens: readonly Tokens[], prices: Prices): number | undefined {
  let usd = 0, isPriced = tokens.length === 0;
  for (const { model, input, output } of tokens) {
    const price = priceOf(prices, model);
    if (!price) continue;
    isPriced = true;
    usd += (input * price.input + output * price.output) / 1e6;
  }
  return isPriced ? usd : undefined;
}

/** The models among them that have no price; null for tokens of no named model. */
export function withoutPrice(tokens: readonly Tokens[], prices: Prices): (string | null)[] {
  return [...new Set(tokens.map(({ model }) => model))].filter((model) => !priceOf(prices, model));
}

/**
 * Prices out of what a file holds: `{"gpt-x": {"input": 2.5, "output": 10}}`, `"*"` for all other models.
 *
 * @throws {UsageFault} that lists what is not a price
 */
export function pricesFrom(value: unknown, path: string): Prices {
  if (!isMap(value)) throw new UsageFault(`Cannot use ${path} (--prices): ${NEEDED}.`);
  const prices = new Map<string, Price>(), problems: string[] = [];
  for (const [model, price] of Object.entries(value)) {
    const { input, output, ...more } = isMap(price) ? price : {} as Record<string, unknown>;
    if (isAmount(input) && isAmount(output) && Object.keys(more).length === 0) {
      prices.set(model, { input, output });
    } else {problems.push(
        `${JSON.stringify(model)}: needs input and output, numbers, 0 or more, and nothing else`,
      );}
  }
  if (problems.length > 0) {
    throw new UsageFault(
      `Cannot use the prices in ${path}:${list(problems)}\nA file of prices has ${NEEDED}.`,
    );
  }
  return prices;
}

const NEEDED = 'an object with USD per million tokens by model, as {"gpt-x": {"input": 2.5, "output": 10}}';

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
