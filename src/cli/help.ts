import { type Flag, formatFlags } from './flags.js';

/** A command or sub-command, as help shows it. */
export interface CommandHelp {
  /** As it is typed: `run <agent>`. */
  readonly usage: string;
  /** One line in a list of commands. */
  readonly short: string;
  /** The first paragraph of its own help. */
  readonly long: string;
  readonly flags: readonly Flag[];
}

/** Help of one command. */
export function formatCommandHelp({ usage, long, flags }: CommandHelp): string {
  return [long, '', 'Usage:', `  axe-action ${usage}`, '', 'Flags:', formatFlags(flags)].join('\n');
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
