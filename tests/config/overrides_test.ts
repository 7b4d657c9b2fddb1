import assert from "node:assert/strict";
import fc from "fast-check";
import {
  applyWords,
  isWord,
  parseWord,
  type Word,
  WordError,
  type WordValue,
} from "../../src/config/overrides.ts";
import { MISTAKES, VALUES, VALUES_OF_OUR_OWN, WORDS } from "./_overrides_table.ts";

type Config = Record<string, WordValue>;

function errorOf(act: () => unknown): WordError {
  try {
    act();
  } catch (error) {
    assert(error instanceof WordError, String(error));
    return error;
  }
  throw new Error("nothing was thrown");
}

function applied(base: Config, ...words: string[]): Config {
  return applyWords(base, words.map(parseWord));
}

Deno.test("isWord() tells words from flags and plain arguments", () => {
  const words = [
    "a=1",
    "+a=1",
    "++a=1",
    "~a",
    "~a=1",
    "a.b=",
    "=1",
    "+a",
    "~",
    "a =1",
    "data/in=1.jsonl",
    "a=-1",
  ];
  for (const arg of words) assert(isWord(arg), arg);
  const others = [
    "",
    "collect",
    "in.jsonl",
    "-",
    "-a=1",
    "--a=1",
    "--",
    "./lr=1.jsonl",
    "../lr=1",
    "/data/a=b",
    "~/a=b",
    "~/a",
    "http://h/?a=b",
    "C:\\a=b",
  ];
  for (const arg of others) assert(!isWord(arg), arg);
});

Deno.test("parseWord() reads values as Hydra does", () => {
  for (const [text, value] of [...VALUES, ...VALUES_OF_OUR_OWN]) {
    const word = `a=${text}`;
    assert.deepEqual(parseWord(word), { text: word, mode: "set", path: ["a"], value }, word);
    assert(isWord(word), word);
  }
});

Deno.test("parseWord() reads keys and modes", () => {
  for (const [text, mode, path, value] of WORDS) {
    assert.deepEqual(parseWord(text), { text, mode, path, value }, text);
    assert(isWord(text), text);
  }
});

Deno.test("parseWord() points at the column of a mistake", () => {
  for (const [text, column, says] of MISTAKES) {
    const error = errorOf(() => parseWord(text));
    assert.equal(error.column, column, `${text}\n${error.message}`);
    assert(error.reason.includes(says), `${text}\n${error.message}`);
    assert(isWord(text), text);
    const [first, , caret] = error.message.split("\n");
    assert.equal(first, `Cannot use this argument, see column ${column}: ${error.reason}`);
    assert.equal(caret, `  ${" ".repeat(column - 1)}^`, text);
  }
});

Deno.test("parseWord() shows the word and the caret, when it fails", () => {
  assert.equal(
    errorOf(() => parseWord("+fan_out={solver:[a b, scribe}")).message,
    `Cannot use this argument, see column 30: expected "," or "]" here, for the "[" of column 18: \
text beside quotes or brackets needs to be inside them
  +fan_out={solver:[a b, scribe}
                               ^`,
  );
});

Deno.test("parseWord() shows a part of a long word, on one line", () => {
  const shown = (word: string) => errorOf(() => parseWord(word)).message.split("\n").slice(1);
  assert.deepEqual(shown(`a=${"x".repeat(500)}#${"y".repeat(500)}`), [
    `  …${"x".repeat(36)}#${"y".repeat(35)}…`,
    `  ${" ".repeat(37)}^`,
  ]);
  assert.deepEqual(shown(`a=${"x".repeat(500)}#`), [`  …${"x".repeat(71)}#`, `  ${" ".repeat(72)}^`]);
  assert.deepEqual(shown(`a=[${"x".repeat(500)}`), [`  a=[${"x".repeat(69)}…`, "    ^"]);
  assert.deepEqual(shown("a=x\n\x1b\x9b#"), ["  a=x␊␛␡#", "     ^"]);
});

Deno.test("parseWord() shows no secrets, when it fails", () => {
  for (
    const word of [
      "+policy_api_key=hunter2#",
      "++a.Authorization='hunter2",
      "a={api_key: hunter2, b: c#}",
      "password=[hunter2(x)]",
      "token=900719925474099300hunter2)",
    ]
  ) {
    const { message } = errorOf(() => parseWord(word));
    assert(!message.includes("hunter2"), message);
    assert(message.includes("•••••••"), message);
    assert(message.includes(word.slice(0, word.indexOf("="))), message);
  }
  assert(errorOf(() => parseWord("a=hunter2#")).message.includes("hunter2#"));
});

Deno.test("parseWord() refuses what is nested too deep, instead of running out of stack", () => {
  const nested = (depth: number) => `a=${"[".repeat(depth)}${"]".repeat(depth)}`;
  parseWord(nested(100));
  assert.equal(errorOf(() => parseWord(nested(101))).column, 103);
  assert.equal(errorOf(() => parseWord(nested(100_000))).column, 103);
  assert.equal(errorOf(() => parseWord(`a=${"{a:".repeat(100_000)}`)).column, 303);
  assert.equal(errorOf(() => parseWord(`${"a.".repeat(100_000)}b=1`)).column, 1);
});

