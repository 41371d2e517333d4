import { type Typed, typedCommands, type Words, wordsOfValue } from './completion-words.js';
import { type CommandNode, commandName } from './help.js';

/** The script for bash 3.2 and later; it needs nothing but bash. */
export function formatBash(nodes: readonly CommandNode[]): string {
  const names = nodes.map(({ help }) => commandName(help));
  const groups = nodes.filter(({ commands }) => commands.length > 0);
  const typed = typedCommands(nodes);
  return [
    '# Completion of axe-action for bash, made by `axe-action completion bash`.',
    '_axe_action() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"',
    '  local command="${COMP_WORDS[1]}" words=""',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${names.join(' ')} --help --version" -- "$cur"))`,
    '    return',
    '  fi',
    '  case "$command" in',
    ...groups.flatMap(({ help, commands }) => {
      const group = commandName(help);
      const inner = commands.map((one) => commandName(one, group)).join(' ');
      return [
        `    ${group})`,
        '      if [ "$COMP_CWORD" -eq 2 ]; then',
        `        COMPREPLY=($(compgen -W "${inner} --help" -- "$cur"))`,
        '        return',
        '      fi',
        `      command="${group} \${COMP_WORDS[2]}" ;;`,
      ];
    }),
    '  esac',
    '  # bash splits words at `=`.',
    '  if [ "$cur" = "=" ]; then cur=""',
    '  elif [ "$prev" = "=" ]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi',
    '  case "$command $prev" in',
    ...typed.flatMap(valueCases),
    '  esac',
    '  case "$cur" in',
    '    -*)',
    '      case "$command" in',
    ...typed.map(
      ({ path, flags }) =>
        `        ${quotedPath(path)}) words="${flags.map(({ name }) => `--${name}`).join(' ')}" ;;`,
    ),
    '      esac ;;',
    '    *)',
    '      case "$command" in',
    ...typed.flatMap(({ path, words }) => {
      const offer = offered(words);
      return offer === undefined ? [] : [`        ${quotedPath(path)}) ${offer}; return ;;`];
    }),
    '      esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -F _axe_action axe-action',
  ].join('\n');
}

/** After a flag that has a value, its values alone are offered. */
function valueCases({ path, flags }: Typed): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.kind === 'bool') return [];
    const offer = offered(wordsOfValue(flag)) ?? ':';
    return [`    "${path} --${flag.name}") ${offer}; return ;;`];
  });
}

function offered(words: Words): string | undefined {
  switch (words.kind) {
    case 'none':
      return undefined;
    case 'agents':
      return 'COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" agents list 2>/dev/null | sed \'s/ - .*//\')" -- "$cur"))';
    case 'choices':
      return `COMPREPLY=($(compgen -W "${words.values.join(' ')}" -- "$cur"))`;
    case 'files':
      return 'COMPREPLY=($(compgen -f -- "$cur"))';
    case 'folders':
      return 'COMPREPLY=($(compgen -d -- "$cur"))';
  }
}

function quotedPath(path: string): string {
  return path.includes(' ') ? `"${path}"` : path;
}
