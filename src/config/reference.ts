/** The reference of all keys (docs/keys.md), from the table. `deno task docs` writes it; a test keeps it up to date. */
import { defaultOf } from "./flags.ts";
import type { Key } from "./key.ts";
import { keyOf, NAMES } from "./keys.ts";

const HEAD = `# Keys

Every configuration key. \`deno task docs\` generates this page from the table in \`src/config/keys.ts\`.

A key can be set in a configuration file (\`--config FILE\`, JSON with comments or YAML), by a flag, or by an override as in
Gym: \`+key=value\`, \`++key=value\`, \`key=value\`, \`~key\`. Overrides win over flags, flags over files, later ones over
earlier ones. A key with a flag can also be set by a flag of its own name: \`num_samples_in_parallel\` is \`-c\`,
\`--concurrency\` and \`--num-samples-in-parallel\`.

The names are NeMo Gym's. Keys marked with * are rollcall's own; Gym does not know them. \`plan\` takes the keys of
\`collect\`.
`;

/** The page, in Markdown. */
export function keysReference(): string {
  const groups = [...new Set(NAMES.map((name) => keyOf(name).group))];
  const tables = groups.map((group) => {
    const rows = NAMES.filter((name) => keyOf(name).group === group).map((name) => row(name, keyOf(name)));
    return `## ${group}\n\n| key | flags | type | default | commands | meaning |\n` +
      `| --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return [HEAD, ...tables].join("\n");
}

function row(name: string, key: Key): string {
  const cells = [
    `\`${name}\`${key.isGym === false ? " *" : ""}`,
    key.flags.map(({ spelling }) => `\`${spelling}\``).join("<br>"),
    key.type.words,
    key.type.default === undefined ? "required" : defaultOf(key),
    key.commands.join(", "),
    meaningOf(key),
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function meaningOf({ about, state, was, decides }: Key): string {
  return [
    about,
    decides && "a resume refuses another value",
    was !== undefined && `old name: \`${was}\``,
    state === "planned" && "**not available yet**",
    state === "inert" && "**accepted, no effect in this version**",
  ].filter(Boolean).join("; ");
}
