import assert from "node:assert/strict";
import { isSecret } from "../../src/kit/secrets.ts";

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
