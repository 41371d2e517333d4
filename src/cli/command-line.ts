import { parseArgs } from 'node:util';
import { closestWord } from '../agent/suggest.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import type { ProgramName } from '../run/dependencies.js';
import type { Terminal } from './terminal.js';

/** A flag as `parseArgs` of `node:util` takes it, with its help. */
export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly about: string;
  /** The default, if the help should show it. */
  readonly shown?: string;
  readonly choices?: readonly string[];
  /** The value is a whole number, and at least this one. */
  readonly least?: number;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The words of a command line, parsed. */
export interface ParsedFlags {
  /** The command with its arguments: `agents show <agent>`. */
  readonly usage: string;
  readonly positionals: readonly string[];
  readonly help: boolean;
  /** Empty if the flag is not given. */
  string(name: string): string;
  int(name: string): number | undefined;
  bool(name: string): boolean;
}

const HELP: Flag = { type: 'boolean', short: 'h', about: 'Show this text' };

/**
 * Parses the words of a command. Throws an AxeError that says what to write instead, and that also
 * has axe's message, which comes from the library pflag.
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
  const helpHint = `\`axe-action ${commandOf(usage)} --help\` lists the flags.`;
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, index, value } = token;
    const flag = Object.hasOwn(known, name) ? known[name] : undefined;
    if (flag === undefined && !rawName.startsWith('--')) {
      const word = words[index] ?? '';
      const rest = word.slice(word.indexOf(name));
      throw new AxeError(`unknown shorthand flag: '${name}' in -${rest}`, { remedy: helpHint });
    }
    if (flag === undefined) {
      const suggestion = closestWord(name, Object.keys(known));
      const remedy = suggestion === undefined ? helpHint : `Did you mean \`--${suggestion}\`?`;
      throw new AxeError(`unknown flag: --${name}`, { remedy });
    }
    const valueIfLeftOut = flag.type === 'boolean' ? 'true' : undefined;
    values.set(name, checkedValue(name, flag, value ?? valueIfLeftOut));
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

/** The name of a command without its arguments: `agents show` for `agents show <agent>`. */
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
  const refused = (reason: string, remedy: string, axeReason = reason) => {
    const message = `invalid argument ${quoted} for "--${name}" flag`;
    return new AxeError(`${message}${reason}`, { remedy, axe: `${message}${axeReason}` });
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
    // axe accepts any number: with it, 0 seconds end a run at once, and a negative count means none.
    if (Number(value) < least) throw refused(`: it is less than ${least}`, remedy);
  }

  if (choices.length > 0 && value !== '' && !choices.includes(value))
    throw refused('', `Choose one of ${choices.map((choice) => `\`${choice}\``).join(', ')}.`);
  return value;
}

/** Throws an AxeError with the usage of the command unless it has so many positional words. */
export function expectPositionals(flags: ParsedFlags, count: number): readonly string[] {
  if (flags.positionals.length === count) return flags.positionals;
  throw wrongCount(flags, `accepts ${count} arg(s), received ${flags.positionals.length}`);
}

/** The error for missing or superfluous positional words; `axe` is axe's message. */
export function wrongCount(
  { positionals, usage }: ParsedFlags,
  axe: string,
  remedy?: string,
): AxeError {
  const [, name] = /[<[](\w+)[>\]]/.exec(usage) ?? [];
  const count =
    positionals.length === 0 ? 'none was given' : `${positionals.length} words were given`;
  const rule =
    name === undefined ? 'takes no more words' : `takes the name of one ${name}, and ${count}`;
  const message = `\`${commandOf(usage)}\` ${rule}`;
  return new AxeError(message, { axe, remedy: remedy ?? `Usage: \`axe-action ${usage}\`.` });
}

/** Parses `owner/name`; undefined for an empty text. Throws an AxeError that names the source. */
export function repositoryNamed(
  text: string,
  source = '`--repo`',
): { readonly owner: string; readonly name: string } | undefined {
  const [, owner, name] = /^([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]+)$/.exec(text) ?? [];
  if (owner !== undefined && name !== undefined) return { owner, name };
  if (text === '') return undefined;
  throw new AxeError(`${source} is "${text}"`, { remedy: 'Write it `owner/name`.' });
}

/** The `Flags:` part of a help text, aligned as cobra does. @internal */
export function formatFlags(flags: Flags): string {
  const rows = Object.entries({ ...flags, help: HELP })
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { type, short, least, about, shown }]) => {
      const valueType = least === undefined ? ' string' : ' int';
      const shortFlag = short === undefined ? '    ' : `-${short}, `;
      return {
        left: `${shortFlag}--${name}${type === 'boolean' ? '' : valueType}`,
        right: shown === undefined ? about : `${about} (default ${shown})`,
      };
    });
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}   ${right}`).join('\n');
}

export interface Command {
  /** As it is typed: `run <agent>`. */
  readonly usage: string;
  /** The command's line in a list of commands. */
  readonly short: string;
  /** The first paragraph of its own help. */
  readonly long: string;
  readonly flags: Flags;
  /** Command lines that work apart from their names; without the name of the program. */
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

/** The help of the program, a group or a command; `program` is the name it was started under. */
export function formatHelp(node: Command | Group, program: ProgramName): string {
  const help = 'commands' in node ? formatGroupHelp(node) : formatCommandHelp(node);
  return help.replaceAll('axe-action', program);
}

function formatCommandHelp(node: Command): string {
  const { usage, long, flags, examples = [] } = node;
  const exampleLines = examples.map((line) => `  axe-action ${line}`);
  return [
    long,
    '',
    'Usage:',
    `  axe-action ${usage}`,
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...exampleLines]),
    '',
    'Flags:',
    formatFlags(flags),
  ].join('\n');
}

function formatGroupHelp({ usage, long, commands }: Group): string {
  const prefix = usage === '' ? '' : `${usage} `;
  const rows = commands.map((command) => ({
    left: command.usage.slice(prefix.length),
    short: command.short,
  }));
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

/** Finds a command of a group by its word. Throws an AxeError that suggests a similar command. */
export function findCommand({ usage: group, commands }: Group, word: string): Command | Group {
  const nameOf = ({ usage }: Command | Group) => commandOf(usage).split(' ').at(-1) ?? '';
  const command = commands.find((candidate) => nameOf(candidate) === word);
  if (command !== undefined) return command;

  const program = `axe-action ${group}`.trim();
  const suggestion = closestWord(word, commands.map(nameOf));
  const remedy =
    suggestion === undefined
      ? `\`${program} --help\` lists the commands.`
      : `Did you mean \`${program} ${suggestion}\`?`;
  const axe = `unknown command "${word}" for "${`axe ${group}`.trim()}"`;
  throw new AxeError(`unknown command "${word}" for "${program}"`, { remedy, axe });
}
