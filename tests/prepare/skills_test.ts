import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { parse } from "yaml";
import { UsageFault } from "../../src/kit/fault.ts";
import { type SkillFile, skillsRef } from "../../src/rows/skills.ts";
import { bytes, messageOf } from "../rows/_rows.ts";

const parseYaml = (text: string) => parse(text, { intAsBigInt: true });
const files = (texts: Record<string, string>): SkillFile[] =>
  Object.entries(texts).map(([path, text]) => ({ path, bytes: bytes(text) }));
const ref = (texts: Record<string, string>, folders?: string[]) =>
  skillsRef("my/skills", files(texts), { parseYaml, ...(folders && { folders }) });
const md = (frontMatter: string) => ({ "s/SKILL.md": `---\n${frontMatter}\n---\ntext` });

for (
  const [frontMatter, want] of [
    ["name: a", { name: "a", description: null, version: null }],
    ["name: a\ndescription: Does a.", { name: "a", description: "Does a.", version: null }],
    ["name: a\ndescription:", { name: "a", description: null, version: null }],
    ["name: a\nmetadata: {version: '1.0'}", { name: "a", description: null, version: "1.0" }],
    ["name: a\nmetadata: {version: 1.20}", { name: "a", description: null, version: "1.2" }],
    ["name: a\nmetadata: {version: 2.0}", { name: "a", description: null, version: "2.0" }],
    ["name: a\nmetadata: {version: 2}", { name: "a", description: null, version: "2" }],
    ["name: a\nmetadata: {version: true}", { name: "a", description: null, version: "True" }],
    ["name: a\nmetadata: {version: null}", { name: "a", description: null, version: null }],
    ["name: a\nmetadata: text\nversion: 3", { name: "a", description: null, version: null }],
    ["name: 12", { name: "12", description: null, version: null }],
  ] as const
) {
  Deno.test(`skillsRef() reads ${JSON.stringify(frontMatter)}`, () => {
    assert.deepEqual(ref(md(frontMatter)).skills, [want]);
  });
}

for (
  const [what, text] of [
    ["a byte-order mark", "\ufeff---\nname: a\n---"],
    ["CRLF", "---\r\nname: a\r\n---\r\n"],
    ["blanks after the dashes", "---  \nname: a\n --- \nname: b"],
  ] as const
) {
  Deno.test(`skillsRef() reads front matter with ${what}`, () => {
    assert.equal(ref({ "s/SKILL.md": text }).skills[0]!.name, "a");
  });
}

Deno.test("skillsRef() hashes every file in the order of its path, part by part and in code points", () => {
  const skill = "---\nname: x\n---\n";
  const texts = {
    "a-b/SKILL.md": skill,
    "a/\u{10000}.txt": "astral",
    "a/\uffff.txt": "last of the plane",
    "a/SKILL.md": skill,
    "a/sub/x": "deep",
    "loose.txt": "loose",
  };
  const order = [
    "a/SKILL.md",
    "a/sub/x",
    "a/\uffff.txt",
    "a/\u{10000}.txt",
    "a-b/SKILL.md",
    "loose.txt",
  ] as const;
  const hash = createHash("sha256");
  for (const path of order) hash.update(`${path}\0${texts[path]}\0`);
  const got = ref(texts);
  assert.equal(got.hash, hash.digest("hex").slice(0, 12));
  assert.equal(got.path, "my/skills");
  assert.equal(got.skills.length, 2);
});

for (
  const [what, texts, folders, words] of [
    ["no folder", { "loose.txt": "" }, [], ["No skills in my/skills"]],
    ["nothing", {}, undefined, ["No skills"]],
    ["a folder without SKILL.md", { ...md("name: a"), "t/x": "" }, undefined, ["my/skills/t/SKILL.md"]],
    ["a hidden one", { ...md("name: a"), ".git/config": "" }, undefined, [".git/SKILL.md"]],
    ["an empty one", md("name: a"), ["empty", "s"], ["empty/SKILL.md"]],
    ["a SKILL.md that is deeper", { "t/u/SKILL.md": "" }, undefined, ["t/SKILL.md"]],
    ["no front matter", { "s/SKILL.md": "# Title" }, undefined, ["s/SKILL.md", "---"]],
    ["an empty SKILL.md", { "s/SKILL.md": "" }, undefined, ["s/SKILL.md", "---"]],
    ["front matter without an end", { "s/SKILL.md": "---\nname: a\n" }, undefined, ["no closing line"]],
    ["front matter that is not YAML", md("name: [a"), undefined, ["not YAML"]],
    ["front matter that is not a mapping", md("- a"), undefined, ["mapping"]],
    ["no name", md("description: x"), undefined, ["no name"]],
    ["an empty name", md("name: ''"), undefined, ["no name"]],
    ["a description that is not a string", md("name: a\ndescription: [x]"), undefined, ["description"]],
    ["several of them", { "a/x": "", "b/SKILL.md": "" }, undefined, ["a/SKILL.md", "b/SKILL.md"]],
  ] as [string, Record<string, string>, string[] | undefined, string[]][]
) {
  Deno.test(`skillsRef() refuses ${what}`, () => {
    assert.throws(() => ref(texts, folders), UsageFault);
    const message = messageOf(() => ref(texts, folders));
    for (const word of words) assert.ok(message.includes(word), message);
  });
}
