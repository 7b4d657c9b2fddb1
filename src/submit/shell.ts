/** Words of a POSIX shell. */

/** A word as a shell reads it back: quoted only where that is needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command, two spaces deep and a flag with its value a line where it is long. */
export function commandLines(words: readonly string[]): string {
  const all = words.map(shellWord), short = all.join(" ");
  if (short.length <= 100 && !short.includes("\n")) return short;
  const lines: string[] = [];
  for (const word of all) {
    const last = lines.at(-1);
    if (last === undefined || (word.startsWith("-") && lines.length + last.length > 1)) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(" \\\n  ");
}
