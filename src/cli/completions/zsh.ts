/** Completions for zsh. */
import type { CommandWords, FlagWords, Kind } from "./tree.ts";

/** The script: a file `_rollcall` in the path of functions, or to be evaluated once `compinit` has run. */
export function zshCompletions([program, ...commands]: readonly [CommandWords, ...CommandWords[]]): string {
  const { name } = program;
  const described = commands.map(({ name, about }) => `      ${quoted(`${name}:${about}`)}`);
  const cases = commands.map(({ name, flags, argument }) => {
    const specs = [...flags.map(flagSpec), ...(argument ? [quoted(`*:${action(argument)}`)] : [])];
    return `      ${name}) _arguments -s ${specs.join(" \\\n        ")} ;;`;
  });
  return `#compdef ${name}
# zsh completion for ${name}: source <(${name} completions zsh)
_${name}() {
  local state line
  _arguments -C ${program.flags.map(flagSpec).join(" ")} '1: :->command' '*:: :->words'
  case $state in
    command)
      local -a commands=(
${described.join("\n")}
      )
      _describe command commands ;;
    words) case $line[1] in
${cases.join("\n")}
    esac ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function flagSpec({ names, about, value }: FlagWords): string {
  const what = `[${about.replace(/[\\[\]:]/g, "\\$&")}]${value ? `:${action(value)}` : ""}`;
  return names.map((name) => quoted(`*${name}${value && name.startsWith("--") ? "=" : ""}${what}`)).join(" ");
}

function action(kind: Kind): string {
  switch (kind) {
    case "files":
      return "file:_files";
    case "folders":
      return "folder:_files -/";
    case "value":
      return "value: ";
    default:
      return `word:(${kind.join(" ")})`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
