/**
 * The conditions of `rollcall filter`: comparisons of a task's fields with numbers and strings, joined by `and`, `or`, `not`
 * and parentheses.
 *
 *     condition  = all { "or" all }
 *     all        = one { "and" one }
 *     one        = "not" one | "(" condition ")" | comparison
 *     comparison = value ( "<" | "<=" | ">" | ">=" | "=" | "==" | "!=" ) value
 *     value      = number | string | field
 *
 * Strings stand in single or double quotes. What a task does not have is unknown, and a comparison with it is false, `!=`
 * included; so is one of a number with a string.
 */
import { UsageFault } from "../kit/fault.ts";
import { nearest } from "../kit/nearest.ts";

/** What a field can hold; null where the task has nothing there. */
export type FieldValue = number | string | null;

/** A task, as far as conditions can ask about it. */
export type Fields = (name: string) => FieldValue;

/** Whether the condition holds for a task. */
export type Condition = (task: Fields) => boolean;

/** Which fields there are. */
export interface Vocabulary {
  /** Their names. */
  readonly names: readonly string[];
  /** Kinds of names, with how errors show them. */
  readonly kinds: readonly { readonly shown: string; readonly names: RegExp }[];
}

type Value = (task: Fields) => FieldValue;

interface Token {
  readonly kind: "number" | "string" | "word" | "sign" | "end";
  readonly text: string;
  /** From 0. */
  readonly at: number;
}

const TOKEN =
  /\s*(?:(?<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])|(?<word>[A-Za-z_][\w.\/@^-]*)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<sign><=|>=|==|!=|[<>=()]))/uy;

/** The words of the grammar; they cannot be fields. */
const WORDS = new Set(["and", "or", "not"]);

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
};

/** A condition that was understood. */
export interface Parsed {
  readonly holds: Condition;
  /** The fields that it asks about. */
  readonly asks: ReadonlySet<string>;
}

/** @throws {UsageFault} that shows where the text is not a condition, and for an unknown field which there are */
export function parseCondition(text: string, vocabulary: Vocabulary): Parsed {
  const parser = new Parser(text, vocabulary);
  return { holds: parser.whole(), asks: parser.asks };
}

class Parser {
  readonly asks = new Set<string>();
  readonly #text: string;
  readonly #vocabulary: Vocabulary;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string, vocabulary: Vocabulary) {
    this.#text = text;
    this.#vocabulary = vocabulary;
    this.#tokens = this.#split();
  }

  whole(): Condition {
    const condition = this.#condition();
    const { kind, text, at } = this.#token;
    if (kind === "end") return condition;
    if (COMPARISONS[text]) throw this.#wrong(at, "compare two values at a time: a < b and b < c");
    throw this.#wrong(at, "expected and, or, or the end");
  }

  #condition(): Condition {
    const any = [this.#all()];
    while (this.#takes("or")) any.push(this.#all());
    return any.length === 1 ? any[0]! : (task) => any.some((holds) => holds(task));
  }

  #all(): Condition {
    const all = [this.#one()];
    while (this.#takes("and")) all.push(this.#one());
    return all.length === 1 ? all[0]! : (task) => all.every((holds) => holds(task));
  }

  #one(): Condition {
    // Not by recursion: any number of them may stand there.
    let isNegated = false;
    while (this.#takes("not")) isNegated = !isNegated;
    const holds = this.#atom();
    return isNegated ? (task) => !holds(task) : holds;
  }

  #depth = 0;

  #atom(): Condition {
    const { at } = this.#token;
    if (!this.#takes("(")) return this.#comparison();
    if (++this.#depth > DEEPEST) throw this.#wrong(at, "too many parentheses inside one another");
    const inside = this.#condition();
    this.#depth--;
    if (!this.#takes(")")) throw this.#wrong(this.#token.at, "expected )");
    return inside;
  }

  #comparison(): Condition {
    const left = this.#value(), { text, at } = this.#token;
    const compares = COMPARISONS[text];
    if (!compares || this.#token.kind !== "sign") {
      throw this.#wrong(at, "expected a comparison: <, <=, >, >=, = or !=");
    }
    this.#next++;
    const right = this.#value();
    return (task) => {
      const a = left(task), b = right(task);
      return a !== null && b !== null && typeof a === typeof b && compares(a < b ? -1 : a > b ? 1 : 0);
    };
  }

  #value(): Value {
    const { kind, text, at } = this.#token;
    if (kind === "number") {
      this.#next++;
      const number = Number(text);
      return () => number;
    }
    if (kind === "string") {
      this.#next++;
      const string = text.slice(1, -1).replace(/\\(.)/gsu, "$1");
      return () => string;
    }
    if (kind === "word" && !WORDS.has(text)) {
      this.#next++;
      this.#check(text, at);
      this.asks.add(text);
      return (task) => task(text);
    }
    throw this.#wrong(at, "expected a field, a number or a string");
  }

  #check(name: string, at: number): void {
    const { names, kinds } = this.#vocabulary;
    if (names.includes(name) || kinds.some((kind) => kind.names.test(name))) return;
    const near = nearest(name, names);
    const known = [...names, ...kinds.map(({ shown }) => shown)].join(", ");
    throw this.#wrong(
      at,
      `there is no field ${name}${near ? ` (did you mean ${near}?)` : ""}. Fields: ${known}`,
    );
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  #takes(text: string): boolean {
    const { kind, text: there } = this.#token;
    if (there !== text || (kind !== "word" && kind !== "sign")) return false;
    this.#next++;
    return true;
  }

  #split(): Token[] {
    const text = this.#text, tokens: Token[] = [], end = text.trimEnd().length;
    for (let at = 0; at < end;) {
      TOKEN.lastIndex = at;
      const groups = TOKEN.exec(text)?.groups;
      const [kind, found] = Object.entries(groups ?? {}).find(([, found]) => found !== undefined) ?? [];
      if (kind === undefined || found === undefined) {
        throw this.#wrong(at + /^\s*/.exec(text.slice(at))![0].length, "this is not part of a condition");
      }
      at = TOKEN.lastIndex;
      tokens.push({ kind: kind as Token["kind"], text: found, at: at - found.length });
    }
    return [...tokens, { kind: "end", text: "", at: end }];
  }

  #wrong(at: number, why: string): UsageFault {
    return new UsageFault(
      `Cannot understand the condition, at character ${at + 1}: ${why}.\n  ${this.#text}\n  ${
        " ".repeat(at)
      }^`,
    );
  }
}

/** Parentheses inside one another. */
const DEEPEST = 100;
