import { TomlError } from 'smol-toml';
import { MAX_AGENT_BYTES } from '../lib/defaults.js';
import { type AxeError, ConfigError, type SourcePosition } from '../lib/errors.js';
import { cutToCharacters } from '../lib/text/cut.js';
import { grouped } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import { chosen } from './choices.js';
import { createLocator, type KeyPath, type KeyPosition } from './locate.js';

/** Most characters of a message, and of a remedy: names in them are anybody's. */
const MAX_MESSAGE = 1_000;

/** Something wrong with an agent, found without running it. */
export interface Fault {
  /** An error ends a run, or a call of a sub-agent; with a warning it goes on. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Empty where the message says it. */
  readonly remedy: string;
  readonly at: SourcePosition;
}

/** What a run would end with; `at` is for errors that do not say where. */
export function errorFault(error: AxeError, at: SourcePosition): Fault {
  const { message, remedy = '' } = error;
  return { severity: 'error', message: cutTo(message), remedy: cutTo(remedy), at: error.at ?? at };
}

/** What a run would warn of; `at` is for warnings that do not say where. */
export function warningFault(
  { message, remedy = '', at: own }: Pick<Warning, 'message' | 'remedy' | 'at'>,
  at: SourcePosition,
): Fault {
  return { severity: 'warning', message: cutTo(message), remedy: cutTo(remedy), at: own ?? at };
}

function cutTo(text: string): string {
  return cutToCharacters(text, MAX_MESSAGE);
}

export function inFileOrder(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted(
    ({ at: a }, { at: b }) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

/** Something wrong with the values of an agent file. */
export interface AgentProblem {
  /** axe's message where axe has one, and it is exact (D3). */
  readonly message: string;
  readonly remedy: string;
  /** The key at fault; its nearest table is shown where it is missing. */
  readonly path: KeyPath;
}

/** A word that is none of the choices; the remedy shows the first of them. */
export function* notOneOf(word: string, choices: readonly string[], path: KeyPath): Generator<AgentProblem> {
  if (chosen(choices, word) === undefined) {
    yield {
      message: `${path.join('.')} must be one of: ${choices.join(', ')}`,
      remedy: `Write it like this: \`${path.at(-1)} = "${choices[0]}"\`.`,
      path,
    };
  }
}

export interface TomlSource {
  /** The name it was asked for by. */
  readonly name: string;
  /** Path, URL or `built-in`, for people. */
  readonly file: string;
}

/** An agent file that cannot be read as one: axe's prefix, then what is wrong (D3). */
export function parseError(
  { name, file }: TomlSource,
  { message, remedy }: { readonly message: string; readonly remedy: string },
  position: Partial<KeyPosition> = {},
): ConfigError {
  const at: SourcePosition = { file, ...position };
  return new ConfigError(`failed to parse agent config "${name}": ${message}`, { remedy, at });
}

/** The problem of a file that is larger than any agent. */
export function tooLarge(size: string): { readonly message: string; readonly remedy: string } {
  return {
    message: `the file has ${size}; the limit is ${grouped(MAX_AGENT_BYTES)} bytes`,
    remedy: 'Move long texts to a skill (`skill`) or to context files (`files`).',
  };
}

interface TomlProblem {
  readonly message: string;
  readonly remedy: string;
  readonly line: number;
  readonly column: number;
}

const REMEDY =
  'An agent file is TOML: `key = value` lines under `[table]` names. Strings are quoted, over several lines with `"""`.';

const BACKSLASH =
  "In double quotes a backslash begins an escape. Write it twice, or use single quotes (over several lines `'''`), which take it as it is.";

/**
 * The parser's error, without the lines of the file, which may hold a secret; undefined for anything
 * else that was thrown.
 */
export function tomlProblem(thrown: unknown, text: string): TomlProblem | undefined {
  if (!(thrown instanceof TomlError)) return undefined;
  const { line, column } = thrown;
  const parser = thrown.message.replace(/^Invalid TOML document: /, '').replace(/\n[\s\S]*$/, '');
  if (parser.startsWith('trying to redefine'))
    return { ...repeatedKey(text, { line, column }), line, column };
  const remedy = /\bescape\b/.test(parser) ? BACKSLASH : REMEDY;
  return { message: parser, remedy, line, column };
}

function repeatedKey(text: string, position: KeyPosition): Pick<TomlProblem, 'message' | 'remedy'> {
  const { line } = position;
  const { path, first = line } = createLocator(text).keyAt(position) ?? {};
  const name = path?.findLast((part) => typeof part === 'string');
  return {
    message: `${name === undefined ? 'a key' : `Key '${name}'`} has already been defined`,
    remedy:
      first >= line
        ? 'Leave one of the two out.'
        : `It is already on line ${first}; leave one of the two out.`,
  };
}
