import { parseArgs } from 'node:util';
import { AxeError } from '../axe/errors.js';

/** A flag of a command. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: 'string' | 'int' | 'bool';
  /** For `help`: what it does. */
  readonly about: string;
  /** For `help`: the default, where it is worth saying. */
  readonly shown?: string;
}

/** The words of a command line, taken apart. */
export interface ParsedFlags {
  readonly positionals: readonly string[];
  readonly help: boolean;
  /** Empty where the flag was not given. */
  string(name: string): string;
  int(name: string): number | undefined;
  bool(name: string): boolean;
}

/** Takes a command's words apart. Throws an AxeError with axe's words (axe-behaviour §12, usage errors). */
export function parseFlags(words: readonly string[], flags: readonly Flag[]): ParsedFlags {
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    tokens: true,
    options: parserOptions(flags),
  });
  const values = new Map<string, string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') values.set(token.name, checkedValue(token, flags));
  }
  return {
    positionals,
    help: values.has('help'),
    string: (name) => values.get(name) ?? '',
    int: (name) => (values.has(name) ? Number(values.get(name)) : undefined),
    bool: (name) => values.get(name) === 'true',
  };
}

function parserOptions(
  flags: readonly Flag[],
): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  return Object.fromEntries(
    [...flags, HELP].map(({ name, short, kind }) => [
      name,
      {
        type: kind === 'bool' ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}

const HELP: Flag = { name: 'help', short: 'h', kind: 'bool', about: 'Show this text' };

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function checkedValue({ name, rawName, value }: OptionToken, flags: readonly Flag[]): string {
  const flag = [...flags, HELP].find((candidate) => candidate.name === name);
  if (flag === undefined) throw unknownFlag(rawName);
  switch (flag.kind) {
    case 'bool':
      if (value === undefined) return 'true';
      if (TRUE.has(value)) return 'true';
      if (FALSE.has(value)) return 'false';
      throw invalidArgument({ value, name, reason: `strconv.ParseBool: parsing "${value}": invalid syntax` });
    case 'string':
      if (value === undefined) throw new AxeError(`flag needs an argument: ${rawName}`);
      return value;
    case 'int':
      if (value === undefined) throw new AxeError(`flag needs an argument: ${rawName}`);
      if (!/^[+-]?\d{1,15}$/.test(value)) {
        throw invalidArgument({
          value,
          name,
          reason: `strconv.ParseInt: parsing "${value}": invalid syntax`,
        });
      }
      return value;
  }
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function unknownFlag(rawName: string): AxeError {
  const message = rawName.startsWith('--')
    ? `unknown flag: ${rawName}`
    : `unknown shorthand flag: '${rawName.slice(1, 2)}' in ${rawName}`;
  return new AxeError(message);
}

function invalidArgument(wrong: {
  readonly value: string;
  readonly name: string;
  readonly reason: string;
}): AxeError {
  return new AxeError(`invalid argument "${wrong.value}" for "--${wrong.name}" flag: ${wrong.reason}`);
}

/** Checks how many words there are beside the flags. Throws an AxeError with axe's words. */
export function expectPositionals({ positionals }: ParsedFlags, count: number): readonly string[] {
  if (positionals.length !== count) {
    throw new AxeError(`accepts ${count} arg(s), received ${positionals.length}`);
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
