import assert from "node:assert/strict";
import { withoutSecrets } from "../../src/kit/secrets.ts";

for (
  const [text, masked, named = masked] of [
    ["http://me:hush@h:1/x", "http://•••@h:1/x"],
    ["http://h/?token=hush", "http://h/?token=•••"],
    ["http://h/?a=1&api_key=hush#x", "http://h/?a=•••&api_key=•••", "http://h/?a=1&api_key=•••"],
    ["http://h/?hush", "http://h/?•••", "http://h/?hush"],
    ["http://h/#access_token=hush", "http://h/#access_token=•••"],
    ["see http://h/?token=hush and http://g/?key=hush.", "see http://h/?token=••• and http://g/?key=•••"],
    ["what? a=b", "what? a=b"],
    ["http://h/path", "http://h/path"],
  ] as const
) {
  Deno.test(`withoutSecrets() makes ${masked} of ${text}`, () => {
    assert.equal(withoutSecrets(text), masked);
    assert.equal(withoutSecrets(text, true), named);
  });
}
