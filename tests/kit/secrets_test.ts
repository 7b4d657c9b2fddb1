import assert from "node:assert/strict";
import { isSecret, withoutSecrets } from "../../src/kit/secrets.ts";

for (
  const [name, secret] of [
    ["policy_api_key", true],
    ["HF_TOKEN", true],
    ["authHeaders", true],
    ["client_secret", true],
    ["Password", true],
    ["credentials", true],
    ["authorization", true],
    ["num_repeats", false],
    ["host", false],
    ["agent_name", false],
  ] as const
) {
  Deno.test(`isSecret() of ${name} is ${secret}`, () => assert.equal(isSecret(name), secret));
}

for (
  const [text, shown] of [
    ["http://u:p@h:1/x?token=t#f rest", "http://•••@h:1/x?token=••• rest"],
    ["socks5://u:p@@h", "socks5://•••@h"],
    ['see https://h/?a=b, "https://h?c"', 'see https://h/?a=••• "https://h?•••"'],
    ["Authorization: Bearer abc", "Authorization: Bearer •••"],
    ["X: bearer abcdefgh12", "X: bearer •••"],
    ["the bearer of news", "the bearer of news"],
    ["http://h:1/path", "http://h:1/path"],
    ["what? a@b.c", "what? a@b.c"],
  ] as const
) {
  Deno.test(`withoutSecrets() makes ${JSON.stringify(shown)} of ${JSON.stringify(text)}`, () => {
    assert.equal(withoutSecrets(text), shown);
  });
}
