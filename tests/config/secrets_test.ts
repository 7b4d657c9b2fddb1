/** Every word of the one list of secret names masks wherever configurations and words are shown. */
import assert from "node:assert/strict";
import type { Config } from "../../src/config/config.ts";
import { masked } from "../../src/config/masked.ts";
import { parseWord, WordError } from "../../src/config/overrides.ts";
import { shown } from "../../src/config/value_errors.ts";
import { isSecret, SECRET_WORDS } from "../../src/kit/secrets.ts";

const HIDDEN = "hunter2";

function pictureOf(word: string): string {
  try {
    parseWord(word);
  } catch (error) {
    assert.ok(error instanceof WordError);
    return error.message;
  }
  throw new Error(`${word} was taken`);
}

for (const word of SECRET_WORDS) {
  for (const name of [`my_${word}`, `${word.toUpperCase()}S`]) {
    Deno.test(`what ${name} holds is shown nowhere`, () => {
      const config = {
        responses_create_params: { [name]: HIDDEN, list: [{ [name]: HIDDEN }] },
        serve_command: `serve --${name} ${HIDDEN} ${name}=${HIDDEN} '${name}: ${HIDDEN}'`,
      } as unknown as Config;
      const texts = [
        JSON.stringify(masked(config)),
        shown(HIDDEN, ["responses_create_params", name]),
        pictureOf(`+${name}=[${HIDDEN}`),
        pictureOf(`+params={${name}: ${HIDDEN}`),
      ];
      for (const text of texts) assert.ok(!text.includes(HIDDEN), text);
      assert.ok(isSecret(name));
    });
  }
}
