import { typedCommands, type Words, wordsOfValue } from './completion-words.js';
import type { Flag } from './flags.js';
import { type CommandHelp, type CommandNode, commandName } from './help.js';

/** The script for fish 3 and later. */
export function formatFish(nodes: readonly CommandNode[]): string {
  const groups = nodes.filter(({ commands }) => commands.length > 0);
  return [
    '# Completion of axe-action for fish, made by `axe-action completion fish`.',
    '',
    '# Whether these are the first words of the command line.',
    'function __axe_action_in',
    '    set -l typed (commandline -opc)',
    '    set -l last (math (count $argv) + 1)',
    '    test (count $typed) -ge $last; or return 1',
    '    test (count $argv) -eq 0; and return 0',
    '    test "$typed[2..$last]" = "$argv"',
    'end',
    '',
    '# The same, and the next word is the one that is typed.',
    'function __axe_action_after',
    '    set -l typed (commandline -opc)',
    '    test (count $typed) -eq (math (count $argv) + 1); and __axe_action_in $argv',
    'end',
    '',
    'function __axe_action_agents',
    "    axe-action agents list 2>/dev/null | string replace -r ' - .*' ''",
    'end',
    '',
    'complete -c axe-action -f',
    ...nodes.map(({ help }) => commandLine(help, '')),
    ...groups.flatMap(({ help, commands }) =>
      commands.map((command) => commandLine(command, commandName(help))),
    ),
    ...typedCommands(nodes).flatMap(({ path, flags, words }) => {
      const rest = offered(words);
      return [
        ...flags.map((flag) => flagLine(flag, path)),
        ...(rest === '' ? [] : [`complete -c axe-action -n ${quoted(`__axe_action_in ${path}`)}${rest}`]),
      ];
    }),
  ].join('\n');
}

function commandLine(command: CommandHelp, group: string): string {
  const when = quoted(`__axe_action_after ${group}`.trim());
  return `complete -c axe-action -n ${when} -a ${commandName(command, group)} -d ${quoted(command.short)}`;
}

function flagLine(flag: Flag, path: string): string {
  const when = quoted(`__axe_action_in ${path}`);
  const short = flag.short === undefined ? '' : ` -s ${flag.short}`;
  const words = wordsOfValue(flag);
  // `-x` offers no files besides the values.
  const value = flag.kind === 'bool' ? '' : ` ${words.kind === 'files' ? '-r' : '-x'}${offered(words)}`;
  return `complete -c axe-action -n ${when} -l ${flag.name}${short}${value} -d ${quoted(flag.about)}`;
}

function offered(words: Words): string {
  switch (words.kind) {
    case 'none':
      return '';
    case 'agents':
      return " -a '(__axe_action_agents)'";
    case 'choices':
      return ` -a ${quoted(words.values.join(' '))}`;
    case 'files':
      return ' -F';
    case 'folders':
      return " -a '(__fish_complete_directories)'";
  }
}

/** In single quotes of fish, `\` and `'` are escaped. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
