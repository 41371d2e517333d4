import { nearest } from '../agent/suggest.js';
import { AxeError } from '../lib/errors.js';
import { type Flag, formatFlags, type ParsedFlags, parseFlags, unknownFlag } from './flags.js';
import { print, type Terminal } from './terminal.js';

export interface CommandHelp {
  /** As it is typed: `run <agent>`. */
  readonly usage: string;
  /** One line in a list of commands. */
  readonly short: string;
  /** The first paragraph of its own help. */
  readonly long: string;
  readonly flags: readonly Flag[];
  /** Command lines that work as they are, but for names; without the name of the program. */
  readonly examples?: readonly string[];
}

export interface CommandNode {
  readonly help: CommandHelp;
  /** Of a group, such as `agents`: its commands. */
  readonly commands: readonly CommandHelp[];
}

function formatCommandHelp({ usage, long, flags, examples = [] }: CommandHelp): string {
  const shown = examples.map((line) => `  axe-action ${line}`);
  return [
    long,
    '',
    'Usage:',
    `  axe-action ${usage}`,
    ...(shown.length === 0 ? [] : ['', 'Examples:', ...shown]),
    '',
    'Flags:',
    formatFlags(flags),
  ].join('\n');
}

/** Help of the program, or of a group of commands such as `agents`. */
export function formatGroupHelp(about: string, prefix: string, commands: readonly CommandHelp[]): string {
  const rows = commands.map(({ usage, short }) => ({ left: usage.slice(prefix.length).trim(), short }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return [
    about,
    '',
    'Usage:',
    `  axe-action ${prefix}[command]`,
    '',
    'Commands:',
    ...rows.map(({ left, short }) => `  ${left.padEnd(width)}   ${short}`),
    '',
    `Use "axe-action ${prefix}[command] --help" for more about a command.`,
  ].join('\n');
}

/** The flags of a command; undefined where its help was asked for, which is then shown. Throws an AxeError. */
export function readFlags(
  words: readonly string[],
  command: CommandHelp,
  terminal: Terminal,
): ParsedFlags | undefined {
  const flags = parseFlags(words, command);
  if (!flags.help) return flags;
  print(terminal, formatCommandHelp(command));
  return undefined;
}

/**
 * The command of a group such as `agents`, with its flags; undefined where help was asked for, which is then shown. Throws
 * an AxeError for a word that is none of its own.
 */
export function readGroup(
  [word = '', ...words]: readonly string[],
  { help, commands }: CommandNode,
  terminal: Terminal,
): { readonly name: string; readonly flags: ParsedFlags } | undefined {
  const { usage, long } = help;
  const command = commands.find((one) => commandName(one, usage) === word);
  if (command !== undefined) {
    const flags = readFlags(words, command, terminal);
    return flags && { name: word, flags };
  }
  if (!['', '--help', '-h', 'help'].includes(word)) {
    if (!word.startsWith('-')) throw unknownCommand(word, usage, commands);
    const remedy = `Flags follow their command. \`axe-action ${usage} --help\` lists the commands.`;
    throw unknownFlag(word.replace(/^--?/, ''), [{ name: 'help' }], remedy);
  }
  print(terminal, formatGroupHelp(long, `${usage} `, commands));
  return undefined;
}

/** The word by which a command is called in its group: `show` of `agents show <agent>`. */
export function commandName({ usage }: CommandHelp, group = ''): string {
  return usage.slice(group.length).trim().split(' ')[0] ?? '';
}

/** The help of a command by its words, such as `memory forget`. Throws an AxeError for a command that does not exist. */
export function findHelp(words: readonly string[], nodes: readonly CommandNode[]): string {
  const [name = '', inner] = words;
  const node = nodes.find(({ help }) => commandName(help) === name);
  if (node === undefined) {
    throw unknownCommand(
      name,
      '',
      nodes.map(({ help }) => help),
    );
  }
  const { help, commands } = node;
  if (commands.length === 0) return formatCommandHelp(help);
  if (inner === undefined) return formatGroupHelp(help.long, `${name} `, commands);
  const command = commands.find((one) => commandName(one, name) === inner);
  if (command === undefined) throw unknownCommand(inner, name, commands);
  return formatCommandHelp(command);
}

/** In the words of axe, with the command that may have been meant. */
export function unknownCommand(word: string, group: string, commands: readonly CommandHelp[]): AxeError {
  const program = group === '' ? 'axe-action' : `axe-action ${group}`;
  const meant = nearest(
    word,
    commands.map((command) => commandName(command, group)),
  );
  const remedy =
    meant === undefined
      ? `\`${program} --help\` lists the commands.`
      : `Did you mean \`${program} ${meant}\`?`;
  return new AxeError(`unknown command "${word}" for "${program}"`, { remedy });
}
