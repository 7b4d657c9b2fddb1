/**
 * The right-hand side of a word, read as Hydra 1.3 reads the value of an override: quoted and unquoted text,
 * numbers, booleans, null, lists, maps, and `${…}` left as it is. Sweeps and functions are refused.
 *
 * It differs from Hydra where Hydra would lose or hide something: integers and floats that a number cannot
 * hold are errors, keys of maps are strings as they are typed (`{1.10: a}`, not the number 1.1), white space is
 * trimmed after closing quotes, brackets and colons too, and a `${…}` inside a `${…}` is an error everywhere.
 *
 * It is long because it is one recursive grammar.
 */
import { exactNumber } from "../kit/exact_number.ts";
import { WordError } from "./override_error.ts";

/** A value as Hydra's override grammar reads it. */
export type WordValue = null | boolean | number | string | WordValue[] | { [key: string]: WordValue };

/** Lists and maps in one another; deeper ones are refused before the stack ends. */
const DEEPEST = 100;

const INTEGER = /^[+-]?(?:0|[1-9](?:_?[0-9])*)$/;
const POINT = String.raw`(?:(?:0|[1-9](?:_?\d)*)\.|(?:0|[1-9](?:_?\d)*)?\.\d(?:_?\d)*)`;
const EXPONENT = String.raw`(?:(?:0|[1-9](?:_?\d)*)|${POINT})[eE][+-]?\d(?:_?\d)*`;
const FLOAT = new RegExp(`^[+-]?(?:${EXPONENT}|${POINT})$`);
const ENDLESS = /^([+-]?)(inf|nan)$/i;

/** What may stand unquoted beside escapes and `${…}`. */
const PLAIN = /^[A-Za-z0-9_/\-\\+.$%*@?| \t]$/;
/** What a backslash takes its meaning from, in unquoted text. */
const ESCAPABLE = new Set("\\()[]{}:=, \t");

const SWEEPS = new Set(["choice", "range", "interval", "glob", "sort", "shuffle", "tag"]);
const CASTS = new Set(["int", "float", "bool", "str", "json_str"]);
const QUOTE_IT = `quote the whole value, and the whole override for the shell: "key='…'"`;