const TEXT = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\\", "'", '"', "a", " ", "$", "{") }),
);

/** Quotes a string: backslashes that come right before a quote, or at the end, are doubled, and quotes escaped. */
function quoted(text: string, quote: string): string {
  const body = text.replace(new RegExp(`(\\\\*)(${quote}|$)`, "g"), (_, slashes, end) => {
    return slashes + slashes + (end === "" ? "" : `\\${quote}`);
  });
  return quote + body + quote;
}

Deno.test("parseWord() reads back any text in quotes", () => {
  fc.assert(fc.property(TEXT, fc.constantFrom("'", '"'), (text, quote) => {
    assert.equal(parseWord(`a=${quoted(text, quote)}`).value, text);
    assert.deepEqual(parseWord(`+a=[ ${quoted(text, quote)} ,{b: ${quoted(text, quote)}}]`).value, [text, {
      b: text,
    }]);
  }));
});

Deno.test("parseWord() reads back unquoted text with escapes, as value and as key of a map", () => {
  const unit = fc.constantFrom(...Array.from("abz019_/-+.%*@?| \t\\()[]{}:=,"));
  fc.assert(fc.property(fc.string({ unit, minLength: 1 }), (text) => {
    const escaped = text.replace(/[\\()[\]{}:=, \t]/g, "\\$&");
    assert.equal(String(parseWord(`a=x${escaped}`).value), `x${text}`);
    assert.deepEqual(parseWord(`a={${escaped}: 1}`).value, { [text]: 1 });
  }));
});

const VALUE = fc.letrec<{ value: WordValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger(),
    fc.double(),
    TEXT,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b c", "__proto__", "constructor", "1.10"), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

/** A value as Hydra's grammar spells it. */
function spelled(value: WordValue): string {
  if (typeof value === "string") return quoted(value, "'");
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    const text = Object.is(value, -0) ? "-0.0" : String(value);
    return Number.isSafeInteger(value) || /[.e]/.test(text) ? text : `${text}.0`;
  }
  if (Array.isArray(value)) return `[${value.map(spelled).join(", ")}]`;
  if (value === null || typeof value === "boolean") return String(value);
  const members = Object.entries(value).map(([key, member]) =>
    `${key.replaceAll(" ", "\\ ")}: ${spelled(member)}`
  );
  return `{${members.join(",")}}`;
}

