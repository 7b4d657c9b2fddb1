/** Numbers that are written as they were typed: 1.0 is a float in Python, and stays 1.0 on the wire. */

/** JSON text in place of a number that JavaScript would write otherwise; `JSON.stringify` writes it as it is. */
export interface RawJson {
  readonly rawJSON: string;
}

const json = JSON as unknown as { rawJSON(text: string): RawJson; isRawJSON(value: unknown): boolean };

/** The number that `text` spells; a whole number spelled as a float stays a float. */
export function exactNumber(text: string, number: number): number | RawJson {
  if (!Number.isInteger(number)) return number;
  if (/^[-+]?[\d_]+$/.test(text.trim())) {
    return Number.isSafeInteger(number) ? number : json.rawJSON(String(BigInt(text.replaceAll("_", ""))));
  }
  const written = Object.is(number, -0) ? "-0.0" : String(number);
  return json.rawJSON(/[.e]/.test(written) ? written : `${written}.0`);
}

/** Whether a value came from {@link exactNumber} as JSON text. */
export function isExact(value: unknown): boolean {
  return json.isRawJSON(value);
}