/** Sets an own member, also one called `__proto__`, which assignment would take for the prototype. */
export function put(map: Record<string, WordValue>, key: string, value: WordValue): void {
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * The value that the code points of `word` from index `from` to its end spell; nothing is the empty string.
 *
 * @param exact whether a whole number that is spelled as a float is kept as one, for values that go on as JSON
 * @throws {WordError} at the first character that does not fit.
 */
export function readValue(word: readonly string[], from: number, exact = false): WordValue {
  return new Reader(word, from, exact).whole();
}

class Reader {
  #at: number;
  /** Where the brackets around the current place were opened. */
  readonly #open: number[] = [];

  constructor(readonly word: readonly string[], from: number, readonly exact: boolean) {
    this.#at = from;
  }

  whole(): WordValue {
    this.#skipSpace();
    if (this.#at === this.word.length) return "";
    const value = this.#peek() === "," ? "" : this.#element();
    this.#skipSpace();
    const next = this.#peek();
    if (next === undefined) return value;
    if (next === ",") {
      this.#fail(
        `several values (a sweep) are not supported: write a list as [a,b], a comma as \\, or ${QUOTE_IT}`,
      );
    }
    return this.#fail(
      isCloser(next)
        ? `nothing is open for this "${next}" to close: remove it, write \\${next}, or ${QUOTE_IT}`
        : "the value has ended before this: remove it, or put it all into one pair of quotes",
    );
  }

  #element(): WordValue {
    this.#skipSpace();
    const next = this.#peek();
    if (next === undefined) this.#unclosed();
    if (next === "'" || next === '"') return this.#quoted(next);
    if (next === "[") return this.#nested(() => this.#list());
    if (next === "{") return this.#nested(() => this.#map());
    const start = this.#at;
    const text = this.#unquoted(false);
    if (text === "" && this.#open.length > 0) this.#fail(`a value is missing before this "${next}"`);
    return this.#typed(text, start);
  }

  #nested<T>(read: () => T): T {
    if (this.#open.length === DEEPEST) this.#fail(`lists and maps are nested more than ${DEEPEST} deep here`);
    this.#open.push(this.#at++);
    const value = read();
    this.#open.pop();
    return value;
  }

  #list(): WordValue[] {
    const items: WordValue[] = [];
    if (this.#closes("]")) return items;
    do items.push(this.#element()); while (this.#goesOn("]"));
    return items;
  }

  #map(): Record<string, WordValue> {
    const map: Record<string, WordValue> = {};
    if (this.#closes("}")) return map;
    do {
      const key = this.#mapKey();
      put(map, key, this.#element());
    } while (this.#goesOn("}"));
    return map;
  }

  /** A key and its colon. */
  #mapKey(): string {
    this.#skipSpace();
    const first = this.#peek();
    if (first === "'" || first === '"') {
      this.#fail(
        "keys of maps take no quotes in Hydra's grammar: leave them out, and write \\ before special characters",
      );
    }
    const key = this.#unquoted(true);
    const next = this.#peek();
    if (next === undefined) this.#unclosed();
    if (key === "") this.#fail(`a key is missing before this "${next}": write {key: value}`);
    if (next !== ":") this.#fail(`a colon is missing before this "${next}": write {key: value}`);
    this.#at++;
    return key;
  }

  /** Whether the list or map ends here at once, as an empty one does. */
  #closes(closer: string): boolean {
    this.#skipSpace();
    if (this.#peek() !== closer) return false;
    this.#at++;
    return true;
  }

  /** Past the comma or the closing bracket after an item; whether another one follows. */
  #goesOn(closer: string): boolean {
    this.#skipSpace();
    const next = this.#peek();
    if (next === undefined) this.#unclosed();
    if (next !== "," && next !== closer) {
      const opener = this.#open.at(-1)!;
      this.#fail(
        `expected "," or "${closer}" here, for the "${this.word[opener]}" of column ${
          opener + 1
        }: text beside quotes or brackets needs to be inside them`,
      );
    }
    this.#at++;
    return next === ",";
  }

  /**
   * Text in quotes. Backslashes are literal unless they come right before the quote character: there two are
   * one, and an odd one makes the quote part of the text.
   */
  #quoted(quote: string): string {
    const start = this.#at++;
    let text = "";
    for (let slashes = 0; this.#at < this.word.length; this.#at++) {
      const point = this.word[this.#at]!;
      if (point === "\\") {
        slashes++;
      } else if (point === quote) {
        text += "\\".repeat(slashes >> 1);
        if (slashes % 2 === 0) {
          this.#at++;
          return text;
        }
        text += quote;
        slashes = 0;
      } else {
        text += "\\".repeat(slashes) + point;
        slashes = 0;
      }
    }
    return this.#fail(
      `the quote that starts here is not closed: add a ${quote} (inside, a ${quote} is written \\${quote}), and quote the override for the shell`,
      start,
    );
  }

  /** Unquoted text up to the character that ends it, without the white space around it; empty if there is none. */
  #unquoted(isKey: boolean): string {
    const start = this.#at;
    let text = "", kept = 0;
    for (;; this.#at++) {
      const point = this.#peek();
      if (point === undefined || point === "," || isCloser(point) || isKey && point === ":") break;
      if (isKey && point === "=") break;
      const next = this.word[this.#at + 1];
      if (point === "\\" && next !== undefined && ESCAPABLE.has(next)) {
        text += next;
        this.#at++;
      } else if (point === "$" && next === "{") {
        if (isKey) this.#fail("${…} cannot be a key of a map");
        text += this.#reference();
      } else if (PLAIN.test(point) || point === ":") {
        text += point;
        if (point === " " || point === "\t") continue;
      } else {
        if (isKey) this.#refuseInKey(point);
        this.#refuse(point, text, start);
      }
      kept = text.length;
    }
    return text.slice(0, kept);
  }

  /** A `${…}` as it stands, up to and with its brace; stays at that brace. */
  #reference(): string {
    const start = this.#at;
    const end = this.word.indexOf("}", start);
    if (end < 0) this.#fail('the "${" that starts here is not closed: add a "}"', start);
    if (end === start + 2) {
      this.#fail("the ${} that starts here is empty: write a key or a resolver into it", start);
    }
    const reference = this.word.slice(start, end + 1);
    const inner = reference.findIndex((point, at) => at > 0 && point === "$" && reference[at + 1] === "{");
    if (inner > 0) this.#fail(`a \${…} inside another one needs quotes: ${QUOTE_IT}`, start + inner);
    this.#at = end;
    return reference.join("");
  }

  /** A number, a boolean or null when the text is nothing else. */
  #typed(text: string, start: number): WordValue {
    const lower = text.toLowerCase();
    if (lower === "null") return null;
    if (lower === "true" || lower === "false") return lower === "true";
    const endless = ENDLESS.exec(text);
    if (endless) return lower.endsWith("nan") ? NaN : endless[1] === "-" ? -Infinity : Infinity;
    const isInteger = INTEGER.test(text);
    if (!isInteger && !FLOAT.test(text)) return text;
    const number = Number(text.replaceAll("_", ""));
    if (isInteger && !Number.isSafeInteger(number)) {
      this.#fail(
        `the integer that starts here is beyond ±${Number.MAX_SAFE_INTEGER} and cannot be held exactly: quote it to keep it as text`,
        start,
      );
    }
    if (!Number.isFinite(number)) {
      this.#fail(
        "the number that starts here is too large: quote it to keep it as text, or write inf",
        start,
      );
    }
    if (this.exact && !isInteger) return exactNumber(text, number) as WordValue;
    return isInteger && number === 0 ? 0 : number; // integers have no negative zero
  }

  /** A character that the key of a map cannot hold. */
  #refuseInKey(point: string): never {
    return this.#fail(
      ESCAPABLE.has(point)
        ? `"${point}" needs a backslash in a key: write \\${point}`
        : `${JSON.stringify(point)} cannot stand in a key of a map, in Hydra's grammar`,
    );
  }

  /** A character that unquoted text cannot hold. */
  #refuse(point: string, before: string, start: number): never {
    const name = before.trimEnd();
    if (point === "(" && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) this.#refuseFunction(name, start);
    if (ESCAPABLE.has(point)) {
      this.#fail(`"${point}" needs a backslash in unquoted text: write \\${point}, or ${QUOTE_IT}`);
    }
    if (point === "'" || point === '"') this.#fail(`a quote inside unquoted text: ${QUOTE_IT}`);
    return this.#fail(`${JSON.stringify(point)} cannot stand in unquoted text: ${QUOTE_IT}`);
  }

  #refuseFunction(name: string, start: number): never {
    if (SWEEPS.has(name)) {
      this.#fail(
        `${name}(…) is for sweeps, which are not supported: give one value, or a list as [a,b]`,
        start,
      );
    }
    if (CASTS.has(name)) {
      this.#fail(
        `${name}(…) is not supported: write the value itself, in quotes if it is meant as text`,
        start,
      );
    }
    // The name is not repeated: it could be the start of a secret.
    return this.#fail(
      `functions are not supported: if this is text, write \\( and \\), or ${QUOTE_IT}`,
      start,
    );
  }

  #peek(): string | undefined {
    return this.word[this.#at];
  }

  #skipSpace(): void {
    while (this.#peek() === " " || this.#peek() === "\t") this.#at++;
  }

  #unclosed(): never {
    const opener = this.#open.at(-1)!;
    const bracket = this.word[opener]!;
    return this.#fail(
      `the "${bracket}" that opens here is not closed: add a "${bracket === "[" ? "]" : "}"}"`,
      opener,
    );
  }

  #fail(reason: string, at = this.#at): never {
    throw new WordError(this.word, at, reason);
  }
}

function isCloser(point: string): boolean {
  return point === "]" || point === "}";
}
