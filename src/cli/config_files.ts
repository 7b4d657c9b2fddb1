/** Reads configuration files: JSON with comments, or YAML, by their ending. */
import type { ParseError } from "jsonc";
import type { ConfigFile } from "../config/layers.ts";
import { UsageFault } from "../kit/fault.ts";
import type { World } from "./world.ts";

/** @throws {UsageFault} naming the file, and the line where it is not what it should be */
export async function readConfigFile(path: string, { disk }: Pick<World, "disk">): Promise<ConfigFile> {
  let text: string;
  try {
    text = await disk.readText(path);
  } catch (error) {
    throw new UsageFault(`Cannot read the configuration file ${path}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  return { path, value: /\.ya?ml$/i.test(path) ? await readYaml(text, path) : await readJsonc(text, path) };
}

/** A YAML text as plain values. @throws {UsageFault} naming file and line */
export async function readYaml(text: string, path: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text, { logLevel: "error" });
  } catch (error) {
    throw new UsageFault(`Cannot read ${path} as YAML: ${(error as Error).message}`, { cause: error });
  }
}

async function readJsonc(text: string, path: string): Promise<unknown> {
  const { parse, printParseErrorCode } = await import("jsonc");
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return value;
  const before = text.slice(0, first.offset).split("\n");
  throw new UsageFault(
    `Cannot read ${path}:${before.length}:${before.at(-1)!.length + 1} as JSON with comments: ` +
      `${printParseErrorCode(first.error)}.`,
  );
}
