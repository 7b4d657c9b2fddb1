/** Completions for bash 3.2 and later. */
import type { CommandWords, Kind } from "./tree.ts";

/** The script, to be evaluated. */
export function bashCompletions([program, ...commands]: readonly [CommandWords, ...CommandWords[]]): string {
  const name = program.name;
  const values = commands.flatMap((command) =>
    command.flags.flatMap(({ names, value }) =>
      value
        ? [`    ${names.map((flag) => `"${command.name} ${flag}"`).join("|")}) ${offer(value)}; return ;;`]
        : []
    )
  );
  const words = commands.map((command) =>
    `    ${command.name}) case $cur in -*) ${offer(flagNames(command))} ;; *) ${
      offer(command.argument ?? [])
    } ;; esac ;;`
  );
  return `# bash completion for ${name}: eval "$(${name} completions bash)"
_${name}() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  # bash takes --flag=value for three words.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if (( COMP_CWORD == 1 )); then
    ${offer([...(program.argument as readonly string[]), ...flagNames(program)])}
    return
  fi
  case "\${COMP_WORDS[1]} $prev" in
${values.join("\n")}
  esac
  case \${COMP_WORDS[1]} in
${words.join("\n")}
  esac
}
complete -o default -F _${name} ${name}
`;
}

/** Offers what fits. Nothing to offer means files to bash, which is told otherwise where they do not belong. */
function offer(kind: Kind): string {
  switch (kind) {
    case "files":
      return ":";
    case "folders":
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur"))';
    case "value":
      return "compopt +o default 2>/dev/null";
    default:
      return `compopt +o default 2>/dev/null; COMPREPLY=($(compgen -W $'${kind.join("\\n")}' -- "$cur"))`;
  }
}

function flagNames({ flags }: CommandWords): string[] {
  return flags.flatMap(({ names }) => names);
}
