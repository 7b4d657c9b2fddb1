/** The reference of what `--json` prints (docs/json.md), out of the schemas. `deno task docs` writes it, a test holds it current. */
import { z } from "zod";
import { filterSchema, profileSchema } from "./profile_schema.ts";
import {
  aggregateSchema,
  collectSchema,
  compareSchema,
  doctorSchema,
  explainSchema,
  failuresSchema,
  healthSchema,
  planSchema,
  showSchema,
  statusSchema,
} from "./schemas.ts";

const HEAD = `# What --json prints

\`deno task docs\` makes this page from \`src/report/schemas.ts\`.

With \`--json\` a command prints its result on standard output; everything else goes to standard error. All keys are in
snake_case, and all of them are always there unless "may be missing" stands there. Keys may be added in later versions;
none goes or changes its meaning. Counts are of rollouts unless another word stands there.

A key such as \`coverage.shards.all\` is \`all\` in the object \`shards\` in the object \`coverage\`; \`live[].name\` is
\`name\` in each object of the list \`live\`; \`NAME\` stands for any name.
`;

const PAGES = [
  [
    "rollcall collect",
    collectSchema,
    "One object when the run is over. When nothing was sent (exit code 2, or a signal before the first request) there is none.",
  ],
  ["rollcall aggregate", aggregateSchema, "One object when it is over."],
  [
    "rollcall status",
    statusSchema,
    "One object a line for each output, in the order in which they were given; an output that cannot be read has none.",
  ],
  [
    "rollcall plan",
    planSchema,
    "One object, also of `rollcall collect --dry-run`. Passwords in addresses are masked.",
  ],
  ["rollcall failures", failuresSchema, "One object."],
  ["rollcall doctor", doctorSchema, "One object."],
  [
    "rollcall health",
    healthSchema,
    "One object: the content of `quality_summary.json`, whose form is Gym's.",
  ],
  ["rollcall health --explain", explainSchema, "One object."],
  ["rollcall compare", compareSchema, "One object."],
  ["rollcall profile", profileSchema, "One object; the list of tasks comes last, a task on each line."],
  ["rollcall filter", filterSchema, "One object when the lines are written."],
  ["rollcall show", showSchema, "One object a line for each rollout or attempt that is shown."],
] as const;

/** The page, in Markdown. */
export function jsonReference(): string {
  const parts = PAGES.map(([name, schema, about]) => {
    const rows = rowsOf(z.toJSONSchema(schema) as Schema, "").map((cells) => `| ${cells.join(" | ")} |`);
    return `## ${name}\n\n${about}\n\n| key | type | meaning |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return [HEAD, ...parts].join("\n");
}

/** What is used of a JSON schema. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** A row for each key of an object, and for those of the objects in it. */
function rowsOf({ properties = {}, required = [] }: Schema, before: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const key = before + name;
    const meaning = (schema.description ?? "") + (required.includes(name) ? "" : "; may be missing");
    return [[`\`${key}\``, typeOf(schema), meaning], ...inside(schema, key)];
  });
}

function inside(schema: Schema, key: string): string[][] {
  const { items, properties, additionalProperties } = withoutNull(schema);
  if (items) return inside(items, `${key}[]`);
  if (properties) return rowsOf(withoutNull(schema), `${key}.`);
  return typeof additionalProperties === "object" ? inside(additionalProperties, `${key}.NAME`) : [];
}

function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

function typeOf(schema: Schema): string {
  const { type: types = "any", enum: choices, items } = withoutNull(schema);
  const [type, ...more] = [types].flat();
  const orNull = schema.anyOf || more.length > 0 ? " or null" : "";
  if (choices) return choices.map((choice) => `"${choice}"`).join(", ") + orNull;
  if (type === "array") return `list${items?.type === "string" ? " of strings" : ""}${orNull}`;
  return (type === "integer" ? "whole number" : type!) + orNull;
}
