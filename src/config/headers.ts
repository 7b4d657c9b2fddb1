/** The headers that a user gives for every request (`headers`, `header_env`): checked, and never shown. */
import { list, UsageFault } from "../kit/fault.ts";
import type { Env } from "../ports/env.ts";
import type { Headers } from "../ports/http.ts";
import type { Config } from "./config.ts";

/** What HTTP or rollcall sets by itself; another value would break the exchange, or send it elsewhere. */
const REFUSED = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Control characters, and what a header cannot carry. */
// deno-lint-ignore no-control-regex
const UNSENDABLE = /[\x00-\x1f\x7f]|[^\x00-\xff]/;

/**
 * The headers, names in lower case: those with their value, and those whose value is in a variable of the environment.
 *
 * @throws {UsageFault} that lists what is wrong, by name and without any value
 */
export function headersOf(
  { headers, header_env }: Pick<Config, "headers" | "header_env">,
  env: Env,
): Headers {
  const problems: string[] = [], sent: Record<string, string> = {};
  const take = (name: string, key: string, valueOf: () => string | void) => {
    const lower = name.toLowerCase(), shown = `${JSON.stringify(name)} (${key})`;
    if (!NAME.test(name)) return void problems.push(`${shown} is not the name of a header`);
    if (REFUSED.has(lower) || lower.startsWith("proxy-")) {
      return void problems.push(`${shown} cannot be set: HTTP and rollcall set it by themselves`);
    }
    if (Object.hasOwn(sent, lower)) return void problems.push(`${shown} is given twice`);
    const given = valueOf();
    if (typeof given !== "string") return;
    const value = given.trim();
    if (value === "") problems.push(`the value of ${shown} is empty`);
    else if (UNSENDABLE.test(value)) {
      problems.push(`the value of ${shown} has a character that a header cannot carry, such as a line break`);
    } else sent[lower] = value;
  };
  for (const [name, value] of Object.entries(headers)) take(name, "headers", () => value);
  for (const [name, variable] of Object.entries(header_env)) {
    take(name, "header_env", () => {
      const problem = (what: string) => void problems.push(`${JSON.stringify(name)} (header_env): ${what}`);
      // Not shown: it may be the value itself, given with the wrong flag.
      if (!VARIABLE.test(variable)) {
        return problem("what it names is not the name of an environment variable");
      }
      return env(variable) ?? problem(`the environment variable ${variable} is not set`);
    });
  }
  if (problems.length > 0) throw new UsageFault(`Cannot use these headers:${list(problems)}`);
  return sent;
}
