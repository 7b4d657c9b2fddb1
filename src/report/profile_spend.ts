/** What a profile says of tokens and their cost. */
import { metric, plural, whole } from "../kit/phrases.ts";
import type { GroupProfile } from "../results/profile.ts";
import { costOf, type Prices, withoutPrice } from "../results/prices.ts";
import type { Tokens } from "../results/task_results.ts";
import { cut, oneLine, wrap } from "./text.ts";

export function tokenLines(
  { tokens, untold, failedTokens, attempts, outcomes }: GroupProfile,
  room: number,
): string[] {
  const results = outcomes.measured + outcomes.masked + outcomes.unscored;
  const told = results - untold, lines: string[] = [];
  if (told > 0) {
    const { input, output } = sum(tokens);
    lines.push(
      `${whole(input)} in, ${whole(output)} out; ${metric(input / told)} in and ${
        metric(output / told)
      } out a result`,
    );
    if (tokens.length > 1) {
      for (const one of tokens) lines.push(`  ${modelName(one)}: ${tokensText(one)}`);
    }
  }
  if (untold > 0) lines.push(`${plural(untold, "result")} ${untold === 1 ? "does" : "do"} not say how many`);
  const knowing = attempts.failed - attempts.untold;
  if (knowing > 0) {
    lines.push(
      `failed attempts: ${tokensText(sum(failedTokens))}, by ${whole(knowing)} of ${whole(attempts.failed)}`,
    );
  } else if (attempts.failed > 0) {
    lines.push(
      `${plural(attempts.failed, "failed attempt")} ${
        attempts.failed === 1 ? "does" : "do"
      } not say how many`,
    );
  }
  return lines.flatMap((line) => wrap(line, room));
}

export function costLines(
  { tokens, failedTokens, reward, solved }: GroupProfile,
  prices: Prices | undefined,
  room: number,
): string[] {
  if (!prices) return [];
  const all = costOf([...tokens, ...failedTokens], prices), failed = costOf(failedTokens, prices);
  const missing = withoutPrice([...tokens, ...failedTokens], prices);
  const unpriced = missing.length === 0 ? [] : wrap(
    `without a price, not counted: ${
      missing.map((model) => model === null ? "tokens of no named model" : cut(oneLine(model), 60)).join(", ")
    }`,
    room,
  );
  if (all === undefined) return unpriced;
  const ofFailed = failed ? `, of it ${usd(failed)} for failed attempts` : "";
  const each = reward ? `; ${usd(all / reward.values)} a reward` : "",
    once = solved.always + solved.sometimes;
  return [
    ...wrap(
      `${usd(all)}${ofFailed}${each}${once > 0 ? `, ${usd(all / once)} a task solved at least once` : ""}`,
      room,
    ),
    ...unpriced,
  ];
}

function usd(amount: number): string {
  if (amount >= 100) return `$${whole(Math.round(amount))}`;
  // Three figures of little, without an exponent.
  const places = amount >= 0.1 || amount === 0 ? 2 : Math.min(12, 2 - Math.floor(Math.log10(amount)));
  return `$${amount.toFixed(places)}`;
}

function sum(tokens: readonly Tokens[]): Omit<Tokens, "model"> {
  return {
    input: tokens.reduce((all, { input }) => all + input, 0),
    output: tokens.reduce((all, { output }) => all + output, 0),
  };
}

function tokensText({ input, output }: Omit<Tokens, "model">): string {
  return `${whole(input)} in, ${whole(output)} out`;
}

function modelName({ model }: Tokens): string {
  return model === null ? "no model named" : cut(oneLine(model), 40);
}
/** What a group cost; nothing where no price is known. */
export function costText({ tokens, failedTokens }: GroupProfile, prices: Prices): string {
  const cost = costOf([...tokens, ...failedTokens], prices);
  return cost === undefined ? "" : usd(cost);
}
