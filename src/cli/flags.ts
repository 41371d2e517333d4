import { nearest } from '../agent/suggest.js';
import { AxeError } from '../lib/errors.js';

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: 'string' | 'int' | 'bool';
  /** Of an `int`: the smallest value that means something; 0 if left out. */
  readonly min?: number;
  /** For `help`: what it does. */
  readonly about: string;
  /** For `help`: the default, where it is worth saying. */
  readonly shown?: string;
  /** The values there are, for the remedy of one that is missing. */
  readonly choices?: readonly string[];
}

/** The words of a command line, taken apart. */
export interface ParsedFlags {
  /** How the command is written. */
  readonly usage: string;
  readonly positionals: readonly string[];
  readonly help: boolean;
  /** Empty where the flag was not given. */
  string(name: string): string;
  int(name: string): number | undefined;
  bool(name: string): boolean;
}

/**
 * Takes the words of a command apart. Throws an AxeError with axe's words (axe-behaviour §12, usage errors; the rules and
 * the other errors are those of pflag, which axe uses) and with what to write instead.
 */
export function parseFlags(
  words: readonly string[],
  { flags, usage }: { readonly flags: readonly Flag[]; readonly usage: string },
): ParsedFlags {
  const known = [...flags, HELP];
  const rest = [...words];
  const values = new Map<string, string>();
  const positionals: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') positionals.push(...rest.splice(0));
    else if (word.startsWith('--')) takeLong(word, { known, usage, rest, values });
    else if (word.startsWith('-') && word !== '-') takeShort(word, { known, usage, rest, values });
    else positionals.push(word);
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

const HELP: Flag = { name: 'help', short: 'h', kind: 'bool', about: 'Show this text' };

/** Where a flag is looked up, what its value may be taken from, and where it is put. */
interface Parsing {
  readonly known: readonly Flag[];
  /** How the command is written. */
  readonly usage: string;
  /** Words that follow; a flag that needs a value takes the first. */
  readonly rest: string[];
  readonly values: Map<string, string>;
}

/** `--name`, `--name=value`, `--name value`. */
function takeLong(word: string, { known, usage, rest, values }: Parsing): void {
  const [, name = '', given] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (name === '' || name.startsWith('-')) {
    throw new AxeError(`bad flag syntax: ${word}`, {
      remedy: 'Write a flag `--name`, `--name value` or `--name=value`.',
    });
  }
  const flag = known.find((candidate) => candidate.name === name);
  if (flag === undefined) throw unknownFlag(name, known, flagsHelp(usage));
  const value = given ?? (flag.kind === 'bool' ? 'true' : rest.shift());
  if (value === undefined)
    throw new AxeError(`flag needs an argument: --${name}`, { remedy: valueRemedy(flag) });
  values.set(name, checkedValue(flag, value));
}

/** In the words of axe, with the flag that may have been meant; `otherwise` says where the flags are listed. */
export function unknownFlag(name: string, known: readonly Pick<Flag, 'name'>[], otherwise: string): AxeError {
  const meant = nearest(
    name,
    known.map((flag) => flag.name),
  );
  return new AxeError(`unknown flag: --${name}`, { remedy: meantFlag(meant) ?? otherwise });
}

function meantFlag(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `Did you mean \`--${name}\`?`;
}

function flagsHelp(usage: string): string {
  const command = usage.replace(/ [<[].*$/, '');
  return `\`axe-action ${command} --help\` lists the flags.`;
}

function valueRemedy({ name, kind, choices = [] }: Flag): string {
  const value = kind === 'int' ? '<number>' : choices.join('|') || '<value>';
  return `Write \`--${name} ${value}\`.`;
}

/** `-v`, several in a row (`-vh`), and with a value `-o=value`, `-ovalue`, `-o value`. */
function takeShort(word: string, { known, usage, rest, values }: Parsing): void {
  for (let left = word.slice(1); left !== ''; ) {
    const short = left.slice(0, 1);
    const flag = known.find((candidate) => candidate.short === short);
    if (flag === undefined) {
      // `-model` is `-m -o -d …`: one hyphen less than was meant.
      const meant = known.find(({ name }) => name === word.slice(1).split('=')[0])?.name;
      throw new AxeError(`unknown shorthand flag: '${short}' in -${left}`, {
        remedy: meantFlag(meant) ?? flagsHelp(usage),
      });
    }
    const hasValue = left.length > 2 && left[1] === '=';
    const isSwitch = flag.kind === 'bool' && !hasValue;
    const attached = hasValue ? left.slice(2) : left.slice(1);
    const value = isSwitch ? 'true' : attached || rest.shift();
    if (value === undefined) {
      throw new AxeError(`flag needs an argument: '${short}' in -${left}`, { remedy: valueRemedy(flag) });
    }
    values.set(flag.name, checkedValue(flag, value));
    left = isSwitch ? attached : '';
  }
}

function checkedValue(flag: Flag, value: string): string {
  switch (flag.kind) {
    case 'bool':
      if (TRUE.has(value)) return 'true';
      if (FALSE.has(value)) return 'false';
      throw invalidArgument(flag, value, { parser: 'strconv.ParseBool' });
    case 'string':
      return value;
    case 'int':
      if (!/^[+-]?\d+$/.test(value)) throw invalidArgument(flag, value, { parser: 'strconv.ParseInt' });
      if (!Number.isSafeInteger(Number(value))) {
        throw invalidArgument(flag, value, { parser: 'strconv.ParseInt', reason: 'value out of range' });
      }
      refuseTooSmall(flag, value);
      return value;
  }
}

/** axe takes any number: a limit of 0 seconds is over at once, and a negative count is read as none. */
function refuseTooSmall({ name, min = 0 }: Flag, value: string): void {
  if (Number(value) >= min) return;
  throw new AxeError(
    `invalid argument ${JSON.stringify(value)} for "--${name}" flag: it is less than ${min}`,
    {
      remedy: `Give a whole number from ${min} upwards, or leave the flag out.`,
    },
  );
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** In Go's words, with plain ones after them; its quotes escape as JSON's do. */
function invalidArgument(
  { name, short, kind, min = 0 }: Flag,
  value: string,
  { parser, reason = 'invalid syntax' }: { readonly parser: string; readonly reason?: string },
): AxeError {
  const quoted = JSON.stringify(value);
  const flag = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return new AxeError(
    `invalid argument ${quoted} for "${flag}" flag: ${parser}: parsing ${quoted}: ${reason}`,
    {
      remedy:
        kind === 'bool'
          ? `Write \`--${name}\`, or \`--${name}=false\` to switch it off.`
          : `Give a whole number from ${min} upwards, or leave the flag out.`,
    },
  );
}

/** Checks how many words there are next to the flags. Throws an AxeError with axe's words, and how the command is written. */
export function expectPositionals({ positionals, usage }: ParsedFlags, count: number): readonly string[] {
  if (positionals.length !== count) {
    throw new AxeError(`accepts ${count} arg(s), received ${positionals.length}`, {
      remedy: `Usage: \`axe-action ${usage}\`.`,
    });
  }
  return positionals;
}

/** The `Flags:` part of a help text, aligned as cobra does. */
export function formatFlags(flags: readonly Flag[]): string {
  const rows = [...flags, HELP]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => ({
      left: `${flag.short === undefined ? '    ' : `-${flag.short}, `}--${flag.name}${TYPES[flag.kind]}`,
      right: flag.shown === undefined ? flag.about : `${flag.about} (default ${flag.shown})`,
    }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}   ${right}`).join('\n');
}

const TYPES: Record<Flag['kind'], string> = { string: ' string', int: ' int', bool: '' };
