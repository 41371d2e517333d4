import { parseArgs } from 'node:util';
import { closestWord } from '../agent/suggest.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import type { ProgramName } from '../run/dependencies.js';
import type { Terminal } from './terminal.js';

/** A flag as `node:util` reads it, with its help. */
export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly about: string;
  /** The default, where it is worth saying. */
  readonly shown?: string;
  readonly choices?: readonly string[];
  /** The value is a whole number from here upwards. */
  readonly least?: number;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The words of a command line, taken apart. */
export interface ParsedFlags {
  /** How the command is written: `agents show <agent>`. */
  readonly usage: string;
  readonly positionals: readonly string[];
  readonly help: boolean;
  /** Empty where the flag was not given. */
  string(name: string): string;
  int(name: string): number | undefined;
  bool(name: string): boolean;
}

const HELP: Flag = { type: 'boolean', short: 'h', about: 'Show this text' };

/**
 * Takes the words of a command apart. Throws an AxeError, with axe's words too (axe-behaviour §12,
 * usage errors; they are those of pflag, which axe uses), and with what to write instead.
 */
export function parseFlags(words: readonly string[], flags: Flags, usage: string): ParsedFlags {
  const known: Flags = { ...flags, help: HELP };
  const { tokens, positionals } = parseArgs({
    args: [...words],
    options: known,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const listed = `\`axe-action ${commandOf(usage)} --help\` lists the flags.`;
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, index, value } = token;
    const flag = Object.hasOwn(known, name) ? known[name] : undefined;
    if (flag === undefined && !rawName.startsWith('--')) {
      const word = words[index] ?? '';
      const rest = word.slice(word.indexOf(name));
      throw new AxeError(`unknown shorthand flag: '${name}' in -${rest}`, { remedy: listed });
    }
    if (flag === undefined) {
      const meant = closestWord(name, Object.keys(known));
      const remedy = meant === undefined ? listed : `Did you mean \`--${meant}\`?`;
      throw new AxeError(`unknown flag: --${name}`, { remedy });
    }
    values.set(
      name,
      checkedValue(name, flag, value ?? (flag.type === 'boolean' ? 'true' : undefined)),
    );
  }
  return {
    usage,
    positionals,
    help: values.get('help') === 'true',
    string: (name) => values.get(name) ?? '',
    int: (name) => (values.has(name) ? Number(values.get(name)) : undefined),
    bool: (name) => values.get(name) === 'true',
  };
}

/** The words by which a command is called: `agents show` of `agents show <agent>`. */
export function commandOf(usage: string): string {
  return usage.replace(/ [<[].*$/, '');
}

function checkedValue(name: string, flag: Flag, value: string | undefined): string {
  const { type, choices = [], least } = flag;
  if (value === undefined) {
    const example = least === undefined ? choices.join('|') || '<value>' : '<number>';
    throw new AxeError(`flag needs an argument: --${name}`, {
      remedy: `Write \`--${name} ${example}\`.`,
    });
  }
  const quoted = JSON.stringify(value);
  const refused = (why: string, remedy: string, axe = why) => {
    const what = `invalid argument ${quoted} for "--${name}" flag`;
    return new AxeError(`${what}${why}`, { remedy, axe: `${what}${axe}` });
  };
  if (type === 'boolean') {
    if (/^(?:1|t|true)$/i.test(value)) return 'true';
    if (/^(?:0|f|false)$/i.test(value)) return 'false';
    throw refused(
      ': it is neither true nor false',
      `Write \`--${name}\`, or \`--${name}=false\` to switch it off.`,
      `: strconv.ParseBool: parsing ${quoted}: invalid syntax`,
    );
  }
  if (least !== undefined) {
    const remedy = `Give a whole number from ${least} upwards, or leave the flag out.`;
    if (!/^[+-]?\d+$/.test(value) || !Number.isSafeInteger(Number(value))) {
      const axe = `: strconv.ParseInt: parsing ${quoted}: invalid syntax`;
      throw refused(': it is not a whole number', remedy, axe);
    }
    // axe takes any number: a limit of 0 seconds is over at once, and a negative count is read as
    // none.
    if (Number(value) < least) throw refused(`: it is less than ${least}`, remedy);
  }
  if (choices.length > 0 && value !== '' && !choices.includes(value))
    throw refused('', `Choose one of ${choices.map((one) => `\`${one}\``).join(', ')}.`);
  return value;
}

/**
 * Checks how many words there are next to the flags. Throws an AxeError that says how the command
 * is written.
 */
export function expectPositionals(flags: ParsedFlags, count: number): readonly string[] {
  if (flags.positionals.length === count) return flags.positionals;
  throw wrongCount(flags, `accepts ${count} arg(s), received ${flags.positionals.length}`);
}

/** For words next to the flags that are missing or too many; `axe` says it in axe's words. */
export function wrongCount(
  { positionals, usage }: ParsedFlags,
  axe: string,
  remedy?: string,
): AxeError {
  const [, name] = /[<[](\w+)[>\]]/.exec(usage) ?? [];
  const given =
    positionals.length === 0 ? 'none was given' : `${positionals.length} words were given`;
  const takes =
    name === undefined ? 'takes no more words' : `takes the name of one ${name}, and ${given}`;
  const message = `\`${commandOf(usage)}\` ${takes}`;
  return new AxeError(message, { axe, remedy: remedy ?? `Usage: \`axe-action ${usage}\`.` });
}

/** `owner/name` as `--repo` names it; undefined for nothing. Throws an AxeError. */
export function repositoryNamed(
  given: string,
  by = '`--repo`',
): { readonly owner: string; readonly name: string } | undefined {
  const [, owner, name] = /^([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]+)$/.exec(given) ?? [];
  if (owner !== undefined && name !== undefined) return { owner, name };
  if (given === '') return undefined;
  throw new AxeError(`${by} is "${given}"`, { remedy: 'Write it `owner/name`.' });
}

/** The `Flags:` part of a help text, aligned as cobra does. */
export function formatFlags(flags: Flags): string {
  const rows = Object.entries({ ...flags, help: HELP })
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { type, short, least, about, shown }]) => {
      const value = type === 'boolean' ? '' : least === undefined ? ' string' : ' int';
      return {
        left: `${short === undefined ? '    ' : `-${short}, `}--${name}${value}`,
        right: shown === undefined ? about : `${about} (default ${shown})`,
      };
    });
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}   ${right}`).join('\n');
}

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

/**
 * The help of the program, of a group of commands or of one command, under the name the program was
 * started by.
 */
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
    ...(examples.length === 0
      ? []
      : ['', 'Examples:', ...examples.map((line) => `  axe-action ${line}`)]),
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

/**
 * The command of a group by its word. Throws an AxeError in the words of axe, with the command that
 * may have been meant.
 */
export function findCommand({ usage: group, commands }: Group, word: string): Command | Group {
  const nameOf = ({ usage }: Command | Group) => commandOf(usage).split(' ').at(-1) ?? '';
  const found = commands.find((one) => nameOf(one) === word);
  if (found !== undefined) return found;
  const program = `axe-action ${group}`.trim();
  const meant = closestWord(word, commands.map(nameOf));
  const remedy =
    meant === undefined
      ? `\`${program} --help\` lists the commands.`
      : `Did you mean \`${program} ${meant}\`?`;
  const axe = `unknown command "${word}" for "${`axe ${group}`.trim()}"`;
  throw new AxeError(`unknown command "${word}" for "${program}"`, { remedy, axe });
}
