import { nearest } from '../agent/suggest.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import type { ProgramName } from '../run/dependencies.js';
import { commandOf, type Flags, formatFlags, type ParsedFlags } from './flags.js';
import type { Terminal } from './terminal.js';

export interface Command {
  /** As it is typed: `run <agent>`. */
  readonly usage: string;
  /** One line in a list of commands. */
  readonly short: string;
  /** The first paragraph of its own help. */
  readonly long: string;
  readonly flags: Flags;
  /** Command lines that work as they are, but for names; without the name of the program. */
  readonly examples?: readonly string[];
  /** Throws an AxeError. */
  run(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode>;
}

/** Commands under one word, such as `agents`. */
export interface Group {
  readonly usage: string;
  readonly short: string;
  readonly long: string;
  readonly commands: readonly (Command | Group)[];
}

/** The help of the program, of a group of commands or of one command, under the name the program was started by. */
export function formatHelp(node: Command | Group, program: ProgramName): string {
  const help = 'commands' in node ? formatGroupHelp(node) : formatCommandHelp(node);
  return help.replaceAll('axe-action', program);
}

function formatCommandHelp(node: Command): string {
  const { usage, long, flags, examples = [] } = node;
  return [
    long,
    '',
    'Usage:',
    `  axe-action ${usage}`,
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((line) => `  axe-action ${line}`)]),
    '',
    'Flags:',
    formatFlags(flags),
  ].join('\n');
}

function formatGroupHelp({ usage, long, commands }: Group): string {
  const prefix = usage === '' ? '' : `${usage} `;
  const rows = commands.map((one) => ({ left: one.usage.slice(prefix.length), short: one.short }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return [
    long,
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

/** The command of a group by its word. Throws an AxeError in the words of axe, with the command that may have been meant. */
export function findCommand({ usage: group, commands }: Group, word: string): Command | Group {
  const nameOf = ({ usage }: Command | Group) => commandOf(usage).split(' ').at(-1) ?? '';
  const found = commands.find((one) => nameOf(one) === word);
  if (found !== undefined) return found;
  const program = `axe-action ${group}`.trim();
  const meant = nearest(word, commands.map(nameOf));
  const remedy =
    meant === undefined
      ? `\`${program} --help\` lists the commands.`
      : `Did you mean \`${program} ${meant}\`?`;
  const axe = `unknown command "${word}" for "${`axe ${group}`.trim()}"`;
  throw new AxeError(`unknown command "${word}" for "${program}"`, { remedy, axe });
}