/** The members of a value in a form that shows keys called `__proto__`, whatever the prototype. */
function plain(value: WordValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

Deno.test("parseWord() reads back any nested value", () => {
  fc.assert(fc.property(VALUE, (value) => {
    assert.deepEqual(plain(parseWord(`a=${spelled(value)}`).value), plain(value));
  }));
});

Deno.test("parseWord() reads any argument or points into it", () => {
  const unit = fc.constantFrom(...Array.from("ab1.=,:[]{}()'\"\\ $~+@/#é😀"));
  fc.assert(fc.property(fc.string({ unit }), (text) => {
    try {
      assert.equal(parseWord(text).text, text);
    } catch (error) {
      assert(error instanceof WordError, String(error));
      assert(error.column >= 1 && error.column <= Array.from(text).length + 1, error.message);
    }
  }));
});

Deno.test("applyWords() lays words over a configuration, later ones last", () => {
  const cases: readonly (readonly [base: Config, words: string[], want: Config])[] = [
    [{}, [], {}],
    [{ a: 1 }, [], { a: 1 }],
    [{}, ["+a=1"], { a: 1 }],
    [{ a: 1, b: 2 }, ["a=3"], { a: 3, b: 2 }],
    [{}, ["+a=1", "a=2", "++a=3"], { a: 3 }],
    [{}, ["+a=1", "+a=2"], { a: 2 }],
    [{}, ["a="], { a: "" }],
    [{}, ["+a.b.c=1", "+a.b.d=2", "a.e=3"], { a: { b: { c: 1, d: 2 }, e: 3 } }],
    [{ a: { c: 2 } }, ["a={b:1}"], { a: { c: 2, b: 1 } }],
    [{ a: { c: { d: 1 } } }, ["++a={c:{e:1}}"], { a: { c: { d: 1, e: 1 } } }],
    [{ a: { x: 1 } }, ["a={}"], { a: { x: 1 } }],
    [{ a: { x: 1 } }, ["a=3"], { a: 3 }],
    [{ a: { x: 1 } }, ["a=[1]"], { a: [1] }],
    [{ a: { x: 1 } }, ["a=null"], { a: null }],
    [{ a: [1, 2] }, ["a=[3]"], { a: [3] }],
    [{ a: [1, 2] }, ["a.0=3"], { a: [3, 2] }],
    [{ a: [{ b: 1 }] }, ["a.0.c=2"], { a: [{ b: 1, c: 2 }] }],
    [{ a: 1 }, ["a.x=3"], { a: { x: 3 } }],
    [{ a: null }, ["a.x=3"], { a: { x: 3 } }],
    [{}, ["a.0=1"], { a: { "0": 1 } }],
    [{}, ["a={b.c:2}", "a.b.c=3"], { a: { "b.c": 2, b: { c: 3 } } }],
    [{}, ["db@src=x", "a/b=y"], { "db@src": "x", "a/b": "y" }],
    [{ a: 1, b: 2 }, ["~a"], { b: 2 }],
    [{ a: null }, ["~a"], {}],
    [{ a: { b: 1 } }, ["~a.b"], { a: {} }],
    [{ a: [{ b: 1, c: 2 }] }, ["~a.0.b"], { a: [{ c: 2 }] }],
    [{ a: { b: [1, { c: 2 }] } }, ["~a={b:[1,{c:2}]}"], {}],
    [{ a: 1 }, ["~b", "~a.b", "~b.c=1"], { a: 1 }],
    [{ a: [1] }, ["~a.3", "~a.x", "~a.x.y"], { a: [1] }],
    [{ a: 1 }, ["~a=1", "+a=2"], { a: 2 }],
    [{ a: 1 }, ["+a=2", "~a"], {}],
  ];
  for (const [base, words, want] of cases) {
    assert.deepEqual(applied(base, ...words), want, `${JSON.stringify(base)} ${words.join(" ")}`);
  }
});

Deno.test("applyWords() points at the part of the key that does not fit", () => {
  const cases: readonly (readonly [base: Config, word: string, column: number, says: string])[] = [
    [{ a: [1, 2] }, "++a.2=3", 5, "list of 2"],
    [{ a: [1, 2] }, "a.x=3", 3, "list of 2"],
    [{ a: { bc: [1] } }, "+a.bc.d.e=3", 7, "list of 1"],
    [{ a: [1, 2] }, "~a.0", 4, "cannot be taken out of a list"],
    [{ a: 1 }, "~a=2", 2, "another value"],
    [{ a: { b: [1, 2] } }, "~a.b=[1]", 4, "another value"],
    [{ a: { b: { c: 1 } } }, "~a.b={d:1}", 4, "another value"],
  ];
  for (const [base, word, column, says] of cases) {
    const error = errorOf(() => applied(base, word));
    assert.equal(error.column, column, error.message);
    assert(error.reason.includes(says), error.message);
  }
});

Deno.test("parseWord() and applyWords() keep away from prototypes", () => {
  const result = applied(
    { a: { b: 1 } },
    "__proto__.polluted=1",
    "a.__proto__.polluted=1",
    "a.constructor.prototype.polluted=1",
    "b={__proto__: {polluted: 1}, toString: 2}",
    "b={__proto__: {more: 1}}",
    "c.__proto__=1",
    "~c.toString.call",
    "~c.toString",
  );
  assert.equal(({} as Config).polluted, undefined);
  const { a, b, c } = result as Record<string, Config>;
  for (const map of [result, a!, b!, c!]) {
    assert.equal(Object.getPrototypeOf(map), Object.prototype);
    assert(Object.hasOwn(map, "__proto__"));
    assert.equal(map.polluted, undefined);
  }
  assert.deepEqual(Object.keys(result), ["a", "__proto__", "b", "c"]);
  assert.deepEqual(plain(b!), plain(JSON.parse('{"__proto__": {"polluted": 1, "more": 1}, "toString": 2}')));
  assert.equal(c!["__proto__"], 1);
  assert.deepEqual(Object.keys(applied(result, "~__proto__", "~a.__proto__")), ["a", "b", "c"]);
  assert.equal(Object.keys(applied({}, "~toString", "~__proto__", "~__proto__.toString")).length, 0);
});

Deno.test("applyWords() never changes what it is given", () => {
  const key = fc.constantFrom("a", "b", "0", "__proto__");
  const base = fc.dictionary(key, VALUE);
  const word: fc.Arbitrary<Word> = fc.record({
    text: fc.constant("a=1"),
    mode: fc.constantFrom("set", "add", "force", "delete"),
    path: fc.array(key, { minLength: 1, maxLength: 3 }),
    value: VALUE,
  });
  fc.assert(fc.property(base, fc.array(word), (base, words) => {
    const before = structuredClone({ base, words });
    deepFreeze(base);
    deepFreeze(words);
    try {
      const result = applyWords(base, words);
      assert.notEqual(result, base);
    } catch (error) {
      // Writing to something frozen would be a TypeError.
      assert(error instanceof WordError, String(error));
    }
    assert.deepEqual(plain(base), plain(before.base));
    assert.deepEqual(words.map(({ value }) => plain(value)), before.words.map(({ value }) => plain(value)));
  }));
});

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
}
