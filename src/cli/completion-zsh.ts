import { quoted, typedCommands, type Words, wordsOfValue } from './completion-words.js';
import type { Flag } from './flags.js';
import { type CommandHelp, type CommandNode, commandName } from './help.js';

/** The script for zsh; its first line lets `compinit` find it in a folder of `fpath`. */
export function formatZsh(nodes: readonly CommandNode[]): string {
  const groups = nodes.filter(({ commands }) => commands.length > 0);
  return [
    '#compdef axe-action',
    '# Completion of axe-action for zsh, made by `axe-action completion zsh`.',
    '',
    '_axe_action_agents() {',
    '  local -a agents',
    '  agents=(${(f)"$(axe-action agents list 2>/dev/null | sed \'s/ - .*//\')"})',
    '  compadd -a agents',
    '}',
    '',
    '_axe_action() {',
    '  local -a commands',
    '  local command="${words[2]}"',
    '  if (( CURRENT == 2 )); then',
    ...described(nodes.map(({ help }) => help)).map((line) => `    ${line}`),
    '    return',
    '  fi',
    '  case "$command" in',
    ...groups.flatMap(({ help, commands }) => {
      const group = commandName(help);
      return [
        `    ${group})`,
        '      if (( CURRENT == 3 )); then',
        ...described(commands, group).map((line) => `        ${line}`),
        '        return',
        '      fi',
        `      command="${group} \${words[3]}"`,
        '      shift words',
        '      (( CURRENT-- )) ;;',
      ];
    }),
    '  esac',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case "$command" in',
    ...typedCommands(nodes).flatMap(({ path, flags, words }) => {
      const rest = action(words);
      const specs = [...flags.map(flagSpec), ...(rest === '' ? [] : [quoted(`*:${words.kind}:${rest}`)])];
      return [
        `    "${path}")`,
        `      _arguments \\\n${specs.map((spec) => `        ${spec}`).join(' \\\n')} ;;`,
      ];
    }),
    '  esac',
    '}',
    '',
    '# Read by `compinit` the file is the function; read by `source` it has to be registered.',
    'if [ "$funcstack[1]" = "_axe-action" ]; then _axe_action "$@"; else compdef _axe_action axe-action; fi',
  ].join('\n');
}

function described(commands: readonly CommandHelp[], group = ''): readonly string[] {
  const rows = commands.map((one) => `  ${quoted(`${commandName(one, group)}:${one.short}`)}`);
  return ['commands=(', ...rows, ')', "_describe 'command' commands"];
}

/** `--model=[Override the model]:model:` takes its value after `=` and as a word of its own. */
function flagSpec(flag: Flag): string {
  const about = flag.about.replace(/[[\]:\\]/g, '\\$&');
  if (flag.kind === 'bool') return quoted(`--${flag.name}[${about}]`);
  return quoted(`--${flag.name}=[${about}]:${flag.name}:${action(wordsOfValue(flag)) || ' '}`);
}

function action(words: Words): string {
  switch (words.kind) {
    case 'none':
      return '';
    case 'agents':
      return '_axe_action_agents';
    case 'choices':
      return `(${words.values.join(' ')})`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
  }
}
