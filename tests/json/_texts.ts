/** What the tests of this folder share: text as bytes and back, and arbitrary JSON texts. */
import fc from "fast-check";

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const bytes = (text: string) => encoder.encode(text);
export const text = (bytes: Uint8Array) => decoder.decode(bytes);

/** Whether bytes are one JSON value, as far as the runtime's own parser can tell. */
export function isJson(given: Uint8Array): boolean {
  try {
    JSON.parse(text(given));
    return true;
  } catch {
    return false;
  }
}

const space = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.stringMatching(/^[ \t\r\n]{1,3}$/) },
);

const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,3})?([eE][-+]?[0-9]{1,3})?$/);

/** The text of a JSON string: plain characters of every length in UTF-8, and every kind of escape. */
export const stringText = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
    fc.constantFrom('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\u2028", "é", "😀", "\u007f"),
    fc.stringMatching(/^\\u[0-9a-fA-F]{4}$/),
  ),
  { maxLength: 4 },
).map((pieces) => `"${pieces.join("")}"`);

/** Key texts of which some say the same name in different words, so that duplicates are frequent. */
export const keyText = fc.oneof(
  fc.constantFrom(
    `"a"`,
    `"\\u0061"`,
    `"b"`,
    `"ab"`,
    `""`,
    `"é"`,
    `"\\u00e9"`,
    `"\\\\"`,
    `"a\\b"`,
    `"a\\\\b"`,
    `"\\""`,
    `"__proto__"`,
    `"😀"`,
    `"\\ud83d\\ude00"`,
    `"\\ud83d"`,
  ),
  stringText,
);

const spaced = (value: fc.Arbitrary<string>) =>
  fc.tuple(space, value, space).map(([before, value, after]) => before + value + after);

const nested = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom("null", "true", "false", "[]", "{}"), number, stringText),
    fc.array(spaced(tie("value")), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc.array(fc.tuple(spaced(keyText), spaced(tie("value"))), { maxLength: 4 })
      .map((members) => `{${members.map((member) => member.join(":")).join(",")}}`),
  ),
}));

/** The text of any JSON value, white space inside it. */
export const valueText = nested.value;

/** One member of an object: the text around and between its parts too. */
export interface MemberText {
  readonly key: string;
  readonly value: string;
  /** Before the key, before and after the colon, and after the value. */
  readonly spaces: readonly [string, string, string, string];
}

export const membersText = fc.array(
  fc.record<MemberText>({ key: keyText, value: valueText, spaces: fc.tuple(space, space, space, space) }),
  { maxLength: 6 },
);

/** The object of these members as text. `inside` fills an object that has none. */
export function objectText(members: readonly MemberText[], inside = ""): string {
  const texts = members.map(({ key, value, spaces: [a, b, c, d] }) => `${a}${key}${b}:${c}${value}${d}`);
  return `{${texts.join(",") || inside}}`;
}

/** Like bytes, but for some places that were changed, cut out, doubled or put in. */
export const mutated = (original: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(
    original,
    fc.array(
      fc.record({
        how: fc.constantFrom("set", "cut", "insert", "double"),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        length: fc.integer({ min: 1, max: 4 }),
        byte: fc.oneof(
          fc.constantFrom(
            ...bytes(`{}[],:"\\/-+.eEu019tfn \n\t\r\0`),
            0xef,
            0xc0,
            0xed,
            0xa0,
            0xf4,
            0x90,
            0x80,
          ),
          fc.integer({ min: 0, max: 255 }),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  ).map(([original, changes]) => {
    let changed = [...original];
    for (const { how, at, length, byte } of changes) {
      const place = Math.floor(at * (changed.length + 1));
      if (how === "set") changed[Math.min(place, changed.length)] = byte;
      else if (how === "cut") changed.splice(place, length);
      else if (how === "insert") changed.splice(place, 0, byte);
      else changed = changed.toSpliced(place, 0, ...changed.slice(place, place + length));
    }
    return new Uint8Array(changed);
  });
