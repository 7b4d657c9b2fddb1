/** Reads configuration files: JSON with comments, or YAML, by their ending. */
import type { Node, ParseError } from "jsonc";
import type { ConfigFile } from "../config/layers.ts";
import { exactNumber } from "../kit/exact_number.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { DEEPEST, isDeeperThan } from "../kit/nesting.ts";
import { systemReason } from "../kit/system_error.ts";
import { ifMissing } from "./nearest_file.ts";
import type { World } from "../ports/world.ts";

/** All configuration files, in order. @throws {UsageFault} with everything that is wrong with any of them */
export async function readConfigFiles(
  paths: readonly string[],
  world: Pick<World, "disk">,
): Promise<ConfigFile[]> {
  const files: ConfigFile[] = [], problems: string[] = [];
  for (const path of paths) {
    try {
      files.push(await readConfigFile(path, world));
    } catch (error) {
      if (!(error instanceof UsageFault)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 1) throw new UsageFault(problems[0]);
  if (problems.length) throw new UsageFault(`Cannot read the configuration files:${list(problems)}`);
  return files;
}

/** A configuration file, parsed. @throws {UsageFault} naming the file, and the line where it is not what it should be */
export async function readConfigFile(path: string, { disk }: Pick<World, "disk">): Promise<ConfigFile> {
  let text: string;
  try {
    text = (await disk.readText(path)).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UsageFault(
      `Cannot read the configuration file ${path}: ${systemReason(error)}.${ifMissing(path, disk)}`,
      { cause: error },
    );
  }
  if (text.trim() === "") return { path, value: undefined };
  if (!/\.ya?ml$/i.test(path)) return { path, value: await readJsonc(text, path) };
  const value = await readYaml(text, path);
  return { path, value: withExact(value, await exactInYaml(text)) };
}

/** The key whose values are sent as JSON, so that its numbers stay as they were written. */
const SENT_ON = "responses_create_params";

/** `value` with what was read exactly in the place of {@link SENT_ON}. */
function withExact(value: unknown, exact: unknown): unknown {
  const isMap = typeof value === "object" && value !== null && Object.hasOwn(value, SENT_ON);
  return isMap ? { ...value, [SENT_ON]: exact } : value;
}

async function exactInYaml(text: string): Promise<unknown> {
  // By its default, which is all that a bundle has of a CommonJS package.
  const { default: { isScalar, parseDocument, visit } } = await import("yaml");
  const document = parseDocument(text, { logLevel: "error" });
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === "number" && node.source !== undefined) {
        node.value = exactNumber(node.source, node.value);
      }
    },
  });
  return (document.toJS() as Record<string, unknown> | null)?.[SENT_ON];
}

/** The value of a node of a JSON text, its numbers exact. */
function exactInJson(node: Node | undefined, text: string): unknown {
  switch (node?.type) {
    case "number":
      return exactNumber(text.slice(node.offset, node.offset + node.length), node.value);
    case "array":
      return node.children?.map((child) => exactInJson(child, text));
    case "object":
      return Object.fromEntries(
        node.children?.map(({ children }) => [children![0]!.value, exactInJson(children![1], text)]) ?? [],
      );
    default:
      return node?.value;
  }
}

/** A YAML text as plain values. @throws {UsageFault} naming file and line */
export async function readYaml(text: string, path: string): Promise<unknown> {
  const { default: { parse } } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text, { logLevel: "error" });
  } catch (error) {
    const { at, reason } = yamlFault(error);
    throw new UsageFault(`Cannot read ${path}${at} as YAML: ${reason}.`, { cause: error });
  }
  if (isDeeperThan(value, DEEPEST)) throw new UsageFault(`Cannot read ${path} as YAML: ${TOO_DEEP}.`);
  return value;
}

/**
 * What the YAML parser has to say: where, as `:LINE:COLUMN`, and why. What it quotes, behind a colon or below, is left
 * out, since it may be a secret.
 */
export function yamlFault(error: unknown): { readonly at: string; readonly reason: string } {
  const { code, linePos, message } = error as Error & {
    code?: string;
    linePos?: readonly { readonly line: number; readonly col: number }[];
  };
  const start = linePos?.[0];
  const [first] = message.replace(/ at line \d+, column \d+:?[\s\S]*$/, "").split(/: |\n/);
  const reason = code === "MULTIPLE_DOCS"
    ? "it holds more than one document"
    : /call stack/i.test(message)
    ? TOO_DEEP
    : first!.replace(/!\S+/g, "!…") +
      (/^Unresolved alias/.test(first!) ? "; a text that begins with * needs quotes" : "");
  return { at: start ? `:${start.line}:${start.col}` : "", reason };
}

async function readJsonc(text: string, path: string): Promise<unknown> {
  const { createScanner, findNodeAtLocation, parse, parseTree, printParseErrorCode } = await import("jsonc");
  const fault = (offset: number, what: string) => {
    const before = text.slice(0, offset).split("\n");
    const place = `${path}:${before.length}:${before.at(-1)!.length + 1}`;
    return new UsageFault(
      `Cannot read ${place} as JSON with comments: ${what}.` +
        (/\.jsonc?$/i.test(path) ? "" : " (YAML files end in .yaml or .yml.)"),
    );
  };
  // The parser is recursive.
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const first = text[scanner.getTokenOffset()]!;
    depth += "{[".includes(first) ? 1 : "}]".includes(first) ? -1 : 0;
    if (depth > DEEPEST) throw fault(scanner.getTokenOffset(), TOO_DEEP);
  }
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const code = printParseErrorCode(first.error);
    throw fault(first.offset, JSON_FAULTS[code] ?? code);
  }
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const twice = tree && secondOfItsName(tree);
  if (twice) throw fault(twice.offset, "a key that stands twice in one map");
  return withExact(value, exactInJson(tree && findNodeAtLocation(tree, [SENT_ON]), text));
}

/** The first key that a map has already. */
function secondOfItsName({ type, children = [] }: Node): Node | undefined {
  const names = new Set<unknown>();
  for (const child of children) {
    const key = type === "object" ? child.children?.[0] : undefined;
    if (key && names.has(key.value)) return key;
    names.add(key?.value);
    const inside = secondOfItsName(child);
    if (inside) return inside;
  }
}

const TOO_DEEP = `it is nested more than ${DEEPEST} deep`;

/** The parser's codes, in words. */
const JSON_FAULTS: Readonly<Record<string, string>> = {
  CloseBraceExpected: 'a "}" is missing here',
  CloseBracketExpected: 'a "]" is missing here',
  ColonExpected: "a colon is missing here",
  CommaExpected: "a comma is missing here",
  EndOfFileExpected: "the file should end here",
  InvalidCharacter: "a character that cannot stand here",
  InvalidCommentToken: "not a comment that JSON with comments has (there are // and /* */)",
  InvalidEscapeCharacter: "an escape that JSON does not have",
  InvalidNumberFormat: "not a number as JSON writes it",
  InvalidSymbol: "a word that is not true, false or null: strings need double quotes",
  InvalidUnicode: "a \\u escape without four hexadecimal digits",
  PropertyNameExpected: "the name of a key in double quotes is missing here",
  UnexpectedEndOfComment: "a comment that is not closed",
  UnexpectedEndOfNumber: "a number that breaks off",
  UnexpectedEndOfString: "a string that is not closed",
  ValueExpected: "a value is missing here",
};
