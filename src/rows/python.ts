/**
 * How Python writes JSON values: as text (`str`), inside other values (`repr`), and as JSON (`json.dumps`).
 * Gym is written in it, so prompts and `extra_body` have to look as Python would write them.
 */
import { LongText, NumberText, type Tree } from "./tree.ts";

/** `str(value)`: text as it is, everything else like {@link repr}. */
export function str(value: Tree): string {
  return typeof value === "string" ? value : repr(value);
}

/** `repr(value)`: `True`, `None`, `1e-07`, `[1, 'a']`, `{'k': 2.5}`. */
export function repr(value: Tree): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return quoted(value);
  if (value instanceof LongText) return quoted(value.text());
  if (value instanceof NumberText) return number(value.text);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  return `{${[...value].map(([name, item]) => `${quoted(name)}: ${repr(item)}`).join(", ")}}`;
}

/** `json.dumps(value)` with its defaults: `", "` and `": "` between things, everything beyond ASCII escaped. */
export function dumps(value: Tree): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return asciiJson(value);
  if (value instanceof LongText) return asciiJson(value.text());
  if (value instanceof NumberText) {
    // Python would write a number too large for it as `Infinity`, which is not JSON: its text stays.
    return Number.isFinite(Number(value.text)) ? number(value.text) : value.text;
  }
  if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
  return `{${[...value].map(([name, item]) => `${asciiJson(name)}: ${dumps(item)}`).join(", ")}}`;
}

/** A JSON number's text as Python writes the number read from it: whole numbers keep all digits. */
export function number(text: string): string {
  if (/^-?\d+$/.test(text)) return text === "-0" ? "0" : text;
  return float(Number(text));
}

/** `repr` of a float: the shortest digits that read back the same, with an exponent below 1e-04 and from 1e+16. */
export function float(n: number): string {
  if (Number.isNaN(n)) return "nan";
  const sign = n < 0 || Object.is(n, -0) ? "-" : "";
  if (!Number.isFinite(n)) return `${sign}inf`;
  const [mantissa, exponentText] = Math.abs(n).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", ""), exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    return `${sign}${mantissa}e${power}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** Characters that Python does not print as they are: controls, formats, unassigned ones, and space but " ". */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = quote;
  for (const c of text) {
    if (c === quote || c === "\\") out += `\\${c}`;
    else if (c === "\n") out += "\\n";
    else if (c === "\r") out += "\\r";
    else if (c === "\t") out += "\\t";
    else if (c !== " " && UNPRINTABLE.test(c)) out += escaped(c.codePointAt(0)!);
    else out += c;
  }
  return out + quote;
}

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
