/** What is exported, as plain numbers and texts by name. */

/** A number, or a text for what has none. */
export type Exported = Readonly<Record<string, number | string>>;

/** A value that may be nested, as JSON has them. */
type Json = unknown;

/** The leaves of a configuration by dotted name, `a.b[0]`, as texts; as Python writes them, like Gym's. */
export function flattened(value: Json, prefix = ""): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item, k) => flattened(item, `${prefix}[${k}]`));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) =>
      flattened(inner, prefix ? `${prefix}.${name}` : name)
    );
  }
  return prefix === "" ? [] : [[prefix, textOf(value)]];
}

function textOf(value: Json): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  return value === false ? "False" : String(value);
}

/**
 * The metrics of a metrics file: `{agent}/{metric}` and `key_metrics/{agent}/{metric}` of every entry. Numbers stay
 * numbers, true and false are 1 and 0, texts stay texts; null and what is nested is left out.
 *
 * @param entries the content of the file; anything in it may be anything
 */
export function metricsOf(entries: Json): Exported {
  const all = new Map<string, number | string>();
  const take = (prefix: string, metrics: Json) => {
    if (!isMap(metrics)) return;
    for (const [name, value] of Object.entries(metrics)) {
      if (typeof value === "number" || typeof value === "string") all.set(`${prefix}${name}`, value);
      else if (typeof value === "boolean") all.set(`${prefix}${name}`, Number(value));
    }
  };
  for (const entry of Array.isArray(entries) ? entries : []) {
    const agent = isMap(entry) && isMap(entry.agent_ref) ? entry.agent_ref.name : undefined;
    if (typeof agent !== "string") continue;
    take(`${agent}/`, entry.agent_metrics);
    take(`key_metrics/${agent}/`, entry.key_metrics);
  }
  return Object.fromEntries(all);
}

function isMap(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
