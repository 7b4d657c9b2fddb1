import assert from "node:assert/strict";
import { styleOf } from "../../src/edge/terminal_style.ts";

const LIVE = { live: true, colour: true }, PLAIN = { live: false, colour: false };

for (
  const [what, isTerminal, env, style] of [
    ["a terminal", true, {}, LIVE],
    ["no terminal", false, {}, PLAIN],
    ["a dumb terminal", true, { TERM: "dumb" }, PLAIN],
    ["NO_COLOR", true, { NO_COLOR: "1" }, { live: true, colour: false }],
    ["an empty NO_COLOR", true, { NO_COLOR: "" }, LIVE],
    ["FORCE_COLOR without a terminal", false, { FORCE_COLOR: "1" }, { live: false, colour: true }],
    ["FORCE_COLOR=0 in a terminal", true, { FORCE_COLOR: "0" }, { live: true, colour: false }],
    ["FORCE_COLOR and NO_COLOR, which wins", true, { FORCE_COLOR: "3", NO_COLOR: "1" }, {
      live: true,
      colour: false,
    }],
    ["CI", true, { CI: "true" }, { live: false, colour: true }],
    ["CI=false", true, { CI: "false" }, LIVE],
  ] as const
) {
  Deno.test(`styleOf() with ${what} is ${JSON.stringify(style)}`, () => {
    assert.deepEqual(styleOf(isTerminal, (name) => (env as Record<string, string>)[name]), style);
  });
}
